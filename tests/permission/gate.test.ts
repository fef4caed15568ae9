import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Approver } from "../../src/contract/approval.ts";
import type { PermissionContext } from "../../src/contract/permission.ts";
import type { ToolAccess } from "../../src/contract/tool.ts";
import { createGate, type GateOptions } from "../../src/permission/gate.ts";
import { Command, Commands, Path } from "../../src/permission/matcher.ts";
import type { Rule } from "../../src/permission/rule.ts";

const context = (runId = "run_1", toolAccess?: ToolAccess): PermissionContext => ({
  runId,
  toolAccess,
  signal: new AbortController().signal,
});

const call = (name: string, args: unknown = {}) => ({ id: "call_1", name, arguments: args });

function check(options: GateOptions, name: string, args: unknown = {}) {
  return createGate(options).check(call(name, args), context());
}

const allow = (tool: string, when?: Rule["when"]): Rule => ({ tool, when, decision: "allow" });
const ask = (tool: string, when?: Rule["when"]): Rule => ({ tool, when, decision: "ask" });
const deny = (tool: string, when?: Rule["when"]): Rule => ({ tool, when, decision: "deny" });

describe("a gate", () => {
  it("asks about what no rule matches", async () => {
    expect(await check({ rules: [] }, "bash")).toMatchObject({ decision: "ask", by: "default" });
  });

  it("does with it what the host says", async () => {
    expect(await check({ rules: [], default: "deny" }, "bash")).toMatchObject({ decision: "deny", by: "default" });
    expect(await check({ rules: [], default: "allow" }, "bash")).toMatchObject({ decision: "allow", by: "default" });
  });

  it("finds rules by the name of the tool and by wildcards in it", async () => {
    const rules = [allow("read*"), deny("*File"), allow("exact")];
    expect(await check({ rules }, "readAll")).toMatchObject({ decision: "allow", by: "rule:allow read*" });
    expect(await check({ rules }, "readFile")).toMatchObject({ decision: "deny", by: "rule:deny *File" });
    expect(await check({ rules }, "exact")).toMatchObject({ decision: "allow" });
    expect(await check({ rules }, "Exact")).toMatchObject({ decision: "ask" });
    expect(await check({ rules }, "exactly")).toMatchObject({ decision: "ask" });
  });

  it("takes the strictest rule", async () => {
    expect(await check({ rules: [allow("*"), ask("a*"), deny("ab")] }, "ab")).toMatchObject({ decision: "deny" });
    expect(await check({ rules: [allow("*"), ask("a*"), deny("ab")] }, "ac")).toMatchObject({ decision: "ask" });
    expect(await check({ rules: [allow("*"), ask("a*"), deny("ab")] }, "b")).toMatchObject({ decision: "allow" });
  });

  it("gives the reason of the rule that decided, and its id", async () => {
    const rules: Rule[] = [{ id: "no-mail", tool: "mail", decision: "deny", reason: "Mail goes out by hand." }];
    expect(await check({ rules }, "mail")).toMatchObject({ by: "rule:no-mail", reason: "Mail goes out by hand." });
  });

  it("judges arguments by value, by pattern and by test", async () => {
    const rules = [allow("send", { to: /@example\.com$/, urgent: false, size: (value) => Number(value) < 10 })];
    expect((await check({ rules }, "send", { to: "a@example.com", urgent: false, size: 3 })).decision).toBe("allow");
    expect((await check({ rules }, "send", { to: "a@example.com.evil", urgent: false, size: 3 })).decision).toBe("ask");
    expect((await check({ rules }, "send", { to: "a@example.com", urgent: true, size: 3 })).decision).toBe("ask");
    expect((await check({ rules }, "send", { to: "a@example.com", urgent: false, size: 30 })).decision).toBe("ask");
    expect((await check({ rules }, "send", {})).decision).toBe("ask");
  });

  it("answers the same each time to a pattern that remembers where it stopped", async () => {
    const gate = createGate({ rules: [allow("send", { to: /a/g })] });
    for (let time = 0; time < 3; time++) {
      expect((await gate.check(call("send", { to: "a" }), context())).decision).toBe("allow");
    }
  });

  it("does not look at what arguments inherit", async () => {
    const rules = [allow("send", { constructor: Object as never })];
    expect((await check({ rules }, "send", {})).decision).not.toBe("allow");
  });

  it("reads the arguments where they are still text", async () => {
    const rules = [allow("send", { to: "a" })];
    expect((await check({ rules }, "send", '{"to":"a"}')).decision).toBe("allow");
    expect((await check({ rules: [allow("now")] }, "now", "")).decision).toBe("allow");
    expect(await check({ rules: [allow("*")] }, "send", "{broken")).toMatchObject({
      decision: "deny",
      code: "PERMISSION_POLICY_ERROR",
    });
  });

  it("gives rules a frozen copy of the arguments", async () => {
    const args = { list: [1, { deep: true }] };
    const seen: unknown[] = [];
    const gate = createGate({
      rules: [
        allow("x", (copy) => {
          seen.push(copy);
          return true;
        }),
      ],
    });
    await gate.check(call("x", args), context());
    expect(seen).toEqual([args]);
    expect(seen[0]).not.toBe(args);
    expect(Object.isFrozen((seen[0] as typeof args).list[1])).toBe(true);
  });

  it("refuses arguments that are no JSON, whatever the rules say", async () => {
    const odd = [
      new Map(),
      { at: 10n },
      { when: new Date(0) },
      { half: "\ud800" },
      { not: Number.NaN },
      { f: () => 1 },
    ];
    for (const args of odd) {
      expect((await check({ rules: [allow("*")] }, "x", args)).decision, String(args)).toBe("deny");
    }
  });

  it("says the digest of the arguments, which does not depend on the order of their names", async () => {
    const gate = createGate({ rules: [allow("*")] });
    const one = await gate.check(call("x", { a: 1, b: [2, { d: 3, c: 4 }] }), context());
    const same = await gate.check(call("x", { b: [2, { c: 4, d: 3 }], a: 1 }), context());
    const other = await gate.check(call("x", { a: 1, b: [2, { c: 4, d: 5 }] }), context());
    expect(one.argsDigest).toMatch(/^[0-9a-f]{64}$/);
    expect(same.argsDigest).toBe(one.argsDigest);
    expect(other.argsDigest).not.toBe(one.argsDigest);
  });

  it("tells arguments apart that only look alike", async () => {
    const gate = createGate({ rules: [allow("*")] });
    const alike = [
      { a: "1" },
      { a: 1 },
      { a: [1] },
      { a: null },
      {},
      { a: "\u0000" },
      { a: "\u2400" },
      { a: "é" },
      { a: "e\u0301" },
    ];
    const digests = await Promise.all(
      alike.map(async (args) => (await gate.check(call("x", args), context())).argsDigest),
    );
    expect(new Set(digests).size).toBe(alike.length);
  });

  it("keeps __proto__ in the arguments as what it is", async () => {
    const args: unknown = JSON.parse('{"__proto__":{"approved":true}}');
    const rules = [allow("x", { approved: true })];
    expect((await check({ rules }, "x", args)).decision).toBe("ask");
    const plain = await check({ rules }, "x", {});
    expect((await check({ rules }, "x", args)).argsDigest).not.toBe(plain.argsDigest);
  });
});

