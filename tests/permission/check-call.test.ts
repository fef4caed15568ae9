import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { PermissionContext, PermissionDecision } from "../../src/contract/permission.ts";
import { PermissionError } from "../../src/errors/index.ts";
import { askPermission, denyForFailure, readDecision } from "../../src/permission/check-call.ts";
import { hostileValues, throwingGetter } from "../util/hostile.ts";

const call = { id: "c1", name: "bash", arguments: {} };
const context: PermissionContext = { runId: "r", toolAccess: "exec", signal: new AbortController().signal };

describe("askPermission", () => {
  it("asks a function, or the check of a gate as its own method", () => {
    const said: PermissionDecision = { decision: "allow" };
    expect(
      askPermission(
        (...asked) => (asked[0] === call && asked[1] === context ? said : { decision: "deny" }),
        call,
        context,
      ),
    ).toBe(said);
    const gate = { said, check: () => gate.said };
    expect(askPermission(gate, call, context)).toBe(said);
    const methodical = {
      said,
      check(this: { said: PermissionDecision }) {
        return this.said;
      },
    };
    expect(askPermission(methodical, call, context)).toBe(said);
  });
});

describe("readDecision", () => {
  it("takes a plain allow for one, with who decided and why", () => {
    expect(readDecision(call, { decision: "allow" })).toEqual({ decision: "allow", by: "gate", reason: undefined });
    expect(readDecision(call, { decision: "allow", by: "rule:1", reason: "ok" })).toEqual({
      decision: "allow",
      by: "rule:1",
      reason: "ok",
    });
    expect(readDecision(call, { decision: "allow", by: "", reason: "" })).toEqual({
      decision: "allow",
      by: "gate",
      reason: undefined,
    });
  });

  it("tells a denial as it was told, or in words of its own", () => {
    const told = readDecision(call, { decision: "deny", reason: "not on Sundays", by: "rule:sunday" });
    expect(told).toMatchObject({ decision: "deny", by: "rule:sunday", reason: "not on Sundays" });
    expect(told).toMatchObject({
      error: { kind: "permission", code: "PERMISSION_DENIED", retryable: false, message: "not on Sundays" },
    });
    expect(readDecision(call, { decision: "deny" })).toMatchObject({
      reason: 'The call of "bash" was denied.',
      by: "gate",
    });
  });

  it("takes a question that nobody answers for a denial", () => {
    expect(readDecision(call, { decision: "ask" })).toMatchObject({
      decision: "deny",
      reason: 'The call of "bash" needs an approval, and nobody can be asked here.',
      error: { code: "PERMISSION_NO_APPROVER" },
    });
    expect(readDecision(call, { decision: "ask", reason: "Sure?" })).toMatchObject({
      reason: "Sure?",
      error: { code: "PERMISSION_NO_APPROVER" },
    });
  });

  it.each([
    ["true", true],
    ["the word", "allow"],
    ["a word in capitals", { decision: "ALLOW" }],
    ["a word with a blank", { decision: "allow " }],
    ["a boxed word", { decision: Object("allow") }],
    ["a list of the word", { decision: ["allow"] }],
    ["another field", { allowed: true, behavior: "allow" }],
    ["an inherited allow", Object.create({ decision: "allow" })],
    ["a promise of an allow", Promise.resolve({ decision: "allow" })],
    ["a function", () => ({ decision: "allow" })],
    ["a function with an allow of its own", Object.assign(() => undefined, { decision: "allow" })],
    ["a getter that throws", throwingGetter("decision")],
    ["an allow whose reason throws", Object.assign(throwingGetter("reason"), { decision: "allow" })],
    ...Object.entries(hostileValues()),
  ])("denies for %s", (_name, said) => {
    expect(readDecision(call, said)).toMatchObject({
      decision: "deny",
      by: "gate",
      error: { kind: "permission", code: "PERMISSION_POLICY_ERROR" },
      reason: expect.stringMatching(
        /^The permission check of "bash" answered .* { decision: "allow" \| "ask" \| "deny" }\.$/,
      ),
    });
  });

  it("denies everything that is not exactly an allow", () => {
    fc.assert(
      fc.property(fc.anything(), fc.anything(), fc.anything(), (decision, by, reason) => {
        fc.pre(decision !== "allow");
        for (const said of [decision, { decision, by, reason }]) {
          const checked = readDecision(call, said);
          expect(checked.decision).toBe("deny");
          expect(checked.by).not.toBe("");
        }
      }),
    );
  });

  it("is not talked into an allow by a polluted prototype", () => {
    Object.defineProperty(Object.prototype, "decision", { value: "allow", configurable: true });
    try {
      for (const said of [{}, undefined, "yes", { by: "x" }]) expect(readDecision(call, said).decision).toBe("deny");
    } finally {
      Reflect.deleteProperty(Object.prototype, "decision");
    }
  });

  it("takes the code of a gate where it is one of a denial", () => {
    const codeOf = (code: unknown) => {
      const checked = readDecision(call, { decision: "deny", code });
      return checked.decision === "deny" && checked.error.code;
    };
    const longest = `PERMISSION_${"A".repeat(40)}`;
    for (const code of ["PERMISSION_TIMEOUT", "PERMISSION_A_B", longest]) expect(codeOf(code)).toBe(code);
    const others = ["PERMISSION_", "PERMISSION_a", "PERMISSION_A1", "XPERMISSION_A", "RUN_ABORTED", `${longest}A`];
    for (const code of [...others, ["PERMISSION_TIMEOUT"], 5, undefined])
      expect(codeOf(code)).toBe("PERMISSION_DENIED");
  });

  it("keeps who and why fit for the record", () => {
    const said = { decision: "deny", by: `b\ud800${"y".repeat(1_000)}`, reason: `r\u0000${"z".repeat(100_000)}` };
    const checked = readDecision(call, said);
    expect(checked.by).toMatch(/^b\ufffdy+…$/);
    expect(checked.by.length).toBe(200);
    expect(checked.reason).toMatch(/^r\u2400z+\n\[\.\.\. .* of 100,002 characters omitted/);
    expect(checked.reason?.length).toBeLessThanOrEqual(10_000);
  });
});

describe("denyForFailure", () => {
  it.each(Object.entries(hostileValues()))(
    "denies when the check failed with %s, which stays the cause",
    (_name, cause) => {
      const checked = denyForFailure(call, cause);
      expect(checked).toMatchObject({
        decision: "deny",
        by: "gate",
        reason: 'The permission check of "bash" failed, so the call was denied.',
        error: { code: "PERMISSION_POLICY_ERROR", retryable: false },
      });
      const { error } = checked as Extract<typeof checked, { decision: "deny" }>;
      expect(error).toBeInstanceOf(PermissionError);
      expect(Object.is(error.cause, cause)).toBe(true);
    },
  );
});
