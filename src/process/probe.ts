/**
 * Looks at the file system after a failed start, because Node blames the program for a missing directory.
 *
 * Floor 2 (process). Looking afterwards costs nothing when all went well, and there is no race to lose.
 */
import { accessSync, constants, existsSync, statSync } from "node:fs";
import { delimiter, isAbsolute, join, resolve } from "node:path";

export type CwdState = "usable" | "missing" | "notDirectory" | "forbidden";

/** What a classification may ask about the outside world. */
export interface Probe {
  cwd(): CwdState;
  /** Whether the program is there, which means that something it needs is not. */
  programExists(): boolean;
}

/** Asks the real file system about one command. */
export function systemProbe(file: string, cwd: string, env: NodeJS.ProcessEnv): Probe {
  return {
    cwd: () => cwdState(cwd),
    programExists: () => candidates(file, cwd, env).some((path) => existsSync(path)),
  };
}

function cwdState(cwd: string): CwdState {
  try {
    if (!statSync(cwd).isDirectory()) return "notDirectory";
    accessSync(cwd, constants.X_OK);
    return "usable";
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EACCES" ? "forbidden" : "missing";
  }
}

function candidates(file: string, cwd: string, env: NodeJS.ProcessEnv): string[] {
  if (isAbsolute(file)) return [file];
  if (file.includes("/") || file.includes("\\")) return [resolve(cwd, file)];
  const path = env["PATH"] ?? "/usr/bin:/bin";
  // An empty entry means the working directory (POSIX, section 8.3).
  return path.split(delimiter).map((folder) => join(folder === "" ? cwd : resolve(cwd, folder), file));
}
