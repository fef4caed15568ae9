import { afterEach, describe, expect, it, vi } from "vitest";
import type { Approver } from "../../src/contract/approval.ts";
import type { Decision, GateDecision, PermissionContext } from "../../src/contract/permission.ts";
import { createGate, type GateOptions } from "../../src/permission/gate.ts";
import type { Rule } from "../../src/permission/rule.ts";
import { resolveRules } from "../../src/permission/rules.ts";
import { withinTime } from "../../src/permission/within-time.ts";

const context: PermissionContext = { runId: "r", toolAccess: undefined, signal: new AbortController().signal };
const mail = { id: "c", name: "mail", arguments: { to: "ada" } };

function check(options: GateOptions, args: unknown = mail.arguments): Promise<GateDecision> {
  return createGate(options).check({ ...mail, arguments: args }, context);
}

const broken = (id: string): Rule => ({
  id,
  tool: "*",
  decision: "allow",
  when: () => {
    throw new Error(`${id} broke`);
  },
});
const denies = (id: string): Rule => ({ id, tool: "*", decision: "deny", reason: `no by ${id}` });

describe("the reason of a decision", () => {
  it.each<[Decision, string]>([
    ["allow", 'A rule allows this call of "mail".'],
    ["ask", 'This call of "mail" needs an approval.'],
    ["deny", 'A rule denies this call of "mail".'],
  ])("is told where a rule decides %s without one of its own", async (decision, reason) => {
    expect(await check({ rules: [{ id: "one", tool: "mail", decision }] })).toMatchObject({ decision, reason });
  });

  it.each<[Decision, string]>([
    ["allow", 'No rule is against this call of "mail".'],
    ["ask", 'No rule allows this call of "mail", so it needs an approval.'],
    ["deny", 'No rule allows this call of "mail".'],
  ])("is told where the default %s decides", async (decision, reason) => {
    expect(await check({ rules: [], default: decision })).toMatchObject({ decision, reason, by: "default" });
  });

  it("names what failed in a rule, and in the arguments", async () => {
    expect(await check({ rules: [broken("one")] })).toMatchObject({
      by: "rule:one",
      reason: "The permission check failed: one broke",
      code: "PERMISSION_POLICY_ERROR",
    });
    expect(await check({ rules: [] }, { at: 1n })).toMatchObject({
      by: "gate",
      reason: "The permission check failed: arguments.at is a bigint, which is no JSON.",
    });
    const throwsText: Rule = { ...broken("one"), when: () => Promise.reject("plain text") };
    expect((await check({ rules: [throwsText] })).reason).toBe('The permission check failed: "plain text"');
    const odd: Rule = { ...broken("one"), when: (async () => "yes") as never };
    expect((await check({ rules: [odd] })).reason).toBe(
      'The permission check failed: The rule "one" answered "yes", not true or false.',
    );
    const oddTest: Rule = { ...broken("one"), when: { to: (() => 1) as never } };
    expect((await check({ rules: [oddTest] })).reason).toBe(
      'The permission check failed: The test of "to" answered 1.',
    );
  });

  it("is that of a failure before that of a denial, then that of the first name", async () => {
    for (const rules of [
      [denies("c"), denies("a"), denies("b")],
      [denies("a"), denies("b"), denies("c")],
    ]) {
      expect(await check({ rules })).toMatchObject({ by: "rule:a", reason: "no by a" });
    }
    for (const rules of [
      [denies("a"), broken("z"), broken("y"), denies("b")],
      [broken("y"), denies("a"), broken("z")],
    ]) {
      expect(await check({ rules })).toMatchObject({ by: "rule:y", code: "PERMISSION_POLICY_ERROR" });
    }
  });
});

