import { describe, expect, it } from "vitest";
import type { ApprovalAnswer, ApprovalRequest, Approver, Grant, PendingApproval } from "../../src/contract/approval.ts";
import type { PermissionContext } from "../../src/contract/permission.ts";
import {
  createApprovalRequest,
  toPendingApproval,
  type VerificationFacts,
  verifyApproval,
} from "../../src/permission/approval.ts";
import { askApprover } from "../../src/permission/ask-approver.ts";
import { describeRequest } from "../../src/permission/describe-request.ts";
import { createGate } from "../../src/permission/gate.ts";
import { Command } from "../../src/permission/matcher.ts";
import { systemClock } from "../../src/util/clock.ts";

const SECRET = new Uint8Array(32).fill(7);
const CALL = { id: "call_1", name: "bash", arguments: { command: "npm publish --tag next" } };
const NOW = 1_000_000;

function question(facts: { call?: typeof CALL; validMs?: number; policyHash?: string } = {}): ApprovalRequest {
  const { call = CALL, validMs, policyHash = "hash" } = facts;
  const decision = { decision: "ask" as const, reason: "why", by: "rule:r", policyHash };
  return createApprovalRequest(call, { id: "ask_1", runId: "run_1", decision, now: NOW, validMs });
}

const facts = (changes: Partial<VerificationFacts> = {}): VerificationFacts => ({
  call: CALL,
  runId: "run_1",
  policyHash: "hash",
  now: NOW + 1,
  ...changes,
});

const yes = { id: "ask_1", decision: "allow" as const };

describe("a question", () => {
  it("says everything that is needed to answer it, as JSON", () => {
    const request = question({ validMs: 60_000 });
    expect(request).toMatchObject({
      id: "ask_1",
      runId: "run_1",
      callId: "call_1",
      tool: "bash",
      arguments: CALL.arguments,
      policyHash: "hash",
      reason: "why",
      by: "rule:r",
      createdAt: NOW,
      expiresAt: NOW + 60_000,
    });
    expect(request.argsDigest).toMatch(/^[0-9a-f]{64}$/);
    expect(JSON.parse(JSON.stringify(request))).toEqual(request);
  });

  it("has no end without a time limit", () => {
    for (const validMs of [0, Number.POSITIVE_INFINITY]) expect(question({ validMs })).not.toHaveProperty("expiresAt");
  });

  it("keeps the arguments as they were when it was asked", () => {
    const args = { command: "ls" };
    const request = question({ call: { ...CALL, arguments: args } });
    args.command = "rm -rf /";
    expect(request.arguments).toEqual({ command: "ls" });
    expect(Object.isFrozen(request.arguments)).toBe(true);
  });

  it("survives a journey as JSON, signature included", () => {
    const pending = JSON.parse(JSON.stringify(toPendingApproval(question(), SECRET))) as PendingApproval;
    expect(verifyApproval(pending, yes, facts({ secret: SECRET }))).toMatchObject({ decision: "allow" });
  });
});

