import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { checkCommand } from "../../src/permission/commands/check-command.ts";
import type { CommandPolicy } from "../../src/permission/commands/policy.ts";
import { digestArguments } from "../../src/permission/digest.ts";
import { sanitizeForDisplay } from "../../src/permission/display.ts";
import { checkPath } from "../../src/permission/paths.ts";
import type { PathOp } from "../../src/process/confine-types.ts";
import file from "../cases/gate.json" with { type: "json" };

interface Case {
  readonly id: string;
  readonly kind: string;
  readonly why: string;
  readonly input: unknown;
  readonly expected: unknown;
}

const cases: readonly Case[] = file.cases;
const policy = file.policy as CommandPolicy;
const ofKind = (kind: string) => cases.filter((entry) => entry.kind === kind);

function commandOf(input: { command?: string; generate?: string }): string {
  if (input.command !== undefined) return input.command;
  const recipe = /^"(.*)" x (\d+)$/s.exec(input.generate ?? "");
  if (recipe === null) throw new Error(`unknown recipe ${input.generate}`);
  return (recipe[1] ?? "").repeat(Number(recipe[2]));
}

describe("the shell cases", () => {
  it.each(ofKind("shell"))("$id: $why", async ({ input, expected }) => {
    const startedAt = performance.now();
    const { decision } = await checkCommand(commandOf(input as object), policy);
    const tookMs = performance.now() - startedAt;
    const wanted = (expected as { decision: string }).decision;
    if (wanted === "notAllow") expect(["ask", "deny"]).toContain(decision);
    else expect(decision).toBe(wanted);
    expect(tookMs).toBeLessThan(500);
  });
});

describe("the path cases", () => {
  let root = "";
  let outside = "";
  beforeAll(() => {
    const base = realpathSync(mkdtempSync(join(tmpdir(), "harness-gate-")));
    root = join(base, "proj");
    outside = join(base, "out");
    mkdirSync(root);
    mkdirSync(outside);
    symlinkSync(outside, join(root, "dlink"));
  });
  afterAll(() => rmSync(join(root, ".."), { recursive: true, force: true }));

  it.each(ofKind("path"))("$id: $why", ({ input, expected }) => {
    const asked = input as { root: string; op: PathOp; path: string };
    const here = { ...asked, root, path: asked.path.replace("/srv/proj", root) };
    expect(checkPath(asked).decision === "allow" && checkPath(here).decision === "allow").toBe(false);
    expect(checkPath(here).decision).toBe((expected as { decision: string }).decision);
  });
});

describe("the argument cases", () => {
  it("args-01: leave prototypes as they are", () => {
    const args: unknown = JSON.parse('{"path":"a","__proto__":{"approved":true}}');
    const copy = digestArguments(args).args as Record<string, unknown>;
    expect(copy["approved"]).toBeUndefined();
    expect(({} as Record<string, unknown>)["approved"]).toBeUndefined();
    expect(Object.getPrototypeOf(copy)).toBe(Object.prototype);
  });

  it("args-03: refuse what is nested too deeply, without a crash", () => {
    const deep: unknown = JSON.parse("[".repeat(100_000) + "]".repeat(100_000));
    expect(() => digestArguments(deep)).toThrow(/nested/);
  });
});

describe("the display cases", () => {
  it.each(ofKind("display"))("$id: $why", ({ input, expected }) => {
    const { contains = [], noRaw = [], flag } = expected as { contains?: string[]; noRaw?: string[]; flag?: string };
    const { text, flags } = sanitizeForDisplay((input as { command: string }).command);
    for (const part of contains) expect(text).toContain(part);
    for (const part of noRaw) expect(text).not.toContain(part);
    if (flag !== undefined) expect(flags).toContain(flag);
  });
});