describe("what is remembered", () => {
  it("turns a question into a yes, and never a denial", async () => {
    let decision: Decision = "ask";
    const rules: Rule[] = (["ask", "deny"] as const).map((one) => ({
      id: one,
      tool: "*",
      decision: one,
      when: () => decision === one,
    }));
    const gate = createGate({ rules });
    const asked = await gate.check(mail, context);
    gate.remember(gate.question(mail, { id: "q", runId: "r", decision: asked, now: 0 }), { type: "exact" });
    expect(await gate.check(mail, context)).toEqual({
      ...asked,
      decision: "allow",
      by: "grant",
      reason: "Approved before.",
    });
    decision = "deny";
    expect(await gate.check(mail, context)).toMatchObject({ decision: "deny", by: "rule:deny" });
  });
});

describe("an approver's answer", () => {
  const ask = (onAsk: GateOptions["onAsk"]) => {
    const gate = createGate({ rules: [], onAsk });
    const question = gate.question(mail, { id: "q", runId: "r", decision: { decision: "ask", reason: "why" }, now: 0 });
    return gate.ask(question, context.signal, { now: () => 0, setTimer: () => () => undefined });
  };

  it("is asked for where there is one, and is a no where there is none", async () => {
    const approver: Approver = () => ({ decision: "allow", reason: "fine" });
    expect(await ask(approver)).toMatchObject({ decision: "allow", reason: "fine" });
    for (const nobody of ["deny", "pause"] as const) {
      expect(await ask(nobody)).toMatchObject({
        decision: "deny",
        reason: "why",
        error: { code: "PERMISSION_NO_APPROVER" },
      });
    }
  });
});

describe("arguments in text", () => {
  it("are none where there are only blanks", async () => {
    const rules: Rule[] = [
      { tool: "mail", decision: "allow", when: (args) => Object.keys(args as object).length === 0 },
    ];
    for (const args of ["", " \n"]) expect((await check({ rules }, args)).decision).toBe("allow");
  });
});

describe("the options of a gate", () => {
  it("may be spelt out as they are by default, zero for no limit", async () => {
    const spelt: GateOptions = {
      rules: [],
      default: "ask",
      onAsk: "deny",
      approverTimeoutMs: 0,
      ruleTimeoutMs: 0,
      secret: undefined,
    };
    expect(await check(spelt)).toEqual(await check({ rules: [] }));
    expect(createGate({ rules: [], approverTimeoutMs: Number.POSITIVE_INFINITY }).approverTimeoutMs).toBe(
      Number.POSITIVE_INFINITY,
    );
    expect(createGate({ rules: [], secret: new Uint8Array(16) }).secret).toHaveLength(16);
  });

  it.each<[unknown, string]>([
    [undefined, "createGate takes options. Write createGate({ rules: [] })."],
    [null, "createGate takes options. Write createGate({ rules: [] })."],
    [{ rules: [], default: "maybe" }, 'The default of a gate is "allow", "ask" or "deny", got "maybe".'],
    [{ rules: [], onAsk: "later" }, 'onAsk is "deny", "pause" or a function, got "later".'],
    [{ rules: [], approverTimeoutMs: -1 }, "approverTimeoutMs is a number of milliseconds from 0 up, got -1."],
    [{ rules: [], ruleTimeoutMs: "5" }, 'ruleTimeoutMs is a number of milliseconds from 0 up, got "5".'],
    [{ rules: [], secret: new Uint8Array(15) }, "The secret of a gate is a Uint8Array of at least 16 bytes."],
    [{ rules: 5 }, "The rules of a gate are a list, got 5."],
    [{ rules: ["x"] }, 'Rule 1 is no object: "x".'],
    [{ rules: [{ tool: "a", decision: "allow" }, null] }, "Rule 2 is no object: null."],
    [{ rules: [{ decision: "allow" }] }, 'The rule "allow undefined" needs a tool: a name, or "*".'],
    [{ rules: [{ tool: "", decision: "allow", id: "i" }] }, 'The rule "i" needs a tool: a name, or "*".'],
    [
      { rules: [{ tool: "a", decision: "yes", id: "i" }] },
      'The rule "i" decides "yes"; write "allow", "ask" or "deny".',
    ],
    [
      { rules: [{ tool: "a", decision: "allow", id: "i", when: null }] },
      'The rule "i" has a condition that is none: null.',
    ],
    [{ rules: [{ tool: "a", decision: "allow", id: "i", when: 5 }] }, 'The rule "i" has a condition that is none: 5.'],
    [
      {
        rules: [
          { tool: "a", decision: "allow", id: "i" },
          { tool: "b", decision: "deny", id: "i" },
        ],
      },
      'Two rules have the id "i".',
    ],
  ])("are refused with what to write instead: %j", (options, message) => {
    expect(() => createGate(options as GateOptions)).toThrow(
      expect.objectContaining({ name: "TypeError", message, code: "RUNTIME_INVALID_CONFIG" }),
    );
  });
});

