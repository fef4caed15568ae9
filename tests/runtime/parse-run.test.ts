import { type AgentRun, createRuntime, parseRun } from "harness-kit";
import { callTool, scriptedModel } from "harness-kit/testing";
import { beforeAll, describe, expect, it } from "vitest";
import { spyTool } from "./helpers.ts";

let text = "";
beforeAll(async () => {
  const model = scriptedModel([callTool("look", { n: 1 }, "c1"), "Done."]);
  text = JSON.stringify(await createRuntime({ model, tools: [spyTool("look").tool] }).run("Go."));
});

const record = (change: object = {}): object => ({ ...JSON.parse(text), ...change });

/** What `parseRun` says to it. */
function refusal(value: unknown) {
  try {
    parseRun(value);
  } catch (error) {
    const { name, kind, code, message, cause } = error as Error & { kind: string; code: string };
    expect([name, kind]).toEqual(["ContextError", "context"]);
    return { code, message, cause };
  }
  throw new Error("It was taken.");
}

describe("a record that is read back", () => {
  it("is equal, frozen through and through, from an object or from text", () => {
    const given = record();
    for (const value of [text, given, JSON.stringify(given, null, 2)]) {
      const run = parseRun(value);
      expect(run).toEqual(given);
      expect([run, run.steps, run.steps[0], run.history[0], run.usage].every((part) => Object.isFrozen(part))).toBe(
        true,
      );
    }
    expect(Object.isFrozen(given)).toBe(false);
  });

  it("keeps what this version does not know", () => {
    expect(parseRun(record({ later: { a: [1] } }))).toMatchObject({ later: { a: [1] } });
  });

  it.each([
    [null, "null"],
    [undefined, "undefined"],
    [5, "5"],
    [[], "an array of 0"],
    ["5", "5"],
    ["null", "null"],
    ["[1]", "an array of 1"],
    ['"text"', '"text"'],
  ])("is an object: %j is not", (value, told) => {
    expect(refusal(value)).toEqual({
      code: "CONTEXT_SNAPSHOT_INVALID",
      message: `A run record must be an object or its JSON text, got ${told}.`,
      cause: undefined,
    });
  });

  it("is whole JSON", () => {
    for (const cut of ["", "{", text.slice(0, -1), text.slice(1)]) {
      const { code, message, cause } = refusal(cut);
      expect([code, message]).toEqual([
        "CONTEXT_SNAPSHOT_INVALID",
        "The run record is not valid JSON: it was cut or damaged.",
      ]);
      expect(cause).toBeInstanceOf(SyntaxError);
    }
  });

  it("cannot be read where looking at it throws", () => {
    const cyclic: Record<string, unknown> = { ...record() };
    cyclic["self"] = cyclic;
    const { code, message, cause } = refusal(cyclic);
    expect([code, message]).toEqual(["CONTEXT_SNAPSHOT_INVALID", "The run record cannot be read."]);
    expect(cause).toBeInstanceOf(TypeError);
    expect(refusal(Proxy.revocable({}, {}).proxy)).toMatchObject({ code: "CONTEXT_SNAPSHOT_INVALID" });
  });

  it("is of this version; a newer one is told from a damaged one", () => {
    expect(refusal(record({ schemaVersion: 2 }))).toEqual({
      code: "CONTEXT_SNAPSHOT_VERSION",
      message: "The run record has version 2, this package reads up to 1. Update harness-kit to read it.",
      cause: undefined,
    });
    for (const [version, told] of [
      [0, "0"],
      [1.5, "1.5"],
      ["2", '"2"'],
      [-1, "-1"],
      [null, "null"],
    ] as const) {
      expect(refusal(record({ schemaVersion: version }))).toEqual({
        code: "CONTEXT_SNAPSHOT_INVALID",
        message: `The run record has the version ${told}; this package reads version 1.`,
        cause: undefined,
      });
    }
    expect(refusal(record({ schemaVersion: undefined })).message).toContain("has the version undefined");
  });

  it.each([
    ["id", 5, "text"],
    ["input", null, "text"],
    ["answer", {}, "text"],
    ["stopReason", "tired", "a stop reason"],
    ["stopReason", "toString", "a stop reason"],
    ["stopReason", 5, "a stop reason"],
    ["history", {}, "a list of messages"],
    ["steps", {}, "a list of numbered steps"],
    ["steps", [null], "a list of numbered steps"],
    ["steps", ["finish"], "a list of numbered steps"],
    ["steps", [{ index: 0 }], "a list of numbered steps"],
    ["steps", [{ index: 1, type: "finish" }], "a list of numbered steps"],
    [
      "steps",
      [
        { index: 0, type: "finish" },
        { index: 0, type: "finish" },
      ],
      "a list of numbered steps",
    ],
    ["iterations", "2", "a number"],
    ["startedAt", null, "a number"],
    ["endedAt", "now", "a number"],
    ["usage", null, "an object"],
    ["usage", "much", "an object"],
  ])("has %s as it should be, not %j", (field, value, expected) => {
    for (const given of [record({ [field]: value }), JSON.stringify(record({ [field]: value }))]) {
      const { code, message, cause } = refusal(given);
      expect([code, cause]).toEqual(["CONTEXT_SNAPSHOT_INVALID", undefined]);
      expect(message).toMatch(new RegExp(`^The run record has ${field}: .+; expected ${expected}\\.$`, "su"));
    }
    const { [field]: _, ...rest } = record() as Record<string, unknown>;
    expect(refusal(rest).message).toContain(`${field}: undefined`);
  });

  it("has a status that goes with its stop reason", () => {
    expect(refusal(record({ status: "failed" })).message).toBe(
      'The run record says status "failed" with stopReason "finished", which do not go together.',
    );
  });

  it("has a history that can be sent", () => {
    const { history } = record() as AgentRun;
    const { message, cause } = refusal(record({ history: history.slice(0, 2) }));
    expect(message).toBe("The history of the run record cannot be sent; see the cause.");
    expect(cause).toMatchObject({ kind: "context" });
    expect(refusal(record({ history: [{ role: "nobody", content: "" }] })).cause).toMatchObject({ kind: "context" });
    const open = { history: history.slice(0, 2), status: "paused", stopReason: "paused" };
    expect(parseRun(record(open)).history).toHaveLength(2);
    expect(refusal(record({ ...open, history: [...history, ...history.slice(1)] })).cause).toMatchObject({
      message: expect.stringContaining("used twice"),
    });
  });
});
