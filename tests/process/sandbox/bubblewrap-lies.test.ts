/**
 * Programs that pretend to be bwrap and keep nothing from nothing: none of them may run a command.
 */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { bubblewrapSandbox, runProcess, runProcessSync } from "../../../src/process/index.ts";
import { HAS_BUBBLEWRAP, WHERE } from "./bubblewrap-here.ts";

let base = "";
let workspace = "";
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "harness-lies-")));
  workspace = join(base, "work");
  mkdirSync(workspace);
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

/** A sandbox whose bwrap is a script of `sh`; `run` is what stands behind `--`. */
function pretending(script: string, options = {}) {
  const program = join(base, "bwrap");
  writeFileSync(program, `#!/bin/sh\n${script}\n`);
  chmodSync(program, 0o755);
  return bubblewrapSandbox({ workspace, program, ...options });
}

const RUN =
  'while [ "$1" != -- ]; do shift; done; shift; "$@"; code=$?; echo "{ \\"exit-code\\": $code }" >&3; exit $code';
const STARTED = 'echo "{ \\"child-pid\\": $$ }" >&3';

async function refusal(sandbox: ReturnType<typeof bubblewrapSandbox>): Promise<string> {
  const marker = join(base, "ran");
  const options = { sandbox, cwd: workspace };
  for (const result of [await runProcess("touch", [marker], options), runProcessSync("touch", [marker], options)]) {
    expect(result).toMatchObject({ status: "notStarted", code: "SANDBOX_FAILED", sandbox: "bubblewrap" });
  }
  expect(existsSync(marker)).toBe(false);
  expect(readdirSync(workspace)).toEqual([]);
  const check = await sandbox.check();
  return check.ok ? "it was let in" : check.reason;
}

describe.runIf(process.platform === "linux")("a bwrap that does not do what it should", () => {
  it("runs nothing when it runs commands as they are", async () => {
    const reason = await refusal(pretending(`${STARTED}; ${RUN}`));
    expect(reason).toMatch(/^The self-test of bubblewrap failed: it could read .*canary; it could write .*canary; /);
    expect(reason).toContain("it could connect");
    expect(reason).toContain("it was not parted from the system (mnt)");
    expect(existsSync("/.harness-kit-self-test")).toBe(false);
    expect(existsSync("/etc/.harness-kit-self-test")).toBe(false);
  });

  it.each([
    ["runs nothing at all", "exit 0", /bwrap ended without a word/],
    ["says that it ran something", `${STARTED}; echo '{ "exit-code": 0 }' >&3`, /did not come to its end/],
    ["fails", "echo 'bwrap: Unknown option --disable-userns' >&2; exit 1", /bubblewrap 0\.8 or newer is needed/],
    ["is killed", "kill -9 $$", /killed by SIGKILL/],
    ["prints garbage", "head -c 5000 /dev/zero; echo done; exit 3", /bwrap ended without a word/],
  ])("runs nothing when it %s", async (_title, script, reason) => {
    expect(await refusal(pretending(script))).toMatch(reason);
  });

  it("is tried again with the next command, but never after it has passed", async () => {
    const sandbox = pretending("exit 1");
    expect((await sandbox.check()).ok).toBe(false);
    expect((await sandbox.check()).ok).toBe(false);
  });
});

describe.runIf(HAS_BUBBLEWRAP)(`a real bwrap${WHERE}`, () => {
  /** Calls the real one without some options, and counts the calls. */
  const crippled = (...patterns: string[]) => {
    const cases = patterns.map((pattern) => `${pattern}) ;;`).join(" ");
    return pretending(
      `echo >>${join(base, "calls")}; set -- "$@" ====; while [ "$1" != ==== ]; do case $1 in ${cases} *) set -- "$@" "$1" ;; esac; shift; done; shift; exec bwrap "$@"`,
    );
  };
  const isRoot = process.getuid?.() === 0;

  it("passes, once, for however many commands", async () => {
    const sandbox = crippled("no-such-option");
    const options = { sandbox, cwd: workspace };
    await Promise.all([sandbox.check(), runProcess("true", [], options), runProcess("true", [], options)]);
    expect(runProcessSync("true", [], options).ok).toBe(true);
    const { stdout } = await runProcess("wc", ["-l", join(base, "calls")]);
    expect(Number.parseInt(stdout, 10)).toBe(1 + 3);
  });

  it("passes for the first synchronous command, too", () => {
    expect(runProcessSync("true", [], { sandbox: crippled("no-such-option"), cwd: workspace }).ok).toBe(true);
  });

  it.runIf(isRoot)("does not pass when root keeps its privileges", async () => {
    expect(await refusal(crippled("--cap-drop", "ALL"))).toMatch(/it had capabilities \(CapEff /);
  });

  it.runIf(isRoot)("does not pass when the settings of the kernel can be written", async () => {
    expect(await refusal(crippled("/proc/sys"))).toMatch(/bwrap: |it could write \/proc\/sys\/kernel\/core_pattern/);
  });

  it("does not pass when it shares the network", async () => {
    expect(await refusal(crippled("--unshare-all"))).toMatch(/it was not parted from the system \(net\)/);
  });

  it("does not pass when user namespaces can be made inside", async () => {
    expect(await refusal(crippled("--disable-userns"))).toMatch(/it could make namespaces/);
  });

  it("leaves nothing behind when it does not pass", async () => {
    // Of its own: other tests lay theirs in the usual folder at the same time.
    const temporary = join(base, "tmp");
    mkdirSync(temporary);
    vi.stubEnv("TMPDIR", temporary);
    const said = await refusal(crippled("--unshare-all"));
    vi.unstubAllEnvs();
    expect(said).toMatch(/it was not parted from the system \(net\)/);
    expect(readdirSync(temporary)).toEqual([]);
  });
});
