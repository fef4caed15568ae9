import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { ApprovalRequest, Grant } from "../../src/contract/approval.ts";
import type { PermissionContext } from "../../src/contract/permission.ts";
import { combineCommands } from "../../src/permission/combine-commands.ts";
import { createGate } from "../../src/permission/gate.ts";
import { createGrants, type GrantedCall } from "../../src/permission/grants.ts";
import { Command, Commands, Path } from "../../src/permission/matcher.ts";
import { ownMember } from "../../src/permission/own-member.ts";
import { checkPath } from "../../src/permission/paths.ts";
import { readOnlyGate } from "../../src/permission/read-only-gate.ts";
import type { Rule } from "../../src/permission/rule.ts";
import { resolveRules } from "../../src/permission/rules.ts";

const context: PermissionContext = { runId: "r", toolAccess: undefined, signal: new AbortController().signal };

async function decide(when: Rule["when"], args: unknown, decision: Rule["decision"] = "allow"): Promise<string> {
  const rules: Rule[] = [{ id: "one", tool: "*", decision, when }];
  return (await createGate({ rules }).check({ id: "c", name: "x", arguments: args }, context)).decision;
}

const hash = (when: Rule["when"]) =>
  createGate({ rules: [{ id: "one", tool: "x", decision: "allow", when }] }).policyHash;

describe("an argument", () => {
  it("is what the arguments have themselves", () => {
    expect(ownMember({ a: 1 }, "a")).toBe(1);
    expect(ownMember({ a: undefined }, "a")).toBeUndefined();
    expect(ownMember(["x"], "0")).toBe("x");
    for (const args of [{}, [], null, undefined, 5, "text", true, Object.create({ a: 1 })]) {
      expect(ownMember(args, "a")).toBeUndefined();
      expect(ownMember(args, "constructor")).toBeUndefined();
    }
  });

  it("may have any name, also one that conditions have", async () => {
    const odd = { build: (value: unknown) => value === 1, matches: () => true, description: "d", type: "command" };
    expect(await decide(odd, { build: 1, description: "d", type: "command" })).toBe("allow");
    expect(await decide(odd, { build: 2, description: "d", type: "command" })).toBe("ask");
    expect(await decide(odd, { build: 1, description: "d", type: "path" })).toBe("ask");
  });

  it("is a text where a pattern is found in it", async () => {
    expect(await decide({ n: /5/ }, { n: "15" })).toBe("allow");
    for (const n of [5, ["5"], null, { toString: "5" }]) expect(await decide({ n: /5/ }, { n })).toBe("ask");
    expect(await decide({ n: /undefined|null/ }, {})).toBe("ask");
  });

  it("is missing where the arguments are no object", async () => {
    for (const args of [null, 5, true, [1]]) {
      expect(await decide({ n: 5 }, args)).toBe("ask");
      expect(await decide(Command(["rm"]), args, "deny")).toBe("ask");
      expect(await decide(Path({ op: "read", roots: ["/srv/x"] }), args, "deny")).toBe("ask");
    }
  });
});

describe("the hash of a condition", () => {
  it("tells values from patterns and from tests that are written alike", () => {
    const all = [
      { a: "/1/" },
      { a: /1/ },
      { a: /2/ },
      { a: () => true },
      { a: () => false },
      { a: "1" },
      { a: 1 },
      { a: null },
    ];
    expect(new Set(all.map((when) => hash(when))).size).toBe(all.length);
    expect(new Set([hash(undefined), hash({}), hash(() => true), hash(async () => true)]).size).toBe(4);
  });

  it("does not depend on the order in which arguments and commands stand", () => {
    expect(hash({ a: 1, b: 2 })).toBe(hash({ b: 2, a: 1 }));
    const at = { roots: ["/srv/x"] };
    expect(hash(Commands(["ls", "cat"], at))).toBe(hash(Commands(["cat", "ls"], at)));
  });

  it("changes with the place of commands and paths", () => {
    const [at, elsewhere] = [{ roots: ["/srv/x"] }, { roots: ["/srv/y"] }];
    const all = [
      Command("ls", at),
      Command("ls", elsewhere),
      Command("ls", { ...at, cwd: "/srv/x/y" }),
      Command("ls", { ...at, protectedNames: ["z"] }),
      Path({ op: "read", ...at }),
      Path({ op: "read", ...elsewhere }),
      Path({ op: "read", ...at, argument: ["path", "to"] }),
    ];
    expect(new Set(all.map(hash)).size).toBe(all.length);
    expect(all.map(({ type }) => type)).toEqual(["command", "command", "command", "command", "path", "path", "path"]);
  });
});

