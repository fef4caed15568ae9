/** What every adapter over HTTP makes of the bytes of a stream. */
import { getEventListeners } from "node:events";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { openTextBody } from "../../../../src/adapters/models/http/body.ts";
import type { ModelEvent } from "../../../../src/contract/model.ts";
import { ModelError } from "../../../../src/errors/index.ts";
import { COLLECTED, SPECIMENS, streamOf } from "../specimens.ts";
import {
  callContext,
  collect,
  cutAt,
  eventsOf,
  failureOf,
  fetchOf,
  request,
  toBytes,
  untilFailure,
} from "../support.ts";

describe.each(SPECIMENS)("a stream of $name", (specimen) => {
  const { model, whole, wholeAfter, begun, least } = specimen;
  const bytes = toBytes(whole);
  const over = (fetch: typeof globalThis.fetch, signal?: AbortSignal) =>
    model({ fetch }).stream(request(), callContext(signal));

  it("becomes reasoning, text, calls and usage, and a finish exactly once and last", async () => {
    const events = await eventsOf(streamOf(specimen, [whole]));
    const types = events.map(({ type }) => type);
    expect([...new Set(types)]).toEqual(["reasoning", "text", "toolCall", "usage", "finish"]);
    expect(types.filter((type) => type === "finish")).toHaveLength(1);
    const answer = await collect(streamOf(specimen, [whole]));
    expect(answer).toMatchObject(COLLECTED);
    expect(answer.reasoning?.map(({ text }) => text)).toEqual(["hm, so"]);
  });

  it("gives the same events for any split of its bytes, any line end, with or without a BOM and comments", async () => {
    const expected = await eventsOf(streamOf(specimen, [whole]));
    const positions = fc.array(fc.nat(bytes.length), { maxLength: 20 });
    const lineEnds = fc.constantFrom("\n", "\r\n", "\r");
    const property = fc.asyncProperty(
      positions,
      lineEnds,
      fc.constantFrom("", "\uFEFF"),
      fc.boolean(),
      async (cuts, lineEnd, bom, comments) => {
        const commented = comments ? whole.replaceAll("\n\n", "\n\n: keep-alive\n\n:\n\n") : whole;
        const content = bom + commented.replaceAll("\n", lineEnd);
        expect(await eventsOf(streamOf(specimen, cutAt(content, cuts)))).toEqual(expected);
      },
    );
    await fc.assert(property, { numRuns: 150 });
  });

  it("is the same when it is split at one byte, wherever, or at every byte", async () => {
    const expected = await collect(streamOf(specimen, [whole]));
    for (let at = 1; at < bytes.length; at += 7) {
      expect(await collect(streamOf(specimen, cutAt(whole, [at])))).toEqual(expected);
    }
    expect(
      await collect(
        streamOf(
          specimen,
          [...bytes].map((byte) => Uint8Array.of(byte)),
        ),
      ),
    ).toEqual(expected);
  });

  it("never passes as finished when it is cut at any byte before its end", async () => {
    for (let length = 0; length < wholeAfter; length++) {
      const { events, error } = await untilFailure(streamOf(specimen, [bytes.slice(0, length)]));
      expect(events.some((event) => event.type === "finish")).toBe(false);
      expect(error).toMatchObject({ kind: "model", code: "MODEL_BAD_RESPONSE", retryable: true });
    }
    expect(await collect(streamOf(specimen, [bytes.slice(0, wholeAfter)]))).toMatchObject({
      content: COLLECTED.content,
      toolCalls: COLLECTED.toolCalls,
      finishReason: "toolCalls",
    });
  });

  it("tells of a sign of life for every piece that holds nothing of the answer", async () => {
    const quiet = [
      "\n",
      ":",
      " keep-alive\n\n",
      ": ping\n",
      "\r\n",
      "data:\n\n",
      'event: ping\ndata: {"type":"ping"}\n\n',
    ];
    const events: ModelEvent[] = [];
    for await (const event of streamOf(specimen, [...quiet, whole])) events.push(event);
    expect(events.slice(0, quiet.length).map(({ type }) => type)).toEqual(quiet.map(() => "heartbeat"));
    expect(events.slice(quiet.length)).toEqual(await eventsOf(streamOf(specimen, [whole])));
  });

  it("tells of none once the answer is whole", async () => {
    const types: string[] = [];
    for await (const { type } of streamOf(specimen, [least, ": keep-alive\n\n", "\n", ":\n"])) types.push(type);
    expect(types).not.toContain("heartbeat");
    expect(types.at(-1)).toBe("finish");
  });

  it("gives what came before an error in the same bytes", async () => {
    const { events, error } = await untilFailure(streamOf(specimen, [`${begun}data: {broken\n\n`]));
    expect(events).toEqual([{ type: "text", text: "a" }]);
    expect(error).toMatchObject({ kind: "model", code: "MODEL_BAD_RESPONSE" });
    expect(error?.message).toContain("no JSON object");
  });

  it("is an error when there is none of it", async () => {
    for (const [text, words] of [
      ["<!DOCTYPE html><title>Sign in</title>", "Sign in"],
      ["", "empty"],
      [" \n\n", "empty"],
      ["Bad gateway\n\n", "ended before"],
      ['{"a":1}', "no "],
    ] as const) {
      const { error } = await untilFailure(streamOf(specimen, [text]));
      expect(error).toMatchObject({ code: "MODEL_BAD_RESPONSE", message: expect.stringContaining(words) });
    }
  });

  it("refuses a single event without end instead of keeping it all", async () => {
    const megabyte = "x".repeat(1024 * 1024);
    const { fetch, seen } = fetchOf(["data: ", ...Array.from({ length: 40 }, () => megabyte)]);
    const { error } = await untilFailure(over(fetch));
    expect(error).toMatchObject({ code: "MODEL_BAD_RESPONSE", message: expect.stringContaining("single event") });
    expect(seen.cancelled).toBe(true);
  });

  it("needs nothing behind the end of the answer but the end of the body", async () => {
    expect(await collect(streamOf(specimen, [least.trimEnd()]))).toMatchObject({ content: "a", finishReason: "stop" });
    const { fetch } = fetchOf([`${least}data: [DONE]\n\n`], { ends: false });
    expect(await collect(over(fetch))).toMatchObject({ content: "a", finishReason: "stop" });
  });

  it("closes its body when the consumer stops early, also while it waits", async () => {
    const { fetch, seen } = fetchOf([begun, begun], { ends: false });
    for await (const event of over(fetch)) {
      if (event.type === "text") break;
    }
    expect(seen).toMatchObject({ calls: 1, cancelled: true });
    const silent = fetchOf([begun], { ends: false });
    const iterator = over(silent.fetch)[Symbol.asyncIterator]();
    await iterator.next();
    const waiting = iterator.next();
    await iterator.return?.();
    expect(await waiting).toEqual({ done: true, value: undefined });
    expect(silent.seen.cancelled).toBe(true);
  });

  it("settles with the reason of an abort even where fetch and body ignore the signal", async () => {
    const controller = new AbortController();
    const { fetch, seen } = fetchOf([begun], { ends: false });
    const iterator = over(fetch, controller.signal)[Symbol.asyncIterator]();
    expect((await iterator.next()).value).toEqual({ type: "text", text: "a" });
    setTimeout(() => controller.abort(new Error("stopped by the user")), 5);
    await expect(iterator.next()).rejects.toMatchObject({ code: "RUN_ABORTED", message: "stopped by the user" });
    expect(seen.cancelled).toBe(true);
    expect(await iterator.next()).toEqual({ done: true, value: undefined });
  });

  it("settles with the reason of an abort while fetch never answers, and throws a late response away", async () => {
    const controller = new AbortController();
    let answer: (response: Response) => void = () => {};
    const late = new Promise<Response>((resolve) => {
      answer = resolve;
    });
    const pending = over(() => late, controller.signal)
      [Symbol.asyncIterator]()
      .next();
    controller.abort(new Error("too late"));
    await expect(pending).rejects.toMatchObject({ code: "RUN_ABORTED" });
    const { fetch, seen } = fetchOf([begun], { ends: false });
    answer(await fetch(""));
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(seen.cancelled).toBe(true);
  });

  it("rejects with the very error that the signal was aborted with", async () => {
    const reason = new ModelError("The model took too long.", { code: "MODEL_TIMEOUT" });
    const controller = new AbortController();
    const asked = model({ fetch: () => new Promise<Response>(() => {}) });
    const pending = [
      failureOf(asked.generate(request(), callContext(controller.signal))),
      failureOf(collect(asked.stream(request(), callContext(controller.signal)))),
    ];
    controller.abort(reason);
    for (const error of await Promise.all(pending)) expect(error).toBe(reason);
  });

  it("leaves no listener on the signal, however it ended", async () => {
    const { signal } = new AbortController();
    await collect(over(fetchOf([whole]).fetch, signal));
    await untilFailure(over(fetchOf(["data: {broken\n\n"]).fetch, signal));
    await untilFailure(over(fetchOf(["no"], { status: 500 }).fetch, signal));
    await untilFailure(over(() => Promise.reject(new Error("no")), signal));
    for await (const _event of over(fetchOf([whole, whole]).fetch, signal)) break;
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(getEventListeners(signal, "abort")).toEqual([]);
  });
});

describe("a body", () => {
  it("is closed when it is opened under a signal that has fired", async () => {
    let cancelled = false;
    const stalled = new ReadableStream<Uint8Array>({
      cancel: () => {
        cancelled = true;
      },
    });
    const body = openTextBody(new Response(stalled), AbortSignal.abort(new Error("gone")));
    await expect(body.next()).rejects.toThrow("gone");
    expect(cancelled).toBe(true);
  });
});
