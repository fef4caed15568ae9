import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { AgentContext } from "../../src/context/agent-context.ts";
import type { ContextSnapshot } from "../../src/context/snapshot.ts";
import { ContextError } from "../../src/errors/index.ts";
import { crc32 } from "../../src/util/checksum.ts";
import { canonicalJson, type JsonValue } from "../../src/util/json.ts";
import { hostileValues, nested } from "../util/hostile.ts";
import { answer, asks, contextOf, history, said, user } from "./messages.ts";

/** The error with which a snapshot is refused. */
function refusalOf(snapshot: unknown): ContextError {
  try {
    AgentContext.restore(snapshot);
  } catch (error) {
    expect(error).toBeInstanceOf(ContextError);
    expect(error).toMatchObject({ kind: "context", retryable: false });
    return error as ContextError;
  }
  throw new Error("The snapshot was not refused.");
}

/** A snapshot with the right checksum of messages that no context would have. */
function forged(messages: readonly unknown[]): unknown {
  const text = messages.map((message) => canonicalJson(message as JsonValue)).join("\n");
  return { schemaVersion: 1, messages, checksum: crc32(`1\n${text}`) };
}

const talk = () =>
  contextOf(
    { role: "system", content: "Be brief. \ud83d\ude00" },
    user("What is 17 + 38?"),
    { ...asks("c1", "c2"), reasoning: [{ text: "add", provider: "p", data: { sig: "abc" } }] },
    answer("c1", "55"),
    { ...answer("c2", "no"), isError: true },
    said("It is 55."),
  );

describe("a snapshot", () => {
  it("is frozen plain JSON with its version", () => {
    const snapshot = talk().snapshot();
    expect(JSON.parse(JSON.stringify(snapshot))).toStrictEqual(snapshot);
    expect(snapshot.schemaVersion).toBe(1);
    expect(snapshot.checksum).toMatch(/^[0-9a-f]{8}$/);
    expect(Object.isFrozen(snapshot)).toBe(true);
  });

  it("restores to an equal context, as an object, as text and with its keys in any order", () => {
    fc.assert(
      fc.property(history, (messages) => {
        const context = contextOf(...messages);
        const snapshot = context.snapshot();
        const text = JSON.stringify(snapshot);
        for (const stored of [snapshot, text, canonicalJson(JSON.parse(text) as JsonValue)]) {
          const restored = AgentContext.restore(stored);
          expect(restored.messages).toStrictEqual(context.messages);
          expect(restored.snapshot()).toStrictEqual(snapshot);
        }
      }),
    );
  });

  it("restores with its open calls", () => {
    const restored = AgentContext.restore(contextOf(user(), asks("a", "b"), answer("a")).snapshot());
    expect([...restored.openCalls.keys()]).toEqual(["b"]);
  });

  it("restores however long the context and however deep its arguments are", () => {
    const long = contextOf();
    for (let turn = 0; turn < 51_000; turn++) long.add(user()).add(said("x"));
    expect(AgentContext.restore(long.snapshot()).size).toBe(102_000);
    const call = { id: "c", name: "t", arguments: nested(200) };
    const deep = contextOf({ role: "assistant", content: "", toolCalls: [call] });
    expect(AgentContext.restore(JSON.stringify(deep.snapshot())).messages).toStrictEqual(deep.messages);
    const changed = JSON.stringify(deep.snapshot()).replace('"leaf":true', '"leaf":null');
    expect(refusalOf(changed).code).toBe("CONTEXT_SNAPSHOT_INVALID");
  });

  it("is not changed by being restored, nor by what is added later", () => {
    const snapshot = JSON.parse(JSON.stringify(talk().snapshot())) as ContextSnapshot;
    const before = JSON.stringify(snapshot);
    const context = AgentContext.restore(snapshot).add(user("more"));
    expect(JSON.stringify(snapshot)).toBe(before);
    expect(context.size).toBe(snapshot.messages.length + 1);
  });

  it("may have more fields, which are ignored", () => {
    const snapshot = { ...talk().snapshot(), savedBy: "us", schema: 3 };
    expect(AgentContext.restore(snapshot).messages).toStrictEqual(talk().messages);
  });
});

