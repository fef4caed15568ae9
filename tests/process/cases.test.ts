import { rmSync } from "node:fs";
import { afterAll, describe, it } from "vitest";
import { checkCase, expand, makeFixtures, type ProcessCase, readCases, runCase } from "./case-runner.ts";

const fixtures = makeFixtures();

afterAll(() => rmSync(fixtures, { recursive: true, force: true }));

/** `sleep 49` may run in another test file at the same time: each mode of each case gets a number of its own. */
function withOwnSleeps(one: ProcessCase, salt: string): ProcessCase {
  const text = JSON.stringify(one).replace(/\bsleep (4[89])\b/g, (_, seconds) => `sleep ${seconds}.${salt}`);
  return JSON.parse(text) as ProcessCase;
}

describe.each(["sync", "async"] as const)("process cases, %s", (mode) => {
  const cases = readCases().filter((one) => one.modes.includes(mode));

  it.each(cases)("$id", async (raw) => {
    const one = expand(withOwnSleeps(raw, `${process.pid}${mode === "sync" ? 1 : 2}`), fixtures) as ProcessCase;
    await checkCase(one, mode, await runCase(one, mode));
  });
});
