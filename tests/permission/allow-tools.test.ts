import { describe, expect, it } from "vitest";
import type { PermissionCheck } from "../../src/contract/permission.ts";
import type { ToolAccess } from "../../src/contract/tool.ts";
import { allowAll, allowTools, denyAll } from "../../src/permission/allow-tools.ts";

const ACCESS = [undefined, "none", "read", "write", "exec"] as const;

/** What a check says to a call of `name`. */
function ask(check: PermissionCheck, name: string, toolAccess: ToolAccess | undefined) {
  return check({ id: "c", name, arguments: {} }, { runId: "r", toolAccess, signal: new AbortController().signal });
}

describe("allowTools", () => {
  it.each(ACCESS)("allows a named tool with access %s", (access) => {
    expect(ask(allowTools("bash", "write_file"), "write_file", access)).toEqual({
      decision: "allow",
      by: "rule:allowTools",
    });
  });

  it.each([
    [undefined, "allow"],
    ["none", "allow"],
    ["read", "allow"],
    ["write", "deny"],
    ["exec", "deny"],
    ["admin" as ToolAccess, "deny"],
  ] as const)("decides about a tool with access %s, which it does not name: %s", (access, decision) => {
    expect(ask(allowTools("bash"), "other", access)).toMatchObject({ decision, by: "default" });
    expect(ask(allowTools(), "other", access)).toMatchObject({ decision });
  });

  it("says how to allow what it refuses", () => {
    expect(ask(allowTools(), "bash", "exec")).toMatchObject({
      reason: expect.stringMatching(/"bash".*access "exec".*permission: allowTools\("bash"\)/),
    });
  });

  it("compares whole names", () => {
    expect(ask(allowTools("bash"), "bash2", "exec")).toMatchObject({ decision: "deny" });
    expect(ask(allowTools("bash"), "BASH", "exec")).toMatchObject({ decision: "deny" });
    expect(ask(allowTools("*"), "bash", "exec")).toMatchObject({ decision: "deny" });
  });

  it.each([
    ["", /got ""/],
    [undefined, /got undefined/],
    [["bash"], /got an array of 1\. Write allowTools\("bash"\)/],
  ])("refuses the name %o", (name, words) => {
    expect(() => allowTools(name as string)).toThrow(words);
    expect(() => allowTools("bash", name as string)).toThrow(TypeError);
  });
});

describe("allowAll and denyAll", () => {
  it.each(ACCESS)("decide without looking at access %s", (access) => {
    expect(ask(allowAll(), "t", access)).toEqual({ decision: "allow", by: "rule:allowAll" });
    expect(ask(denyAll(), "t", access)).toMatchObject({
      decision: "deny",
      by: "rule:denyAll",
      reason: expect.stringContaining('"t"'),
    });
  });
});