describe("a rule that fails", () => {
  const failing: readonly (readonly [string, Rule["when"]])[] = [
    [
      "throws",
      () => {
        throw new Error("broken rule");
      },
    ],
    [
      "throws nothing",
      () => {
        throw undefined;
      },
    ],
    ["rejects", () => Promise.reject(new Error("broken rule"))],
    ["answers undefined", (() => undefined) as never],
    ["answers a truthy value", (() => 1) as never],
    ["answers later with no boolean", (async () => "yes") as never],
    ["never answers", () => new Promise<boolean>(() => undefined)],
    ["has a test that answers no boolean", { a: (() => "yes") as never }],
  ];
  it.each(failing)("denies when it %s, whatever it would decide", async (_, when) => {
    for (const decision of ["allow", "ask", "deny"] as const) {
      const rules: Rule[] = [{ tool: "x", when, decision, id: "broken" }, allow("*")];
      expect(await check({ rules, ruleTimeoutMs: 20 }, "x", { a: 1 })).toMatchObject({
        decision: "deny",
        by: "rule:broken",
        code: "PERMISSION_POLICY_ERROR",
      });
    }
  });

  it("does not matter to tools that it is not about", async () => {
    const rules = [
      allow("y"),
      allow("x", () => {
        throw new Error("broken");
      }),
    ];
    expect((await check({ rules }, "y")).decision).toBe("allow");
  });
});

