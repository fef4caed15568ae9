import { describe, expect, it } from "vitest";
import { checkCommand, judgeText } from "../../src/permission/commands/check-command.ts";
import { loadParser } from "../../src/permission/commands/parser.ts";
import { type CommandPolicy, resolvePolicy } from "../../src/permission/commands/policy.ts";
import { BENIGN, DENIED, HEAVY, NOT_ALLOWED, POLICY } from "./command-tables.ts";

const entries = (table: Readonly<Record<string, readonly string[]>>) =>
  Object.entries(table).flatMap(([name, commands]) => commands.map((command) => ({ name, command: command })));

const decide = async (command: string, policy: CommandPolicy = POLICY) =>
  (await checkCommand(command, policy)).decision;

describe("a denied program", () => {
  it.each(entries(DENIED))("is found in $name: $command", async ({ command }) => {
    expect(await decide(command)).toBe("deny");
  });

  it.each(entries(DENIED))("is found without a parser in $name: $command", ({ command }) => {
    // Without a parser an escape like \162 cannot be read; such text is asked about, never allowed.
    const { decision } = judgeText(command, resolvePolicy(POLICY), undefined);
    expect(/\\1|\\u00/.test(command) ? ["ask", "deny"] : ["deny"]).toContain(decision);
  });
});

describe("what is not known to be harmless", () => {
  it.each(entries(NOT_ALLOWED))("is asked about: $name: $command", async ({ command }) => {
    expect(await decide(command)).not.toBe("allow");
  });
});

describe("a harmless command", () => {
  it.each(BENIGN.map((command) => ({ command })))("is allowed: $command", async ({ command }) => {
    expect(await checkCommand(command, POLICY)).toMatchObject({ decision: "allow" });
  });

  it("is one of at least a hundred controls", () => {
    expect(new Set(BENIGN).size).toBeGreaterThanOrEqual(100);
  });

  it.each(BENIGN.map((command) => ({ command })))("is asked about without a rule: $command", async ({ command }) => {
    expect(await decide(command, { cwd: "/srv/proj" })).toBe("ask");
  });

  it.each(BENIGN.map((command) => ({ command })))("is never allowed without a parser: $command", ({ command }) => {
    expect(judgeText(command, resolvePolicy(POLICY), undefined).decision).not.toBe("allow");
  });
});

describe("the decision about any command", () => {
  it.each(HEAVY.map((piece) => ({ piece })))("comes within 500 ms: $piece again and again", async ({ piece }) => {
    const parser = await loadParser();
    const policy = resolvePolicy(POLICY);
    for (const size of [500, 8_100, 60_000]) {
      const text = piece.repeat(Math.ceil(size / piece.length));
      for (const command of [text, `env ${text}`, `ls "${text}"`]) {
        // The best of three: the machine may be busy with something else.
        const times = [0, 1, 2].map(() => {
          const startedAt = performance.now();
          judgeText(command, policy, parser);
          return performance.now() - startedAt;
        });
        expect(Math.min(...times), `${command.slice(0, 30)} (${size})`).toBeLessThan(500);
      }
    }
  });
});
