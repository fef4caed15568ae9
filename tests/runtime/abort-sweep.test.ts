import { getEventListeners } from "node:events";
import { assertRunInvariants, chaos, recordingClock } from "harness-kit/testing";
import { describe, expect, it } from "vitest";
import { SCENARIOS } from "./scenarios.ts";

const calm = () => chaos({ at: 0, fault: "throwError" });

/** Lets `rounds` turns of the event loop, and then `ticks` microtasks pass. */
async function pass(rounds: number, ticks: number): Promise<void> {
  for (let round = 0; round < rounds; round++) await new Promise((resolve) => setImmediate(resolve));
  for (let tick = 0; tick < ticks; tick++) await undefined;
}

/** Within the first turn of the loop every tick counts; later ones begin when a timer fires. */
const ticksIn = (round: number) => Array.from({ length: round === 0 ? 80 : 12 }, (_, tick) => tick);

const play = async (name: string, rounds: number, ticks: number) => {
  const scenario = SCENARIOS[name];
  if (scenario === undefined) throw new Error(`There is no scenario ${name}.`);
  const controller = new AbortController();
  const clock = recordingClock();
  let wasOver = false;
  const played = scenario(calm(), clock, controller.signal).finally(() => {
    wasOver = true;
  });
  await pass(rounds, ticks);
  const abortedAt = clock.now();
  const cameLate = wasOver;
  controller.abort("The test has seen enough.");
  const { run, events } = await played;
  return { run, events, cameLate, tookMs: clock.now() - abortedAt, controller };
};

describe("an abort at any moment", () => {
  for (const name of Object.keys(SCENARIOS)) {
    it(`ends the run well: ${name}`, async () => {
      for (let round = 0, isOver = false; !isOver; round++) {
        for (const tick of ticksIn(round)) {
          const { run, events, cameLate, tookMs, controller } = await play(name, round, tick);
          const what = `abort at round ${round}, tick ${tick}`;
          assertRunInvariants(run, events);
          expect(getEventListeners(controller.signal, "abort"), what).toHaveLength(0);
          isOver = cameLate;
          if (isOver) break;
          expect(tookMs, what).toBeLessThanOrEqual(120);
          if (run.status !== "aborted") continue;
          expect(run, what).toMatchObject({ stopReason: "aborted", errorKind: "runtime", errorCode: "RUN_ABORTED" });
        }
        expect(round, "rounds of one scenario").toBeLessThan(100);
      }
    });
  }
});
