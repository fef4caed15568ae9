import { describe, expect, it } from "vitest";
import { addTool, callContext, collect, eventsOf, request } from "../support.ts";
import { callStream, completion, generateFrom, modelOf, streamOf } from "./support.ts";

const entry = (index: number | undefined, id: string | undefined, name: string | undefined, text: string) => ({
  ...(index === undefined ? {} : { index }),
  ...(id === undefined ? {} : { id }),
  function: { ...(name === undefined ? {} : { name }), arguments: text },
});

async function callsOf(...entries: object[]) {
  return (await collect(streamOf([callStream(...entries)]))).toolCalls;
}

const ada = { id: "a", name: "look", arguments: '{"q":"ada"}' };
const alan = { id: "b", name: "look", arguments: '{"q":"alan"}' };

describe("streamed tool calls", () => {
  it.each([
    [
      "as OpenAI sends them",
      [
        entry(0, "a", "look", ""),
        entry(0, undefined, undefined, '{"q":'),
        entry(0, undefined, undefined, '"ada"}'),
        entry(1, "b", "look", ""),
        entry(1, undefined, undefined, '{"q":"alan"}'),
      ],
    ],
    [
      "interleaved by index",
      [
        entry(0, "a", "look", '{"q":'),
        entry(1, "b", "look", '{"q":'),
        entry(0, undefined, undefined, '"ada"}'),
        entry(1, undefined, undefined, '"alan"}'),
      ],
    ],
    [
      "all at index 0 with ids of their own",
      [entry(0, "a", "look", '{"q":"ada"}'), entry(0, "b", "look", '{"q":"alan"}')],
    ],
    [
      "all at index 0, interleaved by id",
      [
        entry(0, "a", "look", '{"q":'),
        entry(0, "b", "look", '{"q":'),
        entry(0, "a", undefined, '"ada"}'),
        entry(0, "b", undefined, '"alan"}'),
      ],
    ],
    [
      "with id and name in every piece",
      [
        entry(0, "a", "look", '{"q":'),
        entry(0, "a", "look", '"ada"}'),
        entry(1, "b", "look", '{"q":'),
        entry(1, "b", "look", '"alan"}'),
      ],
    ],
    [
      "with a new id in every piece",
      [
        entry(0, "a", "look", '{"q":'),
        entry(0, "a2", undefined, '"ada"}'),
        entry(1, "b", "look", '{"q":'),
        entry(1, "b2", undefined, '"alan"}'),
      ],
    ],
    [
      "without an index",
      [
        entry(undefined, "a", "look", '{"q":'),
        entry(undefined, undefined, undefined, '"ada"}'),
        entry(undefined, "b", "look", '{"q":"alan"}'),
      ],
    ],
    [
      "with ids but no index in later pieces",
      [
        entry(0, "a", "look", '{"q":'),
        entry(1, "b", "look", '{"q":'),
        entry(undefined, "a", "look", '"ada"}'),
        entry(undefined, "b", undefined, '"alan"}'),
      ],
    ],
    [
      "with the name after the id",
      [
        entry(0, "a", undefined, ""),
        entry(0, undefined, "look", '{"q":"ada"}'),
        entry(1, "b", undefined, '{"q":'),
        entry(1, undefined, "look", '"alan"}'),
      ],
    ],
    ["starting at index 1", [entry(1, "a", "look", '{"q":"ada"}'), entry(2, "b", "look", '{"q":"alan"}')]],
  ])("come out as two calls when they come %s", async (_name, entries) => {
    expect(await callsOf(...entries)).toEqual([ada, alan]);
  });

  it("keep an id and a name that every delta repeats exactly once", async () => {
    const calls = await callsOf(entry(0, "call_1", "look_up", '{"k":'), entry(0, "call_1", "look_up", '"v"}'));
    expect(calls).toEqual([{ id: "call_1", name: "look_up", arguments: '{"k":"v"}' }]);
  });

  it("get ids of their own where the server gives none, also for the same tool twice at one index", async () => {
    const calls = await callsOf(
      entry(0, undefined, "look", '{"q":"ada"}'),
      entry(0, undefined, "look", '{"q":"alan"}'),
    );
    expect(calls.map((call) => call.arguments)).toEqual(['{"q":"ada"}', '{"q":"alan"}']);
    expect(new Set(calls.map((call) => call.id)).size).toBe(2);
    for (const call of calls) expect(call.id).toMatch(/^call_[0-9a-z]{20}$/);
  });

  it("continue without an id when the name is repeated before the arguments are complete", async () => {
    const calls = await callsOf(entry(0, undefined, "look", '{"q":'), entry(0, undefined, "look", '"ada"}'));
    expect(calls.map((call) => call.arguments)).toEqual(['{"q":"ada"}']);
  });

  it("start anew without an id when another name comes", async () => {
    const calls = await callsOf(entry(0, undefined, "look", ""), entry(0, undefined, "add", "{}"));
    expect(calls.map((call) => call.name)).toEqual(["look", "add"]);
  });

  it("get different ids where the server gives one id to all", async () => {
    const calls = await callsOf(entry(0, "x", "look", '{"q":"ada"}'), entry(1, "x", "look", '{"q":"alan"}'));
    expect(calls.map((call) => call.arguments)).toEqual(['{"q":"ada"}', '{"q":"alan"}']);
    expect(new Set(calls.map((call) => call.id)).size).toBe(2);
  });

  it("stay apart by index where one id is given to all and repeated", async () => {
    const calls = await callsOf(
      entry(0, "x", "look", '{"q":'),
      entry(1, "x", "look", '{"q":'),
      entry(1, "x", undefined, '"alan"}'),
      entry(0, "x", undefined, '"ada"}'),
    );
    expect(calls.map((call) => call.arguments)).toEqual(['{"q":"ada"}', '{"q":"alan"}']);
  });

  it.each([
    [
      "a new id but neither index nor name",
      [entry(undefined, "a", "look", '{"q":'), entry(undefined, "a2", undefined, '"ada"}')],
    ],
    ["the name only with a second id", [entry(0, "a", undefined, ""), entry(0, "a2", "look", '{"q":"ada"}')]],
  ])("are one call when later pieces carry %s", async (_name, entries) => {
    expect(await callsOf(...entries)).toEqual([ada]);
  });

  it("are one call when the id comes late, with the name repeated", async () => {
    const calls = await callsOf(entry(0, undefined, "look", ""), entry(0, "x", "look", '{"q":"ada"}'));
    expect(calls.map((call) => call.arguments)).toEqual(['{"q":"ada"}']);
  });

  it("are found by an id that came late", async () => {
    const calls = await callsOf(
      entry(0, undefined, "look", ""),
      entry(0, "x", undefined, '{"q":'),
      entry(0, "b", "look", '{"q":"alan"}'),
      entry(0, "x", undefined, '"ada"}'),
    );
    expect(calls.map((call) => call.arguments)).toEqual(['{"q":"ada"}', '{"q":"alan"}']);
  });

  it("carry id and name in their first event and never again", async () => {
    const events = await eventsOf(
      streamOf([callStream(entry(0, "a", "look", '{"q":'), entry(0, "a", "look", '"ada"}'))]),
    );
    expect(events.filter((event) => event.type === "toolCall")).toEqual([
      { type: "toolCall", index: 0, id: "a", name: "look", arguments: '{"q":' },
      { type: "toolCall", index: 0, arguments: '"ada"}' },
    ]);
  });

  it("leave out an entry that says nothing", async () => {
    expect(
      await callsOf(entry(0, "a", "look", '{"q":"ada"}'), { index: 1, id: "", function: { name: "", arguments: "" } }),
    ).toEqual([ada]);
  });

  it("take arguments that come as an object", async () => {
    expect(await callsOf({ index: 0, id: "a", function: { name: "look", arguments: { q: "ada" } } })).toEqual([ada]);
  });

  it("pass cut arguments on as they are, under the reason that says so", async () => {
    const whole = await collect(
      streamOf([callStream(entry(0, "a", "look", '{"q":"ad')).replace('"tool_calls"}]', '"length"}]')]),
    );
    expect(whole).toMatchObject({ finishReason: "length", toolCalls: [{ arguments: '{"q":"ad' }] });
  });
});

