import { writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { withPathLock } from "../../../../src/adapters/tools/files/access/path-lock.ts";
import {
  editFile,
  globFiles,
  grepFiles,
  listFiles,
  readFile,
  workspaceTools,
  writeFile,
} from "../../../../src/adapters/tools/files/index.ts";
import { systemRefusal } from "../../../../src/adapters/tools/files/refusal.ts";
import { createBudget, MAX_ENTRIES } from "../../../../src/adapters/tools/files/search/budget.ts";
import { createPager } from "../../../../src/adapters/tools/files/search/pager.ts";
import { createDecoder } from "../../../../src/adapters/tools/files/text/decoder.ts";
import { decodeWhole, detectFormat, encodeWhole } from "../../../../src/adapters/tools/files/text/encoding.ts";
import { createLineSplitter } from "../../../../src/adapters/tools/files/text/lines.ts";
import type { AnyTool } from "../../../../src/contract/tool.ts";
import { createRuntime } from "../../../../src/index.ts";
import { allowTools } from "../../../../src/permission/index.ts";
import { callTool, callTools, recordingClock, scriptedModel } from "../../../../src/testing/index.ts";
import { createTestWorkspace } from "./workspace.ts";

const never = new AbortController().signal;

describe("in a run", () => {
  it("a model reads, edits and finds; what is outside is told as a matter of permission", async () => {
    const { root, put, get } = createTestWorkspace();
    put("a.txt", "one\n");
    const model = scriptedModel([
      callTools(
        { id: "1", name: "editFile", arguments: { path: "a.txt", edits: [{ oldText: "one", newText: "two" }] } },
        { id: "2", name: "editFile", arguments: { path: "a.txt", edits: [{ oldText: "two", newText: "three" }] } },
      ),
      callTool("readFile", { path: "../outside/secret.txt" }),
      callTool("readFile", { path: "a.txt", startLine: "1" }),
      "Done.",
    ]);
    const runtime = createRuntime({ model, tools: workspaceTools(root), permission: allowTools("editFile") });
    const run = await runtime.run("go");
    const results = run.steps.flatMap((step) => (step.type === "tool" ? [step.result] : []));
    expect(run.status).toBe("completed");
    expect(get("a.txt")).toBe("three\n");
    expect(results[2]).toMatchObject({ ok: false, kind: "permission", code: "PERMISSION_DENIED", retryable: false });
    expect(results[3]).toMatchObject({ ok: false, code: "TOOL_INVALID_ARGUMENTS" });
  });

  it("a tool that writes is refused until the host allows it", async () => {
    const { root } = createTestWorkspace();
    const model = scriptedModel([callTool("writeFile", { path: "a.txt", content: "x" }), "Done."]);
    const run = await createRuntime({ model, tools: workspaceTools(root) }).run("go");
    const result = run.steps.find((step) => step.type === "tool")?.result;
    expect(result).toMatchObject({ ok: false, kind: "permission" });
  });
});

describe("every tool by itself", () => {
  it.each([
    [readFile, { path: "a.txt" }, "1\tone"],
    [listFiles, {}, "a.txt (4 bytes)\n[1 entry]"],
    [globFiles, { pattern: "*" }, "a.txt\n[1 file]"],
    [grepFiles, { pattern: "one" }, "a.txt\n1:one\n[1 matching line]"],
    [
      writeFile,
      { path: "a.txt", content: "one\n" },
      '"a.txt" holds exactly this already (1 line, 4 bytes); nothing was written.',
    ],
    [editFile, { path: "a.txt", edits: [{ oldText: "one", newText: "1" }] }, expect.stringMatching(/^Edited/)],
  ] as const)("%s is the same as in the set", async (create, args, value) => {
    const { root, put } = createTestWorkspace();
    put("a.txt", "one\n");
    const tool: AnyTool = create(root);
    expect(tool.name).toBe(create.name);
    expect(await tool.execute(args as never, {} as never)).toEqual({ ok: true, value });
  });

  it("throws on what is no failure of files", async () => {
    const { root, put } = createTestWorkspace();
    put("a.txt", "one\n");
    const broken = {
      get path() {
        throw new RangeError("a defect");
      },
    };
    await expect(async () => readFile(root).execute(broken as never, {} as never)).rejects.toThrow("a defect");
  });
});

describe("no result", () => {
  it("is longer than the host allows, whatever is asked for", async () => {
    const outputChars = 2_000;
    const { put, call } = createTestWorkspace({ outputChars });
    for (let index = 0; index < 120; index++)
      put(`${"long name ".repeat(8)}${index}/x.txt`, `${"word ".repeat(index * 20)}\n`.repeat(5));
    put("wide.txt", `${"é😀".repeat(30_000)}\n`);
    const path = fc.constantFrom(".", "wide.txt", "none".repeat(200), "../x", `${"long name ".repeat(8)}7/x.txt`);
    const count = fc.integer({ min: 0, max: 3_000 });
    const args = fc.record({
      tool: fc.constantFrom("readFile", "listFiles", "globFiles", "grepFiles", "editFile"),
      path,
      startLine: fc.integer({ min: -9, max: 9 }),
      startColumn: count,
      offset: count,
      limit: count,
      depth: fc.integer({ min: 1, max: 10 }),
      context: fc.integer({ min: 0, max: 10 }),
      pattern: fc.constantFrom("word", "*", ".", "x".repeat(1_000), "é", "o+r"),
      glob: fc.constantFrom(undefined, "*.txt"),
      output: fc.constantFrom("lines", "files"),
      edits: fc.constant([{ oldText: "nothing like it ".repeat(500), newText: "x" }]),
    });
    await fc.assert(
      fc.asyncProperty(args, async ({ tool, ...rest }) => {
        const result = await call(tool, rest);
        const text = result.ok ? String(result.value) : result.error;
        expect(text.length).toBeLessThanOrEqual(outputChars);
      }),
      { numRuns: 60 },
    );
  });
});

describe("a call that is aborted", () => {
  it("stops a search, a long read and a wait for another writer", async () => {
    const { put, call, root } = createTestWorkspace();
    for (let index = 0; index < 200; index++) put(`d${index}/f.txt`, "x\n");
    writeFileSync(join(root, "big.txt"), "line\n".repeat(4_000_000));
    for (const [tool, args] of [
      ["globFiles", { pattern: "*" }],
      ["grepFiles", { pattern: "x" }],
      ["readFile", { path: "big.txt", startLine: 3_999_000 }],
    ] as const) {
      const controller = new AbortController();
      const reason = new Error("enough");
      const running = call(tool, args, { signal: controller.signal });
      setTimeout(() => controller.abort(reason), 1);
      await expect(running).rejects.toBe(reason);
    }
  });

  it("does not open the way past those who wait before it", async () => {
    const order: string[] = [];
    let finishFirst = () => {};
    const first = withPathLock("/p", never, () => new Promise<void>((resolve) => (finishFirst = resolve)));
    const controller = new AbortController();
    const second = withPathLock("/p", controller.signal, async () => order.push("second"));
    const third = withPathLock("/p", never, async () => order.push("third"));
    controller.abort(new Error("enough"));
    await expect(second).rejects.toThrow("enough");
    expect(order).toEqual([]);
    finishFirst();
    await Promise.all([first, third]);
    expect(order).toEqual(["third"]);
  });

  it("lets the next writer go on after one that failed, and other files at once", async () => {
    const failing = withPathLock("/q", never, () => Promise.reject(new Error("broken")));
    const next = withPathLock("/q", never, async () => "next");
    await expect(failing).rejects.toThrow("broken");
    expect(await next).toBe("next");
    const waiting = withPathLock("/r", never, () => new Promise<void>(() => {}));
    expect(await withPathLock("/s", never, async () => "other")).toBe("other");
    expect(waiting).toBeInstanceOf(Promise);
  });
});

describe("the budget of a search", () => {
  it("ends with its time or its entries, and says which", async () => {
    const clock = recordingClock();
    const late = createBudget(never, 50, clock);
    expect(late.mayGoOn()).toBe(true);
    await clock.advance(51);
    expect(late.mayGoOn()).toBe(false);
    expect(late.notes()).toEqual([expect.stringMatching(/^stopped after 50 ms/)]);
    const far = createBudget(never, 50_000, clock);
    for (let index = 0; index < MAX_ENTRIES; index++) far.countEntry();
    far.countUnreadable();
    expect(far.mayGoOn()).toBe(false);
    expect(far.notes()).toEqual([expect.stringMatching(/^stopped after 200,000 files/), "1 folder could not be read"]);
    far.countUnreadable();
    expect(far.notes()[1]).toBe("2 folders could not be read");
  });
});

describe("a pager", () => {
  it("gives the first one its place, though it is too long", () => {
    const pager = createPager({ offset: 0, limit: 5, maxChars: 3, noun: "thing", plural: "things" });
    expect([pager.next(), pager.show("far too long"), pager.next(), pager.show("x")]).toEqual([
      "show",
      true,
      "show",
      false,
    ]);
    expect(pager.note()).toBe("things 1-1; there are more: read on with offset: 1");
  });
});

describe("texts", () => {
  const formats = fc.constantFrom(
    { encoding: "utf-8", markBytes: 0 } as const,
    { encoding: "utf-8", markBytes: 3 } as const,
    { encoding: "utf-16le", markBytes: 2 } as const,
    { encoding: "utf-16be", markBytes: 2 } as const,
  );
  const letters = fc.string({ unit: fc.constantFrom(..."aé你😀\n\r \t\ufffd"), maxLength: 60 });

  it("come back from their bytes, and their bytes from them", () => {
    fc.assert(
      fc.property(letters, formats, (text, format) => {
        const bytes = encodeWhole(text, format);
        expect(detectFormat(bytes)).toEqual(format);
        expect(decodeWhole(bytes, format)).toBe(text);
      }),
    );
  });

  it("are the same however their bytes are cut, and so are their lines", () => {
    fc.assert(
      fc.property(letters, formats, fc.array(fc.nat(40), { maxLength: 8 }), (text, format, cuts) => {
        const bytes = encodeWhole(text, format);
        const decoder = createDecoder(format);
        const splitter = createLineSplitter({ from: 0, most: 1_000 });
        const lines = [];
        let decoded = "";
        let start = 0;
        for (const cut of [...cuts, bytes.length]) {
          const piece = decoder.decode(bytes.subarray(start, start + cut));
          start += cut;
          decoded += piece;
          lines.push(...splitter.push(piece));
        }
        const rest = decoder.end();
        lines.push(...splitter.push(rest), ...splitter.end());
        expect(decoded + rest).toBe(text);
        expect(lines.map((line) => line.text + line.end).join("")).toBe(text);
        expect(lines.map((line) => line.number)).toEqual(lines.map((_, index) => index + 1));
        if (format.encoding === "utf-8") expect(decoder.isDamaged).toBe(false);
      }),
    );
  });

  it("keep of a long line only the window, though it knows all of its length", () => {
    const splitter = createLineSplitter({ from: 2, most: 3 });
    expect(splitter.push("abcd")).toEqual([]);
    expect(splitter.pendingChars).toBe(4);
    expect(splitter.push("efgh\r\nab\r\n")).toEqual([
      { number: 1, text: "cde", length: 8, end: "\r\n" },
      { number: 2, text: "", length: 2, end: "\r\n" },
    ]);
  });
});

describe("an error of the system", () => {
  it("is told in words, and may be tried again only where that can help", () => {
    const error = (code: string) => Object.assign(new Error(code), { code, syscall: "open" });
    expect(systemRefusal(error("ENOSPC"), "a")).toMatchObject({
      message: '"a" cannot be used: no space is left on the device (ENOSPC).',
      retryable: false,
    });
    expect(systemRefusal(error("EMFILE"), "a")).toMatchObject({ retryable: true });
    expect(systemRefusal(error("EWEIRD"), "a")?.message).toMatch(/the system refused \(EWEIRD\)/);
    expect(systemRefusal(new Error("ours"), "a")).toBeUndefined();
    expect(systemRefusal(Object.assign(new Error("x"), { code: "ERR_X" }), "a")).toBeUndefined();
  });
});
