import { readFileSync } from "node:fs";
import vm from "node:vm";
import * as hk from "harness-kit/errors";
import { describe, expect, it } from "vitest";

interface Case {
  id: string;
  description: string;
  expr: string;
  layer: hk.ErrorKind;
  options?: { signal?: string; delivered?: number; idempotent?: boolean; phase?: "arguments" };
  expected: {
    kind: hk.ErrorKind;
    code: string;
    retryable: boolean;
    status?: number;
    attempts?: number;
    retryAfterMs?: number | null;
    message?: string;
    messageNotEmpty?: boolean;
    messageMustNotContain?: string;
    sameIdentity?: boolean;
    instanceofFirstCopy?: boolean;
  };
}

const file = new URL("../cases/errors.json", import.meta.url);
const { cases } = JSON.parse(readFileSync(file, "utf8")) as { cases: Case[] };

/** What the words after "aborted:" in the file stand for. */
const abortReasons: Record<string, () => unknown> = {
  '"because"': () => "because",
  error: () => new Error("user clicked stop"),
  MODEL_TIMEOUT: () => new hk.ModelError("The model did not answer in time.", { code: "MODEL_TIMEOUT" }),
};

function abortedSignal(description: string): AbortSignal {
  const reason = abortReasons[description.replace("aborted:", "")];
  if (reason === undefined) throw new Error(`No abort reason is known for ${description}.`);
  return AbortSignal.abort(reason());
}

function build(expr: string): unknown {
  return new Function("hk", "hk2", "vm", `return (${expr})`)(hk, hk, vm);
}

describe("the shared cases", () => {
  it.each(cases.map((entry) => [`${entry.id} ${entry.description}`, entry] as const))("%s", (_, entry) => {
    const { expected, options = {} } = entry;
    const value = build(entry.expr);
    const { signal, ...rest } = options;
    const error = hk.toHarnessError(value, entry.layer, {
      ...rest,
      signal: signal === undefined ? undefined : abortedSignal(signal),
    });
    const { kind, code, retryable, message } = error;
    expect({ kind, code, retryable }).toEqual({
      kind: expected.kind,
      code: expected.code,
      retryable: expected.retryable,
    });
    expect(message).not.toBe("");
    if (expected.status !== undefined) expect(error.status).toBe(expected.status);
    if (expected.attempts !== undefined) expect(error.attempts).toBe(expected.attempts);
    if (expected.retryAfterMs !== undefined) expect(error.retryAfterMs ?? null).toBe(expected.retryAfterMs);
    if (expected.message !== undefined) expect(message).toBe(expected.message);
    if (expected.messageMustNotContain !== undefined) expect(message).not.toContain(expected.messageMustNotContain);
    expect(error === value).toBe(expected.sameIdentity === true);
    expect(error).toBeInstanceOf(hk.HarnessError);
  });
});
