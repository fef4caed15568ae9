/**
 * Writes the command line of bwrap.
 *
 * Floor 2 (process). Pure.
 */
import { basename, dirname } from "node:path";
import { BUBBLEWRAP_CONTROL } from "./bubblewrap-report.ts";
import { REPORT_FD } from "./follow-wrapper.ts";
import { type Mount, toBubblewrapOptions } from "./mounts.ts";
import type { SandboxedCommand, SpawnSpec } from "./types.ts";

/**
 * Everything of its own; no privileges, and no way to get them: without `--cap-drop ALL` root could remount
 * `/` writable, and with user namespaces of its own a command could reach more of the kernel.
 *
 * `--die-with-parent` is not among them: what still writes when a command ends would be killed with it. Instead,
 * all that is left is killed by its group, and when we are killed ourselves, by the leash.
 */
const FLAGS = ["--unshare-all", "--unshare-user", "--disable-userns", "--cap-drop", "ALL", "--new-session"];

/** What decides how a command is wrapped. */
export interface BubblewrapFrame {
  readonly program: string;
  readonly mounts: readonly Mount[];
  readonly network: boolean;
}

/** Wraps `spec`; its directory is one that exists inside. */
export function toBubblewrapCommand({ program, mounts, network }: BubblewrapFrame, spec: SpawnSpec): SandboxedCommand {
  const { outer, inner } = partEnvironment(spec.env);
  return {
    file: program,
    args: [
      ...FLAGS,
      ...(network ? ["--share-net"] : []),
      ...toBubblewrapOptions(mounts).map(unlikeOurProgram),
      ...inner.flatMap(([name, value]) => ["--setenv", name, value]),
      ...["--chdir", spec.cwd, "--json-status-fd", String(REPORT_FD), "--", spec.file],
      ...spec.args,
    ],
    cwd: "/",
    env: outer,
    control: BUBBLEWRAP_CONTROL,
  };
}

/**
 * Deno takes an argument that is the path of its own program for a call of itself, and puts `run -A` behind it;
 * another spelling of the path it leaves alone.
 */
function unlikeOurProgram(option: string): string {
  return option === process.execPath ? `${dirname(option)}/./${basename(option)}` : option;
}

/** These make the loader run files that a command may have written: they must not act on bwrap, which runs outside. */
const LOADER = /^(?:LD_|GLIBC_TUNABLES$|GCONV_PATH$|LOCPATH$|NLSPATH$|MALLOC_)/;

function partEnvironment(env: SpawnSpec["env"]) {
  const set = Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return {
    outer: Object.fromEntries(set.filter(([name]) => !LOADER.test(name))),
    inner: set.filter(([name]) => LOADER.test(name)),
  };
}
