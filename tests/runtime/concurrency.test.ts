import { getEventListeners } from "node:events";
import { type AgentEvent, createRuntime, defineTool } from "harness-kit";
import { assertRunInvariants } from "harness-kit/testing";
import { describe, expect, it } from "vitest";
import { z } from "zod";

const RUNS = 1_000;

describe("a thousand runs at once on one runtime", () => {
  it("share nothing: every answer, event and abort belongs to its own run", async () => {
    const echo = defineTool({
      name: "echo",
      description: "Echoes.",
      parameters: z.object({ text: z.string() }),
      execute: async ({ text }) => {
        await new Promise((resolve) => setImmediate(resolve));
        return text;
      },
    });
    const runtime = createRuntime({
      tools: [echo],
      model: async ({ messages }) => {
        await new Promise((resolve) => setImmediate(resolve));
        const asked = String(messages[0]?.content);
        if (messages.length > 1) return { content: String(messages.at(-1)?.content), toolCalls: [] };
        return { content: "", toolCalls: [{ id: "same", name: "echo", arguments: { text: asked } }] };
      },
    });
    const events = new Map<string, AgentEvent[]>();
    runtime.on("*", (event) => {
      const own = events.get(event.runId);
      if (own === undefined) events.set(event.runId, [event]);
      else own.push(event);
    });
    const shared = new AbortController();
    const runs = await Promise.all(
      Array.from({ length: RUNS }, (_, index) => {
        const own = new AbortController();
        if (index % 10 === 0) setImmediate(() => own.abort(`abort ${index}`));
        const signal = index % 10 === 0 ? own.signal : shared.signal;
        return runtime.run(`prompt ${index}`, { runId: `run-${index}`, signal });
      }),
    );
    expect(getEventListeners(shared.signal, "abort")).toHaveLength(0);
    for (const [index, run] of runs.entries()) {
      assertRunInvariants(run, events.get(run.id));
      expect(run.id).toBe(`run-${index}`);
      const texts = JSON.stringify(run.history).match(/prompt \d+/g) ?? [];
      expect(new Set(texts)).toEqual(new Set([`prompt ${index}`]));
      if (index % 10 !== 0) expect(run).toMatchObject({ status: "completed", answer: `prompt ${index}` });
      else expect(run).toMatchObject({ status: "aborted", error: `abort ${index}` });
    }
  });
});
