import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { bashTool } from "../../../src/adapters/tools/index.ts";
import type { ToolResult } from "../../../src/contract/tool.ts";
import { bubblewrapSandbox, type SpawnSpec } from "../../../src/process/index.ts";
import { HAS_BUBBLEWRAP, WHERE } from "../../process/sandbox/bubblewrap-here.ts";
import { asIs, wrapWith } from "../../process/sandbox/fake-sandbox.ts";

let workspace = "";
beforeEach(() => {
  workspace = join(realpathSync(mkdtempSync(join(tmpdir(), "harness-bash-"))), "work");
  mkdirSync(workspace);
});
afterEach(() => rmSync(join(workspace, ".."), { recursive: true, force: true }));

type Options = Parameters<typeof bashTool>[0];
const run = (command: string, options: Options) =>
  Promise.resolve(bashTool({ cwd: workspace, ...options }).execute({ command }, {} as never)) as Promise<ToolResult>;

describe("a bash tool with a sandbox", () => {
  it.each([false, true])(
    "runs nothing when the sandbox refuses, and says so as a tool error (sync: %s)",
    async (sync) => {
      const refuse = () => {
        throw new Error("bwrap is missing; install it");
      };
      const sandbox = wrapWith(refuse, { wrapSync: refuse });
      expect(await run("touch ran", { sandbox, sync })).toEqual({
        ok: false,
        kind: "tool",
        code: "TOOL_SANDBOX_FAILED",
        retryable: false,
        error: "[not started: The sandbox test let nothing run: bwrap is missing; install it]",
      });
      expect(readdirSync(workspace)).toEqual([]);
    },
  );

  it("gives it the filtered environment and the directory", async () => {
    const seen: SpawnSpec[] = [];
    const sandbox = wrapWith((spec: SpawnSpec) => {
      seen.push(spec);
      return asIs(spec);
    });
    const env = { MY_API_KEY: "given by the host", BASH_ENV: undefined };
    process.env["OTHER_API_KEY"] = "secret";
    expect(await run('echo "$PWD $OTHER_API_KEY"', { sandbox, env })).toEqual({ ok: true, value: `${workspace} \n` });
    delete process.env["OTHER_API_KEY"];
    expect(seen).toEqual([expect.objectContaining({ cwd: workspace, background: "kill" })]);
    expect(seen[0]?.env).toMatchObject({ MY_API_KEY: "given by the host", TERM: "dumb" });
    expect(seen[0]?.env).not.toHaveProperty("OTHER_API_KEY");
  });

  it("tells the model where it is, and offers no way out of it", () => {
    const described = (options: Options) => bashTool({ cwd: workspace, ...options }).description;
    expect(described({})).toContain("start a server with: setsid");
    const inside = described({ sandbox: wrapWith(asIs, { description: "You are in a box." }) });
    expect(inside).toContain("You are in a box.");
    expect(inside).toContain("Processes left in the background are killed when the command ends.");
    expect(inside).not.toContain("setsid");
    expect(described({ sandbox: wrapWith(asIs) })).not.toContain("undefined");
    expect(described({ sandbox: wrapWith(asIs), background: "keep" })).toContain("go on running");
  });

  it.each([null, {}, "bwrap", { wrap: 1 }, { wrapSync: asIs }])("is not made when that is none: %j", (sandbox) => {
    expect(() => bashTool({ sandbox: sandbox as never })).toThrow(
      /^bashTool: sandbox must be a sandbox with a function wrap, got /,
    );
  });

  it("is not made when it is to block and the sandbox cannot", () => {
    expect(() => bashTool({ sandbox: wrapWith(asIs), sync: true })).toThrow(/with a function wrapSync/);
    expect(bashTool({ sandbox: wrapWith(asIs), sync: false }).name).toBe("bash");
  });
});

describe.runIf(HAS_BUBBLEWRAP)(`a bash tool in bubblewrap${WHERE}`, () => {
  it.each([false, true])("does what it can inside of the workspace only (sync: %s)", async (sync) => {
    const sandbox = bubblewrapSandbox({ workspace });
    expect(
      await run("echo kept >file; cat file; (echo x >/etc/outside) 2>/dev/null; ls ..", { sandbox, sync }),
    ).toEqual({
      ok: true,
      value: "kept\nwork\n",
    });
    expect(readdirSync(join(workspace, ".."))).toEqual(["work"]);
    expect(await run("grep none file", { sandbox, sync })).toEqual({
      ok: true,
      value: "[exit code 1: no lines matched]",
    });
    expect(await run("exit 3", { sandbox, sync })).toMatchObject({
      ok: false,
      code: "TOOL_PROCESS_EXIT",
      error: "[exit code 3]",
    });
    expect(await run("sleep 5", { sandbox, sync, timeoutMs: 300 })).toMatchObject({ code: "TOOL_PROCESS_TIMEOUT" });
    expect(readdirSync(workspace)).toEqual(["file"]);
  });
});
