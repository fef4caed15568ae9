import { describe, expect, it } from "vitest";
import type { ToolAccess } from "../../src/contract/tool.ts";
import { readOnlyGate } from "../../src/permission/read-only-gate.ts";

const gate = readOnlyGate({ root: "/srv/proj", allow: ["notify"] });

async function decide(name: string, toolAccess: ToolAccess | undefined, args: unknown = {}) {
  const context = { runId: "run_1", toolAccess, signal: new AbortController().signal };
  return (await gate.check({ id: "call_1", name, arguments: args }, context)).decision;
}

describe("a read-only gate", () => {
  it("allows tools that change nothing, and denies the others", async () => {
    expect(await decide("calculator", undefined)).toBe("allow");
    expect(await decide("calculator", "none")).toBe("allow");
    expect(await decide("readFile", "read", { path: "a.txt" })).toBe("allow");
    expect(await decide("writeFile", "write", { path: "a.txt" })).toBe("deny");
    expect(await decide("writeFile", "write", { command: "ls" })).toBe("deny");
    expect(await decide("python", "exec", { code: "1" })).toBe("deny");
    expect(await decide("later", "sometimes" as ToolAccess)).toBe("deny");
  });

  it("allows commands that only read, inside of its root", async () => {
    const reading = [
      "ls -la",
      "cat a.txt | head -5",
      "git status && git diff",
      "grep -rn TODO src",
      "sed -n '1,5p' a.txt",
    ];
    for (const command of reading) expect(await decide("bash", "exec", { command }), command).toBe("allow");
    const others = [
      "rm x",
      "cat /etc/passwd",
      "echo x > y",
      "find . -delete",
      "npm test",
      "git commit -m x",
      "cat .env",
    ];
    for (const command of others) expect(await decide("bash", "exec", { command }), command).toBe("deny");
  });

  it("lets nothing look outside of its root or at protected names", async () => {
    for (const path of ["/etc/passwd", "../x", ".env", "a/.ssh/id_rsa", "x\0"]) {
      expect(await decide("readFile", "read", { path }), path).toBe("deny");
      expect(await decide("readFiles", "read", { paths: ["a.txt", path] }), path).toBe("deny");
    }
    expect(await decide("bash", "exec", { command: "ls", cwd: "/" })).toBe("deny");
    expect(await decide("bash", "exec", { command: "ls", cwd: "src" })).toBe("allow");
  });

  it("allows the tools that are named, still inside of its root", async () => {
    expect(await decide("notify", "write", { text: "hello" })).toBe("allow");
    expect(await decide("notify", "write", { path: "/etc/passwd" })).toBe("deny");
  });

  it("says what to do instead", async () => {
    const context = { runId: "run_1", toolAccess: "write" as const, signal: new AbortController().signal };
    const answer = await gate.check({ id: "c", name: "writeFile", arguments: { path: "a" } }, context);
    expect(answer).toMatchObject({ by: "rule:changes nothing", reason: expect.stringMatching(/only reads/) });
  });

  it("refuses a root that is none", () => {
    expect(() => readOnlyGate({ root: "" })).toThrow(TypeError);
  });
});
