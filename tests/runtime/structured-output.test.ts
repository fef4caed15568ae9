import { createRuntime } from "harness-kit";
import { callTool, scriptedModel } from "harness-kit/testing";
import { describe, expect, expectTypeOf, it } from "vitest";
import { z } from "zod";

const Weather = z.object({ city: z.string(), celsius: z.number(), unit: z.string().default("C") });

describe("a run with an output schema", () => {
  it("returns the validated output, typed by the schema, and the text as the answer", async () => {
    const model = scriptedModel(['{"city":"Oslo","celsius":3}']);
    const run = await createRuntime({ model }).run("Weather?", { output: Weather });
    expect(run.output).toEqual({ city: "Oslo", celsius: 3, unit: "C" });
    expect(run.answer).toBe('{"city":"Oslo","celsius":3}');
    expectTypeOf(run.output).toEqualTypeOf<z.output<typeof Weather> | undefined>();
  });

  it("asks the model for it by the response format", async () => {
    const model = scriptedModel(['{"city":"Oslo","celsius":3}']);
    await createRuntime({ model, settings: { temperature: 0 } }).run("Weather?", { output: Weather });
    expect(model.requests[0]?.settings).toMatchObject({
      temperature: 0,
      responseFormat: { name: "output", schema: { type: "object" } },
    });
  });

  it("reads JSON that stands in a fence or in a sentence", async () => {
    for (const text of ['```json\n{"city":"Oslo","celsius":3}\n```', 'Here: {"city":"Oslo","celsius":3}. Enjoy.']) {
      const run = await createRuntime({ model: scriptedModel([text]) }).run("Weather?", { output: Weather });
      expect(run.output).toEqual({ city: "Oslo", celsius: 3, unit: "C" });
    }
  });

  it("tells the model what does not fit and takes the corrected answer", async () => {
    const model = scriptedModel(['{"city":"Oslo","celsius":"three"}', "I do not know.", '{"city":"Oslo","celsius":3}']);
    const run = await createRuntime({ model }).run("Weather?", { output: Weather });
    expect(run).toMatchObject({ status: "completed", iterations: 3, output: { celsius: 3 } });
    expect(run.history[2]).toMatchObject({ role: "user", content: expect.stringContaining("celsius: ") });
    expect(run.history[4]).toMatchObject({ role: "user", content: expect.stringContaining("not valid JSON") });
  });

  it("fails with MODEL_OUTPUT_INVALID after three answers off schema", async () => {
    const model = scriptedModel(["no"], { repeatLast: true });
    const run = await createRuntime({ model }).run("Weather?", { output: Weather });
    expect(run).toMatchObject({
      status: "failed",
      errorKind: "model",
      errorCode: "MODEL_OUTPUT_INVALID",
      iterations: 3,
    });
    expect(run.output).toBeUndefined();
  });

  it("ends at maxSteps like any other run", async () => {
    const model = scriptedModel(["no"], { repeatLast: true });
    const run = await createRuntime({ model, maxSteps: 2 }).run("Weather?", { output: Weather });
    expect(run).toMatchObject({ stopReason: "maxSteps", incomplete: true, iterations: 2 });
  });

  it("lets the model use tools before it answers", async () => {
    const tool = { name: "look", description: "Look.", parameters: z.object({}), execute: () => 3 };
    const model = scriptedModel([callTool("look"), '{"city":"Oslo","celsius":3}']);
    const run = await createRuntime({ model, tools: [tool] }).run("Weather?", { output: Weather });
    expect(run.output).toMatchObject({ celsius: 3 });
  });

  it("settles when a validator never comes back and the run is aborted", async () => {
    const never = {
      "~standard": {
        version: 1,
        vendor: "own",
        validate: () => new Promise<never>(() => {}),
        jsonSchema: { input: () => ({ type: "object" }) },
      },
    } as const;
    const controller = new AbortController();
    setTimeout(() => controller.abort("enough"), 20);
    const run = await createRuntime({ model: scriptedModel(["{}"]) }).run("Weather?", {
      output: never as never,
      signal: controller.signal,
    });
    expect(run).toMatchObject({ status: "aborted", errorCode: "RUN_ABORTED" });
  });

  it("sends the schema itself, beside the settings of the run", async () => {
    const model = scriptedModel(['{"city":"Oslo","celsius":3}']);
    await createRuntime({ model }).run("Weather?", { output: Weather, settings: { topP: 0.7 } });
    expect(model.requests[0]?.settings).toEqual({
      topP: 0.7,
      responseFormat: {
        name: "output",
        schema: expect.objectContaining({
          type: "object",
          properties: {
            city: expect.objectContaining({ type: "string" }),
            celsius: expect.objectContaining({ type: "number" }),
            unit: expect.objectContaining({ type: "string" }),
          },
        }),
      },
    });
  });

  it("takes the whole answer before a fence, and a fence before a sentence", async () => {
    const Any = z.looseObject({});
    for (const [text, output] of [
      ['{"a":"```json\\n{}\\n```"}', { a: "```json\n{}\n```" }],
      ['Not {this}, but\n```\n{"b":1}\n```\nand not {that}.', { b: 1 }],
      ['```json\n{"c":\n2}\n```', { c: 2 }],
      ['It is {"d":{"e":3}} I think', { d: { e: 3 } }],
    ] as const) {
      const run = await createRuntime({ model: scriptedModel([text]) }).run("Go.", { output: Any });
      expect(run.output).toEqual(output);
      expect(Object.isFrozen(run.output)).toBe(true);
    }
  });

  it("says in full what the model is to do again, and at last what did not fit", async () => {
    const problem =
      /^Your answer does not fit the required output: (.+)\. Answer again with one JSON object that fits, and nothing else\.$/;
    const model = scriptedModel(["", '{"city":5}', '{"city":"Oslo"}']);
    const run = await createRuntime({ model }).run("Weather?", { output: Weather });
    const notes = run.history.flatMap(({ role, content }) =>
      role === "user" ? [problem.exec(String(content))?.[1]] : [],
    );
    expect(notes).toEqual([undefined, "it is not valid JSON", expect.stringMatching(/^city: .+; celsius: .+$/)]);
    expect(run.error).toMatch(/^The model answered off the output schema 3 times; at last: celsius: .+\.$/);
    expect(run.errorDetail?.detail).toEqual({ problems: expect.stringMatching(/^celsius: /) });
  });

  it("tells no more than twenty problems", async () => {
    const names = Array.from({ length: 30 }, (_, index) => `key${index}`);
    const Many = z.object(Object.fromEntries(names.map((name) => [name, z.number()])));
    const run = await createRuntime({ model: scriptedModel(["{}", "{}", "{}"]) }).run("Go.", { output: Many });
    const note = String(run.history[2]?.content);
    expect(note.match(/key\d+/g)).toEqual(names.slice(0, 20));
  });

  it("takes a validator that throws for an answer that does not fit", async () => {
    const throwing = {
      "~standard": {
        version: 1,
        vendor: "own",
        validate: () => Promise.reject(new Error("validator down")),
        jsonSchema: { input: () => ({ type: "object" }) },
      },
    };
    const model = scriptedModel(["{}"], { repeatLast: true });
    const run = await createRuntime({ model }).run("Go.", { output: throwing as never });
    expect(run).toMatchObject({ status: "failed", errorCode: "MODEL_OUTPUT_INVALID", iterations: 3 });
    expect(run.error).toContain("validator down");
  });

  it("refuses a schema that is none, before the run", async () => {
    const runtime = createRuntime({ model: scriptedModel(["{}"]) });
    await expect(runtime.run("Weather?", { output: z.string() })).rejects.toThrow(
      /root of its schema must be an object/,
    );
  });
});
