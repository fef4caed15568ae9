/** What a provider's keep-alives mean to a run, over a real connection. */
import { createRuntime } from "harness-kit";
import { fakeProvider } from "harness-kit/testing";
import { describe, expect, it } from "vitest";
import { SPECIMENS } from "../specimens.ts";
import { toBytes } from "../support.ts";

/** 20 of them take 0.6 s at least, twice what silence may last. */
const BEAT = ": keep-alive\n\n";
const BEATS = 20;
const SPLIT = Array.from({ length: BEATS }, (_, at) => (at + 1) * BEAT.length);
const LIMITS = { streamIdleMs: 300, retry: { maxAttempts: 1 } };

describe.each(SPECIMENS)("a run over $name", ({ model, least }) => {
  it("waits for a provider that shows that it is alive, and no longer for one that does not", async () => {
    const provider = await fakeProvider({
      replies: [
        { raw: BEAT.repeat(BEATS) + least, transport: { split: SPLIT, pieceDelayMs: 30 } },
        { raw: BEAT + least, transport: { cut: { afterBytes: toBytes(BEAT).length, how: "stall" } } },
      ],
    });
    const runtime = createRuntime({ ...LIMITS, model: model({ baseUrl: provider.baseUrl }) });
    const types = new Set<string>();
    const stream = runtime.stream("Think long.");
    for await (const { type } of stream) types.add(type);
    const run = await stream.result;
    expect(run).toMatchObject({ status: "completed", answer: "a" });
    expect(run.endedAt - run.startedAt).toBeGreaterThan(500);
    expect([...types].filter((type) => type.startsWith("model:"))).toEqual(["model:start", "model:delta", "model:end"]);
    const silent = await runtime.stream("And now?").result;
    expect(silent).toMatchObject({ status: "failed", errorCode: "MODEL_TIMEOUT", errorDetail: { retryable: true } });
    expect(silent.error).toContain("sent nothing for 300 ms (streamIdleMs)");
    expect(await provider.requests[1]?.closed).toBe("cancelled");
    await provider.close();
  });
});
