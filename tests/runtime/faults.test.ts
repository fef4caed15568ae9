import { assertWellFormed, parseRun } from "harness-kit";
import { assertRunInvariants, chaos, FAULTS, recordingClock } from "harness-kit/testing";
import { describe, expect, it } from "vitest";
import { type Played, SCENARIOS } from "./scenarios.ts";

/** A whole run with one fault in it takes milliseconds; a run that hangs must not hang the suite. */
const HANGS_AFTER_MS = 5_000;

async function settled(played: Promise<Played>, what: string): Promise<Played> {
  let timer: NodeJS.Timeout | undefined;
  const hang = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`${what}: the run does not settle.`)), HANGS_AFTER_MS);
  });
  return Promise.race([played, hang]).finally(() => clearTimeout(timer));
}

describe("a run with one fault", () => {
  for (const [name, scenario] of Object.entries(SCENARIOS)) {
    for (const fault of FAULTS) {
      it(`keeps every invariant with ${fault} at each point of: ${name}`, async () => {
        for (let at = 1; ; at++) {
          const clock = recordingClock();
          const storm = chaos({ at, fault, clock });
          const what = `${fault} at ${at}`;
          const { run, events } = await settled(scenario(storm, clock), what);
          const seen = events.length;
          try {
            assertRunInvariants(run, events, { maxSteps: 20, maxAttempts: 6, durationMs: 600_200 });
          } catch (error) {
            throw new Error(`${what} (${JSON.stringify(storm.fired)}): ${(error as Error).message}`);
          }
          assertWellFormed(run.history);
          expect(parseRun(JSON.stringify(run)), what).toEqual(run);
          await clock.advance(4_000_000);
          expect(clock.pending, `${what}: timers that are left`).toBe(0);
          expect(events.length, `${what}: events after the end`).toBe(seen);
          if (storm.fired.length === 0) break;
          expect(at, "points of one scenario").toBeLessThan(300);
        }
      });
    }
  }
});