describe("the order of rules", () => {
  const rule = fc.record({
    tool: fc.constantFrom("*", "bash", "b*", "read", "*d"),
    decision: fc.constantFrom("allow" as const, "ask" as const, "deny" as const),
    when: fc.constantFrom<Rule["when"][]>(
      undefined,
      () => true,
      () => false,
      { a: 1 },
      { a: 2 },
      () => {
        throw new Error("x");
      },
    ),
    id: fc.uuid(),
  });

  it("never matters, and the strictest of all matches wins", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(rule, { selector: ({ id }) => id, maxLength: 8 }),
        fc.nat(),
        async (rules, seed) => {
          const shuffled = rules
            .map((item, at) => ({ item, key: (at * 7919 + seed) % 31 }))
            .sort((a, b) => a.key - b.key)
            .map(({ item }) => item);
          const [first, second] = [createGate({ rules }), createGate({ rules: shuffled })];
          const answer = await first.check(call("bash", { a: 1 }), context());
          expect(await second.check(call("bash", { a: 1 }), context())).toEqual(answer);
          const strictness = { allow: 0, ask: 1, deny: 2 } as const;
          for (const one of rules) {
            const alone = await createGate({ rules: [one], default: "allow" }).check(call("bash", { a: 1 }), context());
            if (alone.by === "default") continue;
            expect(strictness[answer.decision]).toBeGreaterThanOrEqual(strictness[alone.decision]);
          }
        },
      ),
      { numRuns: 150 },
    );
  });
});

describe("the hash of a policy", () => {
  const hash = (options: GateOptions) => createGate(options).policyHash;

  it("stays when rules are written in another order", () => {
    const rules = [allow("a"), deny("b", Command(["rm"])), ask("c", { x: /y/ })];
    expect(hash({ rules })).toBe(hash({ rules: [...rules].reverse() }));
  });

  it("changes with everything that a rule says", () => {
    const variants: GateOptions[] = [
      { rules: [] },
      { rules: [], default: "deny" },
      { rules: [allow("a")] },
      { rules: [allow("b")] },
      { rules: [deny("a")] },
      { rules: [allow("a", { x: 1 })] },
      { rules: [allow("a", { x: 2 })] },
      { rules: [allow("a", { x: /1/ })] },
      { rules: [allow("a", () => true)] },
      { rules: [allow("a", () => false)] },
      { rules: [deny("a", Command(["rm"]))] },
      { rules: [deny("a", Command(["mv"]))] },
      { rules: [deny("a", Command(["rm"], { argument: "script" }))] },
      { rules: [allow("a", Command(["ls"], { roots: ["/srv/a"] }))] },
      { rules: [allow("a", Command(["ls"], { roots: ["/srv/b"] }))] },
      { rules: [allow("a", Path({ op: "read", roots: ["/srv/a"] }))] },
      { rules: [allow("a", Path({ op: "write", roots: ["/srv/a"] }))] },
      { rules: [allow("a", Path({ op: "write", roots: ["/srv/a"], argument: "file" }))] },
      { rules: [allow("a", Path({ op: "write", roots: ["/srv/a"], protectedNames: ["x"] }))] },
    ];
    expect(new Set(variants.map(hash)).size).toBe(variants.length);
  });
});

