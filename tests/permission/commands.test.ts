import { describe, expect, it } from "vitest";
import { checkCommand, judgeText } from "../../src/permission/commands/check-command.ts";
import { type CommandPolicy, resolvePolicy } from "../../src/permission/commands/policy.ts";
import { BENIGN, DENIED, NOT_ALLOWED, NOT_DENIED, POLICY } from "./command-tables.ts";

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

describe("the name of a denied program", () => {
  it.each(NOT_DENIED.map((command) => ({ command })))("is only a word in $command", async ({ command }) => {
    expect(await decide(command)).not.toBe("deny");
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
