import { describe, expect, it } from "vitest";
import { judgeText } from "../../src/permission/commands/check-command.ts";
import { loadParser } from "../../src/permission/commands/parser.ts";
import { resolvePolicy } from "../../src/permission/commands/policy.ts";
import { HEAVY, POLICY } from "./command-tables.ts";

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
