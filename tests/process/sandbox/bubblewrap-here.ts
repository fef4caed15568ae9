/**
 * Whether the tests of a real sandbox can run on this machine, and workspaces for them.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach } from "vitest";
import {
  type BubblewrapOptions,
  bubblewrapSandbox,
  type ProcessResult,
  runProcess,
} from "../../../src/process/index.ts";

/** bwrap is here and may make a sandbox. */
export const HAS_BUBBLEWRAP =
  spawnSync("bwrap", ["--unshare-all", "--ro-bind", "/", "/", "--proc", "/proc", "true"]).status === 0;

/** For titles: says why a suite is left out. */
export const WHERE = HAS_BUBBLEWRAP ? "" : " (left out: bwrap is missing here or may not make a sandbox)";

/** A sandbox around a new workspace. */
export interface Place {
  /** Holds the workspace and whatever lies beside it. */
  readonly base: string;
  readonly workspace: string;
  /** Runs a script inside. */
  sh(script: string, options?: Parameters<typeof runProcess>[2]): Promise<ProcessResult>;
}

const bases: string[] = [];

/** Makes one; it goes after the test. */
export function place(options: Omit<BubblewrapOptions, "workspace"> = {}, setUp?: (workspace: string) => void): Place {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "harness-sandbox-")));
  bases.push(base);
  const workspace = join(base, "work");
  mkdirSync(workspace);
  setUp?.(workspace);
  const sandbox = bubblewrapSandbox({ workspace, ...options });
  return {
    base,
    workspace,
    sh: (script, given) => runProcess("bash", ["-c", script], { cwd: workspace, sandbox, ...given }),
  };
}

afterEach(() => {
  for (const base of bases.splice(0)) rmSync(base, { recursive: true, force: true });
});