describe("conditions on commands", () => {
  const options = { roots: ["/srv/proj"] };

  it("allow git but not what is chained to it (HK-093)", async () => {
    const rules = [allow("bash", Command("git *", options)), deny("bash", Command("rm *", options))];
    for (const operator of ["&&", ";", "||", "|", "&", "\n"]) {
      const answer = await check({ rules }, "bash", { command: `git status ${operator} rm -f ./mark` });
      expect(answer).toMatchObject({ decision: "deny", by: "rule:deny bash" });
    }
    expect(await check({ rules }, "bash", { command: "git status" })).toMatchObject({ decision: "allow" });
  });

  it("allow together what each of them allows", async () => {
    const rules = [allow("bash", Command(["ls"], options)), allow("bash", Command(["git", "log"], options))];
    expect(await check({ rules }, "bash", { command: "ls && git log" })).toMatchObject({ decision: "allow" });
    expect(await check({ rules }, "bash", { command: "ls && git diff" })).toMatchObject({ decision: "ask" });
  });

  it("do not add up over different tools or places", async () => {
    const rules = [
      allow("bash", Command(["ls"], options)),
      allow("sh", Command(["pwd"], options)),
      allow("bash", Command(["wc"], { roots: ["/srv/x"] })),
    ];
    expect(await check({ rules }, "bash", { command: "ls && pwd" })).toMatchObject({ decision: "ask" });
    expect(await check({ rules }, "bash", { command: "ls | wc" })).toMatchObject({ decision: "ask" });
  });

  it("judge the directory that the model asks for as an operand", async () => {
    const rules = [allow("bash", Commands(["cat"], options))];
    const decide = async (cwd: unknown) => (await check({ rules }, "bash", { command: "cat notes.txt", cwd })).decision;
    expect(await decide("/srv/proj/sub")).toBe("allow");
    expect(await decide("sub")).toBe("allow");
    expect(await decide("/")).toBe("ask");
    expect(await decide("..")).toBe("ask");
    expect(await decide(".git")).toBe("ask");
    expect(await decide(5)).toBe("ask");
    expect((await check({ rules }, "bash", { command: "cat ../notes.txt", cwd: "sub" })).decision).toBe("allow");
    expect((await check({ rules }, "bash", { command: "cat ../../notes.txt", cwd: "sub" })).decision).toBe("ask");
  });

  it("do not allow when there are arguments that may change the command", async () => {
    const rules = [allow("bash", Commands(["ls"], options))];
    expect((await check({ rules }, "bash", { command: "ls", env: { PATH: "." } })).decision).toBe("ask");
    expect((await check({ rules }, "bash", { command: "ls", timeoutMs: 5 })).decision).toBe("allow");
  });

  it("take the words of a command as well, each for one word", async () => {
    const rules = [
      allow("exec", Commands(["ls", "echo"], { ...options, argument: "argv" })),
      deny("exec", Command(["rm"], { argument: "argv" })),
    ];
    const decide = async (argv: unknown) => (await check({ rules }, "exec", { argv })).decision;
    expect(await decide(["ls", "-la"])).toBe("allow");
    expect(await decide(["echo", "; rm -rf / $(rm x) 'a'"])).toBe("allow");
    expect(await decide(["rm", "x"])).toBe("deny");
    expect(await decide(["env", "rm", "x"])).toBe("deny");
    expect(await decide(["sh", "-c", "rm x"])).toBe("deny");
    expect(await decide([])).toBe("ask");
    expect(await decide(7)).toBe("ask");
  });

  it("match nothing where there is no command", async () => {
    const rules = [allow("bash", Commands(["ls"], options)), deny("bash", Command(["rm"]))];
    expect((await check({ rules }, "bash", {})).decision).toBe("ask");
    expect((await check({ rules }, "bash", { command: null })).decision).toBe("ask");
  });
});

describe("conditions on paths", () => {
  const inside = Path({ op: "write", roots: ["/srv/proj"], argument: ["path", "to"] });

  it("allow only when every path lies inside and none is protected", async () => {
    const rules = [allow("move", inside)];
    const decide = async (args: unknown) => (await check({ rules }, "move", args)).decision;
    expect(await decide({ path: "a.txt", to: "/srv/proj/b.txt" })).toBe("allow");
    expect(await decide({ path: "a.txt", to: "/srv/b.txt" })).toBe("ask");
    expect(await decide({ path: "a.txt", to: ".git/hooks/post-checkout" })).toBe("ask");
    expect(await decide({ path: ["a.txt", "../b"] })).toBe("ask");
    expect(await decide({ path: 7 })).toBe("ask");
    expect(await decide({})).toBe("ask");
  });

  it("deny as soon as one path may lie inside", async () => {
    const rules = [allow("*"), deny("move", inside)];
    const decide = async (args: unknown) => (await check({ rules }, "move", args)).decision;
    expect(await decide({ path: "/tmp/a", to: "/tmp/b" })).toBe("allow");
    expect(await decide({ path: "/tmp/a", to: "/srv/proj/b" })).toBe("deny");
    expect(await decide({ path: "/tmp/a", to: "/srv/proj/.git/config" })).toBe("deny");
    expect(await decide({ path: "/tmp/a\0" })).toBe("deny");
    expect(await decide({ path: 7 })).toBe("deny");
  });
});