describe("an answer", () => {
  it("allows the exact call that was asked about", () => {
    expect(verifyApproval(toPendingApproval(question()), yes, facts())).toEqual({
      decision: "allow",
      reason: undefined,
      remember: undefined,
    });
  });

  it("denies with the reason that was given", () => {
    const no = { id: "ask_1", decision: "deny" as const, reason: "Not on a Friday." };
    expect(verifyApproval(toPendingApproval(question()), no, facts())).toMatchObject({
      decision: "deny",
      reason: "Not on a Friday.",
      error: { kind: "permission", code: "PERMISSION_DENIED", retryable: false },
    });
  });

  const mismatches: readonly (readonly [string, Partial<VerificationFacts>])[] = [
    ["other arguments", { call: { ...CALL, arguments: { command: "npm publish --tag latest" } } }],
    ["more arguments", { call: { ...CALL, arguments: { ...CALL.arguments, cwd: "/" } as never } }],
    ["arguments that are no JSON", { call: { ...CALL, arguments: { command: new Map() } as never } }],
    ["another tool", { call: { ...CALL, name: "sh" } }],
    ["another call", { call: { ...CALL, id: "call_2" } }],
    ["another run", { runId: "run_2" }],
    ["other rules", { policyHash: "other" }],
    ["a second use", { isUsed: (id) => id === "ask_1" }],
    ["a gate with a secret", { secret: SECRET }],
  ];
  it.each(mismatches)("does not count for %s", (_, changes) => {
    expect(verifyApproval(toPendingApproval(question()), yes, facts(changes))).toMatchObject({
      decision: "deny",
      error: { kind: "permission", code: "PERMISSION_MISMATCH" },
    });
  });

  it("does not count for another question", () => {
    const answered = verifyApproval(toPendingApproval(question()), { ...yes, id: "ask_2" }, facts());
    expect(answered).toMatchObject({ decision: "deny", error: { code: "PERMISSION_MISMATCH" } });
  });

  it("comes too late from the moment on that the question said", () => {
    const pending = toPendingApproval(question({ validMs: 100 }));
    expect(verifyApproval(pending, yes, facts({ now: NOW + 99 }))).toMatchObject({ decision: "allow" });
    for (const now of [NOW + 100, NOW + 101, Number.NaN]) {
      expect(verifyApproval(pending, yes, facts({ now }))).toMatchObject({
        decision: "deny",
        error: { code: "PERMISSION_TIMEOUT" },
      });
    }
  });

  it("allows by nothing but an exact allow", () => {
    const odd: unknown[] = [
      {},
      { decision: "ALLOW" },
      { decision: "yes" },
      { decision: true },
      { decision: ["allow"] },
      { decision: "ask" },
    ];
    for (const said of odd) {
      const answered = verifyApproval(
        toPendingApproval(question()),
        { ...yes, decision: undefined, ...(said as object) } as never,
        facts(),
      );
      expect(answered).toMatchObject({ decision: "deny", error: { code: "PERMISSION_APPROVER_FAILED" } });
    }
  });

  it("does not count when anything in a signed question was changed", () => {
    const pending = toPendingApproval(question({ validMs: 50 }), SECRET);
    const forged: PendingApproval[] = [
      { ...pending, expiresAt: NOW + 10_000_000 },
      { ...pending, reason: "harmless" },
      { ...pending, display: { ...pending.display, title: "ls" } },
      { ...pending, signature: pending.signature?.replace(/^./, (digit) => (digit === "0" ? "1" : "0")) },
      { ...pending, signature: "" },
      { ...pending, signature: undefined },
      { ...pending, signature: 5 as never },
      toPendingApproval(question({ validMs: 50 }), new Uint8Array(32).fill(8)),
    ];
    expect(verifyApproval(pending, yes, facts({ secret: SECRET }))).toMatchObject({ decision: "allow" });
    for (const one of forged) {
      expect(verifyApproval(one, yes, facts({ secret: SECRET }))).toMatchObject({
        decision: "deny",
        error: { code: "PERMISSION_MISMATCH" },
      });
    }
  });

  it("does not count when the arguments shown are not those of the digest", () => {
    const pending = { ...toPendingApproval(question()), arguments: { command: "ls" } };
    expect(verifyApproval(pending, yes, facts())).toMatchObject({
      decision: "deny",
      error: { code: "PERMISSION_MISMATCH" },
    });
  });
});

describe("an approver", () => {
  const put = (approver: unknown, options: { timeoutMs?: number; signal?: AbortSignal } = {}) =>
    askApprover(approver as Approver, question(), { signal: new AbortController().signal, timeoutMs: 0, ...options });

  it("is given the question and a signal, and is believed", async () => {
    const seen: unknown[] = [];
    const answered = await put((request: ApprovalRequest, signal: AbortSignal): ApprovalAnswer => {
      seen.push(request.id, signal.aborted);
      return { decision: "allow", reason: "fine", remember: { type: "exact" } };
    });
    expect(seen).toEqual(["ask_1", false]);
    expect(answered).toEqual({ decision: "allow", reason: "fine", remember: { type: "exact" } });
  });

  it.each([
    [
      "throws",
      () => {
        throw new Error("no network");
      },
    ],
    ["rejects", () => Promise.reject(new Error("no network"))],
    [
      "throws nothing",
      () => {
        throw undefined;
      },
    ],
    ["answers undefined", () => undefined],
    ["answers true", () => true],
    ["answers allow as a text", () => "allow"],
    ["answers an empty object", () => ({})],
    ["answers what is only inherited", () => Object.create({ decision: "allow" }) as object],
    [
      "answers with a getter that throws",
      () => ({
        get decision() {
          throw new Error("oh");
        },
      }),
    ],
    ["is no function", undefined],
  ])("that %s denies", async (_, approver) => {
    expect(await put(approver)).toMatchObject({
      decision: "deny",
      error: { kind: "permission", code: "PERMISSION_APPROVER_FAILED" },
    });
  });

  it("that never answers denies when its time is over (HK-095)", async () => {
    const startedAt = performance.now();
    const answered = await put(() => new Promise(() => undefined), { timeoutMs: 30 });
    expect(answered).toMatchObject({ decision: "deny", error: { code: "PERMISSION_TIMEOUT" } });
    expect(answered.reason).toMatch(/No decision/);
    expect(performance.now() - startedAt).toBeLessThan(5_000);
  });

  it("that never answers is left when the run is aborted, and told so", async () => {
    const controller = new AbortController();
    let given: AbortSignal | undefined;
    const waiting = put(
      (_: unknown, signal: AbortSignal) => {
        given = signal;
        return new Promise(() => undefined);
      },
      { signal: controller.signal },
    );
    controller.abort(new Error("stop"));
    expect(await waiting).toMatchObject({ decision: "deny", error: { code: "PERMISSION_NO_APPROVER" } });
    expect(given?.aborted).toBe(true);
  });

  it("is not asked any more after an abort", async () => {
    let asked = 0;
    const answered = await put(
      () => {
        asked++;
        return { decision: "allow" };
      },
      { signal: AbortSignal.abort() },
    );
    expect(answered.decision).toBe("deny");
    expect(asked).toBe(0);
  });

  it("that answers in time is believed, and its signal fires when nobody waits any more", async () => {
    let given: AbortSignal | undefined;
    const answered = await put(
      async (_: unknown, signal: AbortSignal) => {
        given = signal;
        return { decision: "allow" };
      },
      { timeoutMs: 10_000 },
    );
    expect(answered.decision).toBe("allow");
    expect(given?.aborted).toBe(true);
  });
});