describe("tool calls of a whole answer", () => {
  const withCalls = (...toolCalls: unknown[]) => completion({ content: null, tool_calls: toolCalls }, "tool_calls");

  it("keep order, ids and argument text", async () => {
    const answer = await generateFrom(
      withCalls(entry(0, "a", "look", '{"q":"ada"}'), entry(1, "b", "look", '{"q":"alan"}')),
    );
    expect(answer.toolCalls).toEqual([ada, alan]);
    expect(answer.finishReason).toBe("toolCalls");
  });

  it("take an object or nothing as arguments", async () => {
    const answer = await generateFrom(
      withCalls(
        { id: "a", function: { name: "look", arguments: { q: "ada" } } },
        { id: "b", function: { name: "now" } },
      ),
    );
    expect(answer.toolCalls).toEqual([ada, { id: "b", name: "now", arguments: "" }]);
  });

  it("get ids where there are none, or twice the same", async () => {
    const answer = await generateFrom(
      withCalls(entry(0, undefined, "look", "{}"), entry(0, "x", "look", "{}"), entry(0, "x", "look", "{}")),
    );
    expect(new Set(answer.toolCalls.map((call) => call.id)).size).toBe(3);
  });

  it.each([
    ["no name", { id: "a", function: { arguments: "{}" } }],
    ["no function", { id: "a", type: "custom" }],
    ["no object", "look"],
  ])("are a bad response with %s", async (_name, call) => {
    await expect(generateFrom(withCalls(call))).rejects.toMatchObject({ code: "MODEL_BAD_RESPONSE" });
  });
});

describe("tool names", () => {
  it("come back as they were registered, from streams and whole answers", async () => {
    const asked = request({ tools: [{ ...addTool, name: "math.add" }] });
    const streamed = modelOf([callStream(entry(0, "a", "math_add", "{}"))]).stream(asked, callContext());
    expect((await collect(streamed)).toolCalls[0]?.name).toBe("math.add");
    const document = JSON.stringify(completion({ content: null, tool_calls: [entry(0, "a", "math_add", "{}")] }));
    const answer = await modelOf([document]).generate(asked, callContext());
    expect(answer.toolCalls[0]?.name).toBe("math.add");
  });

  it("stay as the model wrote them when nobody registered them", async () => {
    expect((await callsOf(entry(0, "a", "no_such_tool", "{}")))[0]?.name).toBe("no_such_tool");
  });
});