describe("a condition on commands", () => {
  it("without roots allows no other directory", async () => {
    const commands = Commands(["npm test"]);
    expect(await decide(commands, { command: "npm test" })).toBe("allow");
    for (const cwd of ["/srv", ".", 5, null]) expect(await decide(commands, { command: "npm test", cwd })).toBe("ask");
  });

  it("keeps the quotes of a word where they are", async () => {
    const root = realpathSync(mkdtempSync(join(tmpdir(), "harness-kit-words-")));
    onTestFinished(() => rmSync(root, { recursive: true }));
    writeFileSync(join(root, "its"), "");
    symlinkSync("/etc/passwd", join(root, "it's"));
    const commands = Commands(["cat"], { roots: [root], argument: "argv" });
    expect(await decide(commands, { argv: ["cat", "its"] })).toBe("allow");
    expect(await decide(commands, { argv: ["cat", "it's"] })).toBe("ask");
    for (const argv of [[], "", [""]]) expect(await decide(commands, { argv })).toBe("ask");
  });

  it("that cannot be meant is refused with the rule and the reason", () => {
    const refused = (when: Rule["when"]) => () =>
      createGate({ rules: [{ id: "mine", tool: "x", decision: "allow", when }] });
    expect(refused(Command("bash *"))).toThrow(
      'The rule "mine" has a condition that cannot be meant: The command pattern "bash *" cannot be allowed: bash runs whatever its arguments say.',
    );
    expect(refused(Path({ op: "read", roots: [] }))).toThrow(
      'The rule "mine" has a condition that cannot be meant: A confinement needs roots. Write roots: ["/srv/project"].',
    );
  });
});

describe("rules that allow commands", () => {
  const at = { roots: ["/srv/x"] };
  const rule = (id: string, when: Rule["when"], more: Partial<Rule> = {}): Rule => ({
    id,
    tool: "bash",
    decision: "allow",
    when,
    ...more,
  });
  const combined = (...rules: Rule[]) => combineCommands(resolveRules(rules));

  it("are combined where they differ in nothing but their commands", async () => {
    const both = combined(
      rule("b", Command("ls", at)),
      rule("a", Command("pwd", at)),
      rule("c", Command("ls", { cwd: "/" })),
    );
    expect(both).toHaveLength(1);
    expect(both[0]).toMatchObject({ id: "a + b", tool: "bash", decision: "allow" });
    const call = { tool: "bash", args: { command: "ls && pwd" }, context };
    expect(await both[0]?.condition.matches(call)).toBe(true);
  });

  it("are not combined with others", () => {
    expect(combined(rule("a", Command("ls", at)))).toEqual([]);
    expect(combined(rule("a", Command("ls", at)), rule("b", Command("pwd", at), { tool: "sh" }))).toEqual([]);
    const paths = Path({ op: "read", ...at });
    expect(combined(rule("a", paths), rule("b", paths), rule("c", { a: 1 }), rule("d", { a: 1 }))).toEqual([]);
    const denying = { decision: "deny" } as const;
    expect(combined(rule("a", Command("rm", at), denying), rule("b", Command("mv", at), denying))).toEqual([]);
    expect(
      combined(
        rule("a", undefined),
        rule("b", () => true),
      ),
    ).toEqual([]);
  });
});