describe("making a gate", () => {
  const refused = (options: unknown, message: RegExp) =>
    expect(() => createGate(options as GateOptions)).toThrow(message);

  it("refuses what cannot be meant, by name", () => {
    refused(undefined, /createGate/);
    refused({}, /rules/);
    refused({ rules: {} }, /rules/);
    refused({ rules: [null] }, /Rule 1/);
    refused({ rules: [{ decision: "allow" }] }, /needs a tool/);
    refused({ rules: [{ tool: "x", decision: "yes", id: "mine" }] }, /"mine" decides/);
    refused({ rules: [{ tool: "x", decision: "allow", when: 5, id: "mine" }] }, /"mine" has a condition/);
    refused(
      {
        rules: [
          { tool: "x", decision: "allow", id: "a" },
          { tool: "y", decision: "allow", id: "a" },
        ],
      },
      /Two rules/,
    );
    refused({ rules: [], default: "maybe" }, /default/);
    refused({ rules: [], onAsk: "later" }, /onAsk/);
    refused({ rules: [], approverTimeoutMs: -1 }, /approverTimeoutMs/);
    refused({ rules: [], ruleTimeoutMs: "1" }, /ruleTimeoutMs/);
    refused({ rules: [], ruleTimeoutMs: Number.NaN }, /ruleTimeoutMs/);
    refused({ rules: [], secret: new Uint8Array(15) }, /secret/);
    refused({ rules: [], secret: "a secret that is long enough" }, /secret/);
  });

  it("refuses commands that would allow anything", () => {
    for (const pattern of [
      "bash *",
      "env *",
      "xargs",
      "npm *",
      "python3 x.py",
      "node *",
      "awk",
      "./x",
      "/bin/x y *",
      "$x y",
      "",
      " ",
    ]) {
      refused({ rules: [{ ...allow("bash", Command(pattern)), id: "wide" }] }, /"wide"/);
    }
  });

  it("refuses paths without roots", () => {
    refused({ rules: [{ ...allow("x", Path({ op: "read", roots: [] })), id: "rootless" }] }, /"rootless"/);
    refused({ rules: [{ ...allow("x", Path({ op: "read", roots: [""] })), id: "rootless" }] }, /"rootless"/);
  });

  it("checks examples at once where the condition answers at once", () => {
    const path = Path({ op: "read", roots: ["/srv/proj"] });
    const good: Rule = {
      ...allow("x", path),
      examples: { match: [{ path: "a" }], notMatch: [{ path: "/etc/passwd" }] },
    };
    expect(() => createGate({ rules: [good] })).not.toThrow();
    refused(
      { rules: [{ ...allow("x", path), id: "bad", examples: { match: [{ path: "/etc/passwd" }] } }] },
      /"bad" does not match/,
    );
    refused({ rules: [{ ...allow("x", path), id: "bad", examples: { notMatch: [{ path: "a" }] } }] }, /"bad" matches/);
    refused({ rules: [{ ...allow("x"), id: "bad", examples: { notMatch: [{}] } }] }, /"bad" matches/);
    refused(
      { rules: [{ ...allow("x", { a: 1 }), id: "bad", examples: { match: [{ a: 2 }] } }] },
      /"bad" does not match/,
    );
    refused(
      {
        rules: [
          {
            ...allow("x", () => {
              throw new Error("oh");
            }),
            id: "bad",
            examples: { match: [{}] },
          },
        ],
      },
      /"bad" fails.*oh/,
    );
  });

  it("checks examples about commands before the first decision", async () => {
    const rule: Rule = {
      ...deny("bash", Command(["rm"])),
      id: "no-rm",
      examples: { match: [{ command: "ls; rm x" }], notMatch: [{ command: "echo rm" }] },
    };
    await expect(createGate({ rules: [rule] }).ready()).resolves.toBeUndefined();
    const wrong = createGate({ rules: [{ ...rule, examples: { match: [{ command: "ls" }] } }, allow("*")] });
    await expect(wrong.ready()).rejects.toThrow(/"no-rm" does not match/);
    expect(await wrong.check(call("other"), context())).toMatchObject({
      decision: "deny",
      code: "PERMISSION_POLICY_ERROR",
    });
  });

  it("says whom to ask and for how long", () => {
    const approver: Approver = () => ({ decision: "deny" });
    const secret = new Uint8Array(32);
    expect(createGate({ rules: [] })).toMatchObject({ onAsk: "deny", approverTimeoutMs: 0, secret: undefined });
    expect(createGate({ rules: [], onAsk: approver, approverTimeoutMs: 5, secret })).toMatchObject({
      onAsk: approver,
      approverTimeoutMs: 5,
      secret,
    });
  });
});
