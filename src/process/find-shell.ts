/**
 * Finds the shell that commands are written for.
 *
 * Floor 2 (process). On Windows a bare `bash` is often the launcher of WSL, which runs commands in
 * another file system; so that one is never taken.
 */
import { existsSync } from "node:fs";
import { posix, win32 } from "node:path";

/** A shell and the options to give it before the command. */
export interface Shell {
  readonly kind: "bash" | "sh";
  /** Absolute path. */
  readonly file: string;
  /** Come before the command. No start-up files, and `--` so that a command may begin with a dash. */
  readonly args: readonly string[];
}

/** What the search looks at; tests pass their own. */
export interface ShellHost {
  readonly platform?: NodeJS.Platform | undefined;
  readonly env?: Record<string, string | undefined> | undefined;
  /** Tells whether there is a file. */
  readonly exists?: ((path: string) => boolean) | undefined;
}

/** Finds bash, or else `sh`; `undefined` when there is neither. */
export function findShell(host: ShellHost = {}): Shell | undefined {
  const { platform = process.platform, env = process.env, exists = existsSync } = host;
  const places = platform === "win32" ? windowsFolders(env) : posixFolders(env);
  const join = platform === "win32" ? win32.join : posix.join;
  const suffix = platform === "win32" ? ".exe" : "";
  for (const kind of ["bash", "sh"] as const) {
    const file = places.map((folder) => join(folder, kind + suffix)).find((path) => exists(path));
    if (file !== undefined) return shellAt(file, kind);
  }
  return undefined;
}

/** The options for a shell at a known place; anything whose name does not say `bash` is treated as plain `sh`. */
export function shellAt(file: string, kind: Shell["kind"] = /bash(?:\.exe)?$/i.test(file) ? "bash" : "sh"): Shell {
  return { kind, file, args: kind === "bash" ? ["--norc", "--noprofile", "-c", "--"] : ["-c", "--"] };
}

function posixFolders(env: Record<string, string | undefined>): string[] {
  const path = (env["PATH"] ?? "").split(":").filter((folder) => posix.isAbsolute(folder));
  return [...path, "/bin", "/usr/bin", "/usr/local/bin"];
}

const WSL_FOLDER = /[\\/](?:system32|syswow64|sysnative|windowsapps)[\\/]*$/i;

function windowsFolders(env: Record<string, string | undefined>): string[] {
  const name = Object.keys(env).find((key) => key.toUpperCase() === "PATH") ?? "PATH";
  const path = (env[name] ?? "").split(";").map((folder) => folder.replace(/^"|"$/g, ""));
  const roots = [env["ProgramFiles"] ?? "C:\\Program Files", env["ProgramFiles(x86)"], env["LocalAppData"]];
  const git = roots.flatMap((root) => (root ? [`${root}\\Git\\bin`, `${root}\\Programs\\Git\\bin`] : []));
  return [...path.filter((folder) => win32.isAbsolute(folder) && !WSL_FOLDER.test(folder)), ...git];
}