describe("a grant", () => {
  const context = (runId: string): PermissionContext => ({
    runId,
    toolAccess: "exec",
    signal: new AbortController().signal,
  });
  const bash = (command: string) => ({ id: "call_9", name: "bash", arguments: { command } });

  async function gateWith(grant: Grant, command = "npm publish") {
    const gate = createGate({ rules: [{ tool: "bash", when: Command(["rm"]), decision: "deny" }] });
    const call = bash(command);
    const decision = await gate.check(call, context("run_1"));
    const request = createApprovalRequest(call, { id: "a", runId: "run_1", decision, now: NOW });
    const isKept = keeps(() => gate.remember(request, grant));
    return {
      gate,
      isKept,
      decide: async (text: string, runId = "run_1") => (await gate.check(bash(text), context(runId))).decision,
    };
  }

  it("holds for the same arguments in the same run, and for nothing else", async () => {
    const { decide } = await gateWith({ type: "exact" });
    expect(await decide("npm publish")).toBe("allow");
    expect(await decide("npm publish ")).toBe("ask");
    expect(await decide("npm publish --force")).toBe("ask");
    expect(await decide("npm publish", "run_2")).toBe("ask");
  });

  it("holds for other runs of the gate when it says so", async () => {
    const { decide } = await gateWith({ type: "exact", scope: "gate" });
    expect(await decide("npm publish", "run_2")).toBe("allow");
  });

  it("of a prefix holds for harmless arguments behind at least two words", async () => {
    const { decide } = await gateWith({ type: "prefix", words: ["npm", "publish"] });
    expect(await decide("npm publish --tag next")).toBe("allow");
    expect(await decide("npm unpublish")).toBe("ask");
    expect(await decide("npm publish $(id)")).toBe("ask");
    expect(await decide("npm publish > out")).toBe("ask");
    expect(await decide("npm publish && npm exec x")).toBe("ask");
    expect(await decide("A=1 npm publish")).toBe("ask");
    expect(await decide("npm publish x", "run_2")).toBe("ask");
  });

  it("never overrides a denial", async () => {
    const { decide } = await gateWith({ type: "prefix", words: ["npm", "publish"] });
    expect(await decide("npm publish; rm x")).toBe("deny");
  });

  it.each<Grant>([
    { type: "prefix", words: ["npm"] },
    { type: "prefix", words: [] },
    { type: "prefix", words: ["bash", "-c"] },
    { type: "prefix", words: ["python3", "x.py"] },
    { type: "prefix", words: ["env", "npm"] },
    { type: "prefix", words: ["npm", "*"] },
    { type: "prefix", words: ["npm", "a b"] },
    { type: "prefix", words: "npm publish" as never },
    { type: "all" as never },
    { type: "exact", scope: "ever" as never },
    null as never,
  ])("that allows too much is not kept: %j", async (grant) => {
    const { isKept, decide } = await gateWith(grant);
    expect(isKept).toBe(false);
    expect(await decide("npm publish")).toBe("ask");
  });
});

function keeps(remember: () => void): boolean {
  try {
    remember();
    return true;
  } catch {
    return false;
  }
}

