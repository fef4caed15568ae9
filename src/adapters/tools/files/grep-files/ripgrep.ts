/**
 * Lets ripgrep say which of some files may match; what is shown of them is read by us.
 *
 * Wing (adapters). Node only. So results are the same with and without it, and a file that is exchanged
 * for a link while it runs shows nothing: only names that we gave come back.
 */
import { constants } from "node:fs";
import { access, realpath } from "node:fs/promises";
import { delimiter, isAbsolute, join } from "node:path";
import { isInside } from "../../../../process/confine-resolve.ts";
import { filterEnvironment, runProcess } from "../../../../process/index.ts";
import type { Workspace } from "../workspace.ts";
import type { Query } from "./matcher.ts";
import { ripgrepPattern } from "./ripgrep-pattern.ts";

/** The files of some that may match, in their order; all of them when ripgrep cannot tell. */
export type Prefilter = (files: readonly string[], signal: AbortSignal) => Promise<readonly string[]>;

/** `undefined`: ripgrep is not installed, or cannot do this query. */
export async function createPrefilter(workspace: Workspace, query: Query): Promise<Prefilter | undefined> {
  const pattern = workspace.options.ripgrep ? ripgrepPattern(query) : undefined;
  const program = pattern === undefined ? undefined : await findRipgrep(workspace.root, process.env["PATH"] ?? "");
  if (pattern === undefined || program === undefined) return undefined;
  const options = [...FIXED_OPTIONS, ...(query.ignoreCase ? ["--ignore-case"] : ["--case-sensitive"])];
  return async (files, signal) => {
    // "./": a file named "-" is not the standard input.
    const args = [...options, `--regexp=${pattern}`, "--", ...files.map((file) => `./${file}`)];
    const result = await runProcess(program, args, {
      cwd: workspace.root,
      env: filterEnvironment(process.env, ["RIPGREP_CONFIG_PATH"]),
      inheritEnv: false,
      timeoutMs: workspace.options.searchMs,
      signal,
    });
    if (result.status !== "completed" || result.exitCode > 1) return files;
    const found = new Set(result.stdout.split("\0").map((name) => name.slice(2)));
    return files.filter((file) => found.has(file));
  };
}

/** Nothing that starts a program, reads a configuration or leaves a file out. */
const FIXED_OPTIONS = [
  ...["--no-config", "--no-ignore", "--hidden", "--no-messages", "--color=never", "--no-mmap", "--no-pre"],
  ...["--no-search-zip", "--text", "--files-with-matches", "--null", "--no-multiline", "--no-pcre2"],
];

/** The first `rg` on an absolute path that does not lie in the workspace, where anybody could have put one. */
export async function findRipgrep(root: string, path: string): Promise<string | undefined> {
  const name = process.platform === "win32" ? "rg.exe" : "rg";
  for (const folder of path.split(delimiter)) {
    if (!isAbsolute(folder)) continue;
    const program = join(folder, name);
    const real = await executable(program);
    if (real !== undefined && !isInside(root, real) && !isInside(root, program)) return program;
  }
  return undefined;
}

async function executable(program: string): Promise<string | undefined> {
  try {
    await access(program, constants.X_OK);
    return await realpath(program);
  } catch {
    return undefined;
  }
}