describe("a grant", () => {
  const request = { tool: "bash", argsDigest: "d", policyHash: "p", runId: "r" } as ApprovalRequest;
  const call: GrantedCall = {
    tool: "bash",
    argsDigest: "d",
    policyHash: "p",
    runId: "r",
    args: { command: "npm run build" },
  };

  async function allows(grant: Grant, changes: Partial<GrantedCall>): Promise<boolean> {
    const grants = createGrants();
    grants.add(request, grant);
    return grants.allows({ ...call, ...changes });
  }

  const exact: Grant = { type: "exact" };
  const prefix: Grant = { type: "prefix", words: ["npm", "run"] };

  it("holds for the same tool under the same rules, in the same run unless it is for the gate", async () => {
    for (const grant of [exact, prefix]) {
      expect(await allows(grant, {})).toBe(true);
      expect(await allows(grant, { tool: "sh" })).toBe(false);
      expect(await allows(grant, { policyHash: "q" })).toBe(false);
      expect(await allows(grant, { tool: "sh", policyHash: "q" })).toBe(false);
      expect(await allows(grant, { runId: "s" })).toBe(false);
      expect(await allows({ ...grant, scope: "gate" }, { runId: "s" })).toBe(true);
      expect(await allows({ ...grant, scope: "run" }, { runId: "s" })).toBe(false);
    }
    expect(await allows(exact, { argsDigest: "e" })).toBe(false);
    expect(await allows(prefix, { argsDigest: "e" })).toBe(true);
    expect(await allows(prefix, { args: { command: "npm test" } })).toBe(false);
  });

  it("is found among several, and there is none at first", async () => {
    const grants = createGrants();
    expect(await grants.allows(call)).toBe(false);
    grants.add({ ...request, argsDigest: "other" }, exact);
    grants.add(request, exact);
    expect(await grants.allows(call)).toBe(true);
  });

  it.each<[unknown, string]>([
    [{ type: "all" }, 'A grant is "exact" or a "prefix", got {"type":"all"}.'],
    [{ type: "exact", scope: "ever" }, 'The scope of a grant is "run" or "gate", got "ever".'],
    [{ type: "prefix", words: "npm run" }, 'A prefix has at least two plain words, got "npm run".'],
    [{ type: "prefix", words: ["npm"] }, 'A prefix has at least two plain words, got "npm".'],
    [{ type: "prefix", words: ["npm", "run; rm"] }, 'A prefix has at least two plain words, got "npm run; rm".'],
    [
      { type: "prefix", words: ["bash", "-c"] },
      'The grant "bash -c" has a condition that cannot be meant: The command pattern "bash -c *" cannot be allowed: bash runs whatever its arguments say.',
    ],
  ])("that cannot be meant is refused: %j", (grant, message) => {
    expect(() => createGrants().add(request, grant as Grant)).toThrow(
      expect.objectContaining({ name: "TypeError", message }),
    );
  });
});

describe("a path", () => {
  it("is allowed inside of the root, and denied with the reason elsewhere", () => {
    const root = realpathSync(mkdtempSync(join(tmpdir(), "harness-kit-path-")));
    onTestFinished(() => rmSync(root, { recursive: true }));
    mkdirSync(join(root, "src"));
    const inside = { decision: "allow", reason: "inside of the root" };
    expect(checkPath({ root, op: "read", path: "src" })).toEqual(inside);
    expect(checkPath({ root, op: "read", path: ".bashrc" })).toEqual(inside);
    expect(checkPath({ root, op: "write", path: ".bashrc" })).toEqual({
      decision: "deny",
      reason: '".bashrc" may be read but not written',
    });
    expect(checkPath({ root, op: "read", path: "/etc/passwd" }).reason).toBe(
      `"/etc/passwd" is outside of the workspace ${root}`,
    );
  });
});

describe("a gate that only reads", () => {
  const gate = readOnlyGate({ root: "/srv/x", pathArguments: ["source"] });
  const check = (args: unknown) =>
    gate.check({ id: "c", name: "look", arguments: args }, { ...context, toolAccess: "read" });

  it("looks at the arguments that hold paths, and only at those", async () => {
    expect(await check({ source: "/etc/passwd" })).toMatchObject({ decision: "deny", by: "rule:inside of the root" });
    expect(await check({ source: ["a", "/etc/passwd"] })).toMatchObject({ decision: "deny" });
    for (const args of [{ path: "/etc/passwd" }, { source: ".bashrc" }, { source: 5 }, { source: null }, {}, null, 5]) {
      expect(await check(args)).toMatchObject({ decision: "allow", by: "rule:reads" });
    }
  });

  it("says where it may look, and that it writes nothing", async () => {
    expect((await check({ source: ".git/config" })).reason).toBe(
      "Only what lies in /srv/x may be looked at here, and no protected names.",
    );
    const writing = { ...context, toolAccess: "write" as const };
    const said = await gate.check({ id: "c", name: "store", arguments: {} }, writing);
    expect(said).toMatchObject({
      by: "rule:changes nothing",
      reason: "This agent only reads: nothing may be written here.",
    });
  });

  it("leaves a tool that is named its writing", async () => {
    const naming = readOnlyGate({ root: "/srv/x", allow: ["store"] });
    const writing = { ...context, toolAccess: "write" as const };
    const said = await naming.check({ id: "c", name: "store", arguments: {} }, writing);
    expect(said).toMatchObject({ decision: "allow", by: "rule:named store" });
  });
});