describe("the name of a rule", () => {
  it("is made of its decision and its tool, and counted where there are several", () => {
    const rule: Rule = { tool: "mail", decision: "ask" };
    const ids = resolveRules([rule, { ...rule, decision: "deny" }, rule, rule, { ...rule, id: "own" }]).map(
      ({ id }) => id,
    );
    expect(ids).toEqual(["ask mail", "deny mail", "ask mail 2", "ask mail 3", "own"]);
  });
});

describe("an example of a rule", () => {
  const example = (rule: Partial<Rule>) => () =>
    createGate({ rules: [{ id: "mine", tool: "mail", decision: "deny", ...rule }] });

  it("is told with what it is an example of", () => {
    expect(example({ when: { to: "ada" }, examples: { match: [{ to: "bob" }] } })).toThrow(
      'The rule "mine" does not match {"to":"bob"}, which is one of its examples for a match.',
    );
    expect(example({ examples: { notMatch: [{ to: "bob" }] } })).toThrow(
      'The rule "mine" matches {"to":"bob"}, which is one of its examples for no match.',
    );
    expect(example({ ...broken("mine"), examples: { match: [5] } })).toThrow(
      'The rule "mine" fails with its example 5: mine broke',
    );
  });

  it("is told later where the condition answers later", async () => {
    const late = (when: Rule["when"]) => example({ when, examples: { match: [{}] } })().ready();
    await expect(late(async () => true)).resolves.toBeUndefined();
    await expect(late(async () => false)).rejects.toThrow('The rule "mine" does not match');
    await expect(late(() => Promise.reject(new Error("later")))).rejects.toThrow(
      'The rule "mine" fails with its example {}: later',
    );
  });

  it("is judged as a call of the tool that no run makes", () => {
    const seen: unknown[] = [];
    example({
      when: (args, call) => {
        seen.push(args, call.tool, call.context.runId, call.context.toolAccess, call.context.signal.aborted);
        return true;
      },
      examples: { match: [{ to: "ada" }] },
    })();
    expect(seen).toEqual([{ to: "ada" }, "mail", "example", undefined, false]);
  });
});

describe("waiting for a rule", () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  it("ends after its time, and leaves no timer behind", async () => {
    vi.useFakeTimers();
    const never = withinTime(() => new Promise<never>(() => undefined), 50);
    const told = expect(never).rejects.toThrow("no answer came within 50 ms");
    await vi.advanceTimersByTimeAsync(50);
    await told;
    await expect(withinTime(async () => 1, 50)).resolves.toBe(1);
    await expect(withinTime(() => Promise.reject(new Error("oh")), 50)).rejects.toThrow("oh");
    await vi.advanceTimersByTimeAsync(0);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("does not end where there is no limit", async () => {
    vi.useFakeTimers();
    for (const limit of [0, Number.POSITIVE_INFINITY]) {
      const late = withinTime(() => new Promise<string>((resolve) => setTimeout(() => resolve("late"), 5_000)), limit);
      await vi.advanceTimersByTimeAsync(5_000);
      await expect(late).resolves.toBe("late");
    }
  });
});
