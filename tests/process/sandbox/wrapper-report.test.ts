import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { runProcess, runProcessSync, type SpawnSpec } from "../../../src/process/index.ts";
import { asIs, wrapWith } from "./fake-sandbox.ts";

let marker = "";
beforeEach(() => {
  marker = join(mkdtempSync(join(tmpdir(), "harness-report-")), "ran");
});
afterEach(() => rmSync(join(marker, ".."), { recursive: true, force: true }));

describe("the report of a wrapper", () => {
  /** Writes `report` to descriptor 3, then does what `script` says. */
  const reporting = (report: string, script: string, control: object) => {
    const wrap = (spec: SpawnSpec) =>
      asIs(spec, {
        file: "sh",
        args: ["-c", `echo '${report}' >&3; ${script}`],
        control: { groupOf: () => undefined, outcomeOf: () => undefined, ...control },
      });
    return wrapWith(wrap, { wrapSync: wrap });
  };

  it("decides how the command ended", async () => {
    const outcomeOf = vi.fn(() => ({ status: "ran", exitCode: 5, signal: null }));
    const sandbox = reporting("five", "echo err >&2; exit 1", { outcomeOf });
    const results = [await runProcess("x", [], { sandbox }), runProcessSync("x", [], { sandbox })];
    for (const result of results) expect(result).toMatchObject({ status: "completed", exitCode: 5, stderr: "err\n" });
    expect(outcomeOf.mock.calls).toEqual(
      Array(2).fill([
        expect.objectContaining({ report: "five\n", stderr: "err\n", exitCode: 1, signal: null, stopped: undefined }),
      ]),
    );
  });

  it("decides that it never began", async () => {
    const sandbox = reporting("", "exit 1", {
      outcomeOf: () => ({ status: "notStarted", code: "PERMISSION_DENIED", subject: "cwd", reason: "closed" }),
    });
    for (const result of [await runProcess("x", [], { sandbox }), runProcessSync("x", [], { sandbox })]) {
      expect(result).toMatchObject({
        status: "notStarted",
        code: "PERMISSION_DENIED",
        subject: "cwd",
        pid: undefined,
        cause: { message: "closed" },
      });
    }
  });

  it("says why it was stopped by us", async () => {
    const stopped: unknown[] = [];
    const outcomeOf = (end: { stopped: unknown }) => {
      stopped.push(end.stopped);
    };
    const options = { sandbox: reporting("", "sleep 5", { outcomeOf }), timeoutMs: 100 };
    expect(await runProcess("x", [], options)).toMatchObject({ code: "PROCESS_TIMEOUT" });
    expect(runProcessSync("x", [], options)).toMatchObject({ code: "PROCESS_TIMEOUT" });
    const loud = { sandbox: reporting("", "yes", { outcomeOf }), maxOutputBytes: 1_000 };
    expect(await runProcess("x", [], loud)).toMatchObject({ code: "PROCESS_OUTPUT_LIMIT" });
    expect(runProcessSync("x", [], loud)).toMatchObject({ code: "PROCESS_OUTPUT_LIMIT" });
    expect(await runProcess("x", [], { sandbox: reporting("", "kill -9 $$", { outcomeOf }) })).toMatchObject({
      code: "PROCESS_SIGNALED",
    });
    expect(runProcessSync("x", [], { sandbox: reporting("", "kill -9 $$", { outcomeOf }) })).toMatchObject({
      code: "PROCESS_SIGNALED",
    });
    expect(stopped).toEqual(["timeout", "timeout", "outputLimit", "outputLimit", undefined, undefined]);
  });

  it("that cannot be read leaves the end as it was seen", async () => {
    const broken = () => {
      throw new Error("garbled");
    };
    for (const sandbox of [
      reporting("x", "exit 3", { outcomeOf: broken, groupOf: broken }),
      reporting("x", "exit 3", {}),
      reporting("x", "exit 3", { groupOf: () => -1 }),
    ]) {
      expect(await runProcess("x", [], { sandbox })).toMatchObject({ exitCode: 3 });
      expect(runProcessSync("x", [], { sandbox })).toMatchObject({ exitCode: 3 });
    }
  });

  it("never makes an end of a command that was let in into SANDBOX_FAILED, nor runs a refused one", async () => {
    await fc.assert(
      fc.asyncProperty(fc.boolean(), fc.integer({ min: 0, max: 255 }), async (isRefused, code) => {
        const wrap = (spec: SpawnSpec) => {
          if (isRefused) throw new Error("no");
          return asIs(spec);
        };
        writeFileSync(marker, "");
        const result = await runProcess("sh", ["-c", `echo x >${marker}; exit ${code}`], { sandbox: wrapWith(wrap) });
        expect(result.code === "SANDBOX_FAILED").toBe(isRefused);
        expect(readFileSync(marker, "utf8")).toBe(isRefused ? "" : "x\n");
      }),
      { numRuns: 20 },
    );
  });
});
