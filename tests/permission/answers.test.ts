import { describe, expect, it } from "vitest";
import type { ApprovalRequest, PendingApproval } from "../../src/contract/approval.ts";
import { createApprovalRequest, verifyApproval } from "../../src/permission/approval.ts";
import { askApprover } from "../../src/permission/ask-approver.ts";
import { readAnswer } from "../../src/permission/read-answer.ts";
import type { Clock } from "../../src/util/clock.ts";

const CALL = { id: "call_1", name: "mail", arguments: { to: "a" } };
const question = (): PendingApproval =>
  createApprovalRequest(CALL, { id: "ask_1", runId: "run_1", decision: { decision: "ask" }, now: 10, validMs: 5 });

describe("a question of a gate that says little", () => {
  it("says what can be said", () => {
    expect(question()).toMatchObject({
      policyHash: "",
      reason: 'This call of "mail" needs an approval.',
      by: "default",
    });
  });
});

describe("an answer that does not fit", () => {
  const facts = { call: CALL, runId: "run_1", now: 11 };
  const yes = { id: "ask_1", decision: "allow" as const };
  it.each([
    ["The answer belongs to another question.", { ...yes, id: "x" }, {}],
    ["The question was not asked by this gate, or has been changed.", yes, { secret: new Uint8Array(16) }],
    ["The approval belongs to another call.", yes, { runId: "run_2" }],
    ["The approval belongs to other arguments.", yes, { call: { ...CALL, arguments: { to: "b" } } }],
    ["The rules have changed since it was asked.", yes, { policyHash: "other" }],
    ["The approval has been used before.", yes, { isUsed: () => true }],
    ['The approval of "mail" came too late.', yes, { now: 15 }],
    ['The call of "mail" was not approved.', { id: "ask_1", decision: "deny" as const }, {}],
  ])("is told why: %s", (reason, decision, changes) => {
    const answered = verifyApproval(question(), decision, { ...facts, ...changes });
    expect(answered).toMatchObject({ decision: "deny", reason, error: { message: reason, kind: "permission" } });
  });

  it("does not count for arguments that have no digest on either side", () => {
    const pending = { ...question(), arguments: { f: () => 1 }, argsDigest: undefined as never };
    const call = { ...CALL, arguments: { f: () => 1 } };
    // Two things that cannot be written down are not the same thing.
    expect(verifyApproval(pending, yes, { ...facts, call }).decision).toBe("deny");
  });

  it("needs no policy hash where there are no rules", () => {
    expect(verifyApproval(question(), yes, facts).decision).toBe("allow");
    expect(verifyApproval(question(), yes, { ...facts, policyHash: "" }).decision).toBe("allow");
  });
});

describe("what an approver said", () => {
  it("is kept in its bounds and cleaned", () => {
    expect(readAnswer(CALL_TOOL, { decision: "deny", reason: `a\u0000${"b".repeat(20_000)}` }).reason).toMatch(
      /^a\u2400b+/,
    );
    expect(readAnswer(CALL_TOOL, { decision: "deny", reason: "b".repeat(20_000) }).reason).toHaveLength(10_000);
    expect(readAnswer(CALL_TOOL, { decision: "allow", reason: "" })).toEqual({
      decision: "allow",
      reason: undefined,
      remember: undefined,
    });
    expect(readAnswer(CALL_TOOL, { decision: "allow", reason: 5 })).toMatchObject({ reason: undefined });
    expect(readAnswer(CALL_TOOL, { decision: "deny", reason: "" }).reason).toBe('The call of "mail" was not approved.');
  });

  it("is quoted when it is no decision", () => {
    expect(readAnswer(CALL_TOOL, "yes").reason).toMatch(/approver of "mail" answered .*yes.*no decision/);
    for (const said of [null, undefined, 5, "allow", [], Object.create({ decision: "allow" })]) {
      expect(readAnswer(CALL_TOOL, said).decision).toBe("deny");
    }
  });

  it("remembers nothing that is only inherited", () => {
    const said = Object.assign(Object.create({ remember: { type: "exact" } }) as object, { decision: "allow" });
    expect(readAnswer(CALL_TOOL, said)).toEqual({ decision: "allow", reason: undefined, remember: undefined });
  });
});

const CALL_TOOL = { tool: "mail" };

describe("waiting for an approver", () => {
  function recordingClock(): Clock & { readonly set: number[]; cancelled: number; fire(): void } {
    let due: () => void = () => undefined;
    const clock = {
      set: [] as number[],
      cancelled: 0,
      fire: () => due(),
      now: () => 0,
      setTimer(ms: number, callback: () => void) {
        clock.set.push(ms);
        due = callback;
        return () => {
          clock.cancelled++;
        };
      },
    };
    return clock;
  }

  const never = () => new Promise<never>(() => undefined);

  it("sets one timer when there is a limit, and takes it away again", async () => {
    const clock = recordingClock();
    const { signal } = new AbortController();
    const waiting = askApprover(never, question(), { signal, timeoutMs: 70, clock });
    clock.fire();
    expect(await waiting).toMatchObject({
      decision: "deny",
      reason: 'No decision about the call of "mail" came within 70 ms, so it was denied.',
    });
    expect(clock.set).toEqual([70]);
    expect(clock.cancelled).toBe(1);
  });

  it("sets none without a limit", async () => {
    for (const timeoutMs of [0, -1, Number.POSITIVE_INFINITY]) {
      const clock = recordingClock();
      const { signal } = new AbortController();
      await askApprover(() => ({ decision: "allow" }), question(), { signal, timeoutMs, clock });
      expect(clock.set).toEqual([]);
    }
  });

  it("leaves no listener behind", async () => {
    const added: string[] = [];
    const removed: string[] = [];
    const { signal } = new AbortController();
    const watched = Object.assign(signal, {
      addEventListener: (type: string) => void added.push(type),
      removeEventListener: (type: string) => void removed.push(type),
    });
    await askApprover(() => ({ decision: "allow" }), question(), { signal: watched, timeoutMs: 0 });
    expect([added, removed]).toEqual([["abort"], ["abort"]]);
  });

  it("says what went wrong", async () => {
    const { signal } = new AbortController();
    const broken = () => {
      throw new Error("no network");
    };
    expect(await askApprover(broken, question(), { signal, timeoutMs: 0 })).toMatchObject({
      reason: 'The approver of "mail" failed, so the call was denied.',
      error: { cause: new Error("no network") },
    });
    const reason = new Error("stop");
    expect(
      await askApprover(never, question() satisfies ApprovalRequest, {
        signal: AbortSignal.abort(reason),
        timeoutMs: 0,
      }),
    ).toMatchObject({
      reason: 'The run stopped before there was a decision about the call of "mail".',
      error: { cause: reason },
    });
  });
});