describe("a gate with approvals", () => {
  const context: PermissionContext = { runId: "run_1", toolAccess: "exec", signal: new AbortController().signal };
  const make = (onAsk: "deny" | "pause" | Approver, secret?: Uint8Array) =>
    createGate({ rules: [], onAsk, approverTimeoutMs: 1_000, secret });
  const isUsed = () => false;

  async function pend(gate = make("pause", SECRET)) {
    const decision = await gate.check(CALL, context);
    return gate.question(CALL, { id: "ask_1", runId: "run_1", decision, now: NOW });
  }

  it("makes questions that end, and are signed", async () => {
    const pending = await pend();
    expect(pending).toMatchObject({ expiresAt: NOW + 1_000, by: "default", policyHash: make("pause").policyHash });
    expect(pending.signature).toMatch(/^[0-9a-f]{64}$/);
    expect((await pend(make("pause"))).signature).toBeUndefined();
  });

  it("takes the answer in another process, when it has the same rules and the same secret", async () => {
    const pending = JSON.parse(JSON.stringify(await pend())) as PendingApproval;
    const now = { call: CALL, runId: "run_1", now: NOW + 999, isUsed };
    expect(make("pause", SECRET).verify(pending, yes, now)).toMatchObject({ decision: "allow" });
    expect(make("pause", SECRET).verify(pending, yes, { ...now, now: NOW + 1_000 })).toMatchObject({
      decision: "deny",
    });
    expect(make("pause", SECRET).verify(pending, yes, { ...now, isUsed: () => true })).toMatchObject({
      decision: "deny",
    });
    expect(make("pause", new Uint8Array(16)).verify(pending, yes, now)).toMatchObject({ decision: "deny" });
    const stricter = createGate({ rules: [{ tool: "x", decision: "deny" }], secret: SECRET });
    expect(stricter.verify(pending, yes, now)).toMatchObject({
      decision: "deny",
      error: { code: "PERMISSION_MISMATCH" },
    });
  });

  it("asks its approver, and denies when there is none", async () => {
    const { signal } = new AbortController();
    const asking = make(({ argsDigest }) => ({ decision: "allow", reason: argsDigest }));
    const question = await pend(asking);
    expect(await asking.ask(question, signal, systemClock)).toMatchObject({
      decision: "allow",
      reason: question.argsDigest,
    });
    for (const onAsk of ["deny", "pause"] as const) {
      const outcome = await make(onAsk).ask(question, signal, systemClock);
      expect(outcome).toMatchObject({ decision: "deny", error: { code: "PERMISSION_NO_APPROVER" } });
    }
  });
});

describe("what is shown of a call", () => {
  it("is its command in one line and every argument whole", () => {
    const shown = describeRequest({ name: "bash", arguments: { command: "ls\nrm x", timeoutMs: 5, list: ["a", 1] } });
    expect(shown.title).toBe("bash: ls⏎ rm x");
    expect(shown.fields).toEqual([
      { name: "command", text: "ls⏎\nrm x", flags: [] },
      { name: "timeoutMs", text: "5", flags: [] },
      { name: "list", text: '["a",1]', flags: [] },
    ]);
  });

  it("is escaped everywhere, names included", () => {
    const shown = describeRequest({ name: "ba\u202esh", arguments: { "a\u200b": { deep: "\u001b[2K" }, path: "x\r" } });
    expect(JSON.stringify(shown)).not.toMatch(/[\u200b\u202e\r\u001b]/);
    expect(shown.tool).toBe("ba\\u202esh");
    expect(shown.title).toBe("ba\\u202esh: x\\r");
    expect(shown.flags).toEqual(["bidi", "control", "invisible"]);
    expect(shown.fields[0]).toMatchObject({ name: "a\\u200b", flags: ["invisible"] });
  });

  it("does not depend on what the arguments are", () => {
    for (const args of [undefined, null, 5, "text", [1, 2], []]) {
      expect(describeRequest({ name: "x", arguments: args }).fields).toHaveLength(1);
    }
    expect(describeRequest({ name: "x", arguments: {} })).toEqual({ title: "x", tool: "x", fields: [], flags: [] });
  });

  it("says in the title that it goes on", () => {
    const { title, fields } = describeRequest({ name: "bash", arguments: { command: "a".repeat(500) } });
    expect(title).toHaveLength("bash: ".length + 200);
    expect(title.endsWith("…")).toBe(true);
    expect(fields[0]?.text).toHaveLength(500);
  });

  it("keeps the start and the end of long arguments, or everything where that is asked for", () => {
    const call = { name: "bash", arguments: { command: `<${"a".repeat(9_000)}>` } };
    const [short] = describeRequest(call).fields;
    expect(short?.text).toMatch(/^<a+\n\[\.\.\. 1002 of 9002 characters not shown \.\.\.\]\na+>$/);
    expect(describeRequest(call).flags).toEqual(["truncated"]);
    const whole = describeRequest(call, Number.POSITIVE_INFINITY);
    expect([whole.fields[0]?.text, whole.flags]).toEqual([call.arguments.command, []]);
  });
});
