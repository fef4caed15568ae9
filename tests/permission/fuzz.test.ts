import { describe, expect, it } from "vitest";
import { judgeText } from "../../src/permission/commands/check-command.ts";
import { loadParser } from "../../src/permission/commands/parser.ts";
import { resolvePolicy } from "../../src/permission/commands/policy.ts";
import { BENIGN, DENIED, POLICY } from "./command-tables.ts";
import { fuzzGate, makeScript, randomNumbers } from "./fuzz-scripts.ts";

describe("the command gate", () => {
  it("allows nothing that runs the marker or changes a file in real bash, in 1,000 scripts", async () => {
    const report = await fuzzGate(1_000, 20_260_101);
    expect(report.unsafe).toEqual([]);
    expect(report.scripts).toBe(1_000);
    // The scripts are worth something only when many run the marker and many are allowed.
    expect(report.marked).toBeGreaterThan(80);
    expect(report.allowed).toBeGreaterThan(60);
  }, 600_000);

  it("denies or asks about a denied program wherever random text is put around it", async () => {
    const parser = await loadParser();
    const policy = resolvePolicy(POLICY);
    const random = randomNumbers(7);
    const denied = Object.values(DENIED)
      .flat()
      .filter((command) => command.length < 200);
    let judged = 0;
    for (let round = 0; round < 3_000; round++) {
      const command = denied[Math.floor(random() * denied.length)] ?? "";
      const other = random() < 0.5 ? makeScript(random) : (BENIGN[Math.floor(random() * BENIGN.length)] ?? "");
      const separator = ["\n", "; ", " && ", " || ", " | ", " & "][Math.floor(random() * 6)] ?? "\n";
      const isFirst = random() < 0.5;
      // Behind an open quote, a comment or a here-document the denied command is data.
      if (!isFirst && /[#'"\\]|<</.test(other)) continue;
      const mixed = isFirst ? `${command}${separator}${other}` : `${other}${separator}${command}`;
      expect(judgeText(mixed, policy, parser).decision, mixed).not.toBe("allow");
      judged++;
    }
    expect(judged).toBeGreaterThan(1_500);
  });
});
