import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createRuntime, defineTool } from "harness-kit";
import { callTool, recordModel, replayModel, scriptedModel } from "harness-kit/testing";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";

const add = defineTool({
  name: "add",
  description: "Add two numbers.",
  parameters: z.object({ a: z.number(), b: z.number() }),
  execute: ({ a, b }) => a + b,
});

let folder: string;
let file: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "harness-kit-recording-"));
  file = join(folder, "model.jsonl");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const script = () => scriptedModel([callTool("add", { a: 1, b: 2 }, "c1"), "The sum is 3."]);
const runWith = (model: ReturnType<typeof replayModel>, prompt = "What is 1 + 2?") =>
  createRuntime({ model, tools: [add], retry: { maxAttempts: 1 } }).run(prompt);

describe("recordModel and replayModel", () => {
  it("give the same run from the recording as from the model", async () => {
    const recorded = await runWith(recordModel(script(), file));
    const replayed = await runWith(replayModel(file));
    expect(replayed.answer).toBe("The sum is 3.");
    expect(replayed.history).toEqual(recorded.history);
  });

  it("replay a failure with its identity", async () => {
    const failing = scriptedModel([Object.assign(new Error("wrong key"), { status: 401 })]);
    await runWith(recordModel(failing, file));
    const replayed = await runWith(replayModel(file));
    expect(replayed).toMatchObject({
      status: "failed",
      errorKind: "model",
      errorCode: "MODEL_AUTH",
      error: "wrong key",
    });
  });

  it("name the first call that differs from the recording", async () => {
    await runWith(recordModel(script(), file));
    const replayed = await runWith(replayModel(file), "What is 2 + 2?");
    expect(replayed.errorCode).toBe("MODEL_INVALID_REQUEST");
    expect(replayed.error).toContain("Call 1 differs");
    expect(replayed.error).toContain("What is 2 + 2?");
  });

  it("say that the recording is over", async () => {
    await runWith(recordModel(script(), file));
    const [first] = readFileSync(file, "utf8").split("\n");
    writeFileSync(file, `${first}\n`);
    expect((await runWith(replayModel(file))).error).toContain("ends after 1 calls");
  });

  it("refuse a file that is no recording, by line", () => {
    writeFileSync(file, '{"request":"x"}\n');
    expect(() => replayModel(file)).toThrow(/Line 1 of .* is no recorded call/);
  });

  it("keep the answer of a bare function", async () => {
    await runWith(recordModel(() => ({ content: "hello", toolCalls: [], finishReason: "stop" }), file));
    expect((await runWith(replayModel(file))).answer).toBe("hello");
  });
});