describe("a damaged snapshot", () => {
  it("is refused when it is cut, wherever it is cut", () => {
    const text = JSON.stringify(talk().snapshot());
    for (let length = 0; length < text.length; length++) {
      expect(refusalOf(text.slice(0, length)).code).toBe("CONTEXT_SNAPSHOT_INVALID");
    }
  });

  it("is refused, or gives the same context, when any bit is flipped", () => {
    const context = talk();
    const bytes = new TextEncoder().encode(JSON.stringify(context.snapshot()));
    let refused = 0;
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const damaged = bytes.slice();
      damaged[bit >> 3] = (damaged[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      try {
        expect(AgentContext.restore(new TextDecoder().decode(damaged)).messages).toStrictEqual(context.messages);
      } catch (error) {
        if (!(error instanceof ContextError)) throw error;
        refused++;
      }
    }
    expect(refused).toBeGreaterThan(bytes.length * 8 * 0.95);
  });

  it.each([
    ["a message is missing", (messages: unknown[]) => messages.slice(0, -1)],
    ["two messages have changed places", ([a, b, ...rest]: unknown[]) => [b, a, ...rest]],
    ["a message is there twice", ([a, ...rest]: unknown[]) => [a, a, ...rest]],
    ["a word was changed", ([, ...rest]: unknown[]) => [{ role: "system", content: "Be long." }, ...rest]],
    ["all messages are gone", () => []],
  ])("is refused when %s", (_what, change) => {
    const { messages, ...rest } = talk().snapshot();
    expect(refusalOf({ ...rest, messages: change([...messages]) }).message).toMatch(/damaged.*Restore an older one/);
  });

  it.each([
    ["999", 999, "CONTEXT_SNAPSHOT_VERSION", /version 999, this package reads up to 1\. Update/],
    ["2", 2, "CONTEXT_SNAPSHOT_VERSION", /version 2, this package reads up to 1/],
    ["in words", "1", "CONTEXT_SNAPSHOT_INVALID", /the version "1"; this package reads version 1/],
    ["missing", undefined, "CONTEXT_SNAPSHOT_INVALID", /the version undefined/],
    ["0", 0, "CONTEXT_SNAPSHOT_INVALID", /the version 0/],
    ["1.5", 1.5, "CONTEXT_SNAPSHOT_INVALID", /the version 1.5/],
    ["no number", Number.NaN, "CONTEXT_SNAPSHOT_INVALID", /the version NaN/],
  ])("with the version %s is refused", (_what, schemaVersion, code, words) => {
    const snapshot = Object.freeze({ ...talk().snapshot(), schemaVersion });
    expect(refusalOf(snapshot)).toMatchObject({ code, message: expect.stringMatching(words) });
  });

  it.each([
    ["an orphan", [user(), answer("lost")], /"lost"/],
    ["a message of no known form", [{ role: "robot", content: "x" }], /"robot"/],
    ["a doubled id", [asks("p"), answer("p"), asks("p")], /"p" is used twice/],
  ])("that holds %s is refused as a whole, and names it", (_what, messages, words) => {
    const error = refusalOf(forged(messages));
    expect(error).toMatchObject({ code: "CONTEXT_SNAPSHOT_INVALID", message: expect.stringMatching(words) });
    expect(error.cause).toBeInstanceOf(ContextError);
  });

  it("of any other kind is refused", () => {
    for (const value of [...Object.values(hostileValues()), "", "{}", "[]", "null", 5, [], { schemaVersion: 1 }]) {
      expect(refusalOf(value).code).toBe("CONTEXT_SNAPSHOT_INVALID");
      expect(refusalOf({ schemaVersion: 1, messages: value, checksum: "00000000" }).code).toBe(
        "CONTEXT_SNAPSHOT_INVALID",
      );
      expect(refusalOf({ schemaVersion: 1, messages: [value], checksum: "00000000" }).code).toBe(
        "CONTEXT_SNAPSHOT_INVALID",
      );
    }
  });
});
