import { getEventListeners } from "node:events";
import { assertRunInvariants, chaos, recordingClock } from "harness-kit/testing";
import { describe, expect, it } from "vitest";
import { SCENARIOS } from "./scenarios.ts";

const calm = () => chaos({ at: 0, fault: "throwError" });

/** Lets `ticks` microtasks and then `rounds` turns of the event loop pass. */
async function pass(ticks: number, rounds: number): Promise<void> {
  for (let tick = 0; tick < ticks; tick++) await undefined;
  for (let round = 0; round < rounds; round++) await new Promise((resolve) => setImmediate(resolve));
}

const play = async (name: string, ticks: number, rounds: number) => {
  const scenario = SCENARIOS[name];
  if (scenario === undefined) throw new Error(`There is no scenario ${name}.`);
  const controller = new AbortController();
  const clock = recordingClock();
  let wasOver = false;
  const played = scenario(calm(), clock, controller.signal).finally(() => {
    wasOver = true;
  });
  await pass(ticks, rounds);
  const abortedAt = clock.now();
  const cameLate = wasOver;
  controller.abort("The test has seen enough.");
  const { run, events } = await played;
  return { run, events, cameLate, tookMs: clock.now() - abortedAt, controller };
};

describe("an abort at any moment", () => {
  for (const name of Object.keys(SCENARIOS)) {
    it(`ends the run well: ${name}`, async () => {
      for (const byRounds of [false, true]) {
        for (let at = 0, late = 0; late < 3; at++) {
          const { run, events, cameLate, tookMs, controller } = await play(name, byRounds ? 0 : at, byRounds ? at : 0);
          const what = `abort at ${byRounds ? "round" : "tick"} ${at}`;
          assertRunInvariants(run, events);
          expect(getEventListeners(controller.signal, "abort"), what).toHaveLength(0);
          if (!cameLate) expect(tookMs, what).toBeLessThanOrEqual(120);
          if (cameLate) late++;
          if (!cameLate && run.status === "aborted") {
            expect(run, what).toMatchObject({ stopReason: "aborted", errorKind: "runtime", errorCode: "RUN_ABORTED" });
          }
          expect(at, "moments of one scenario").toBeLessThan(400);
        }
      }
    });
  }
});
