import { createRuntime, type RuntimeOptions } from "harness-kit";
import { callTool, scriptedModel } from "harness-kit/testing";
import { describe, expect, it } from "vitest";
import { play, spyTool } from "./helpers.ts";

const model = scriptedModel(["Done."], { repeatLast: true });

/** What `createRuntime` says to options as JavaScript may give them. */
function refusal(options: object): string {
  try {
    createRuntime({ model, ...options } as RuntimeOptions);
  } catch (error) {
    if (error instanceof TypeError) return error.message;
    throw error;
  }
  return "taken";
}

describe("options that are wrong", () => {
  it.each([
    [undefined, "createRuntime takes an object with a model, got undefined. Write createRuntime({ model })."],
    [null, "createRuntime takes an object with a model, got null. Write createRuntime({ model })."],
    ["gpt-5", 'createRuntime takes an object with a model, got "gpt-5". Write createRuntime({ model }).'],
  ])("%s instead of options", (options, message) => {
    expect(() => createRuntime(options as never)).toThrow(
      expect.objectContaining({ name: "TypeError", code: "RUNTIME_INVALID_CONFIG", message }),
    );
  });

  it.each([[undefined], [null], ["gpt-5"], [5], [{}], [{ generate: "no" }], [[]]])("the model %j", (given) => {
    expect(refusal({ model: given })).toMatch(
      /^model must be a model: an object with generate\(request, context\), or a function\. Got .+\. Write for example createRuntime\(\{ model: openaiModel\(\{ model: "gpt-5", apiKey }\) }\)\.$/,
    );
  });

  it.each(["maxSteps", "concurrency"] as const)("%s that is no whole number from 1 up", (option) => {
    for (const value of [-1, 1.5, Number.NaN, "5", -Number.POSITIVE_INFINITY, true]) {
      expect(refusal({ [option]: value })).toMatch(
        new RegExp(`^${option} must be a whole number from 1 up, got .+\\. Leave it out for the default of \\d+\\.$`),
      );
    }
    for (const value of [0, 1, 7, Number.POSITIVE_INFINITY, undefined])
      expect(refusal({ [option]: value })).toBe("taken");
  });

  it.each(["timeoutMs", "modelTimeoutMs", "streamIdleMs", "toolTimeoutMs"] as const)("%s that is no time", (option) => {
    for (const value of [-1, Number.NaN, "5", true, {}]) {
      expect(refusal({ [option]: value })).toMatch(
        new RegExp(
          `^${option} must be a number of milliseconds from 0 up \\(0 for no limit\\), got .+\\. Leave it out for the default of \\d+\\.$`,
        ),
      );
    }
    for (const value of [0, 0.5, Number.POSITIVE_INFINITY, undefined])
      expect(refusal({ [option]: value })).toBe("taken");
  });

  it.each([
    ["graceMs", 0],
    ["storeTimeoutMs", 1],
  ] as const)("%s that is not finite or below %i", (option, least) => {
    for (const value of [least - 1, Number.NaN, Number.POSITIVE_INFINITY, "5"]) {
      expect(refusal({ [option]: value })).toMatch(
        new RegExp(`^${option} must be a finite number of milliseconds from ${least} up, got .+\\.$`),
      );
    }
    expect(refusal({ [option]: least })).toBe("taken");
  });

  it.each(["toolCalls", "tokens", "costUsd", "consecutiveToolFailures", "identicalCalls"] as const)(
    "limits.%s that is no number from 0 up",
    (option) => {
      for (const value of [-1, Number.NaN, "5"]) {
        const message = refusal({ limits: { [option]: value } });
        expect(message).toMatch(
          new RegExp(`^limits\\.${option} must be a number from 0 up \\(0 for no limit\\), got .+\\.$`),
        );
      }
      for (const value of [0, 0.5, 3, undefined]) expect(refusal({ limits: { [option]: value } })).toBe("taken");
    },
  );

  it.each([
    [{ tools: {} }, "tools must be an array, got {}. Write tools: [ … ]."],
    [{ plugins: "x" }, 'plugins must be an array, got "x". Write plugins: [ … ].'],
    [{ fallback: model }, /^fallback must be an array, got .+\. Write fallback: \[ … \]\.$/],
    [{ plugins: [{ name: "a" }, null] }, "plugins[1] must be an object with a name, got null."],
    [{ plugins: [{}] }, "plugins[0] must be an object with a name, got {}."],
    [{ plugins: [{ name: "a", wrapModel: 1 }] }, "plugins[0].wrapModel must be a function, got 1."],
    [{ plugins: [{ name: "a", wrapTool: 1 }] }, "plugins[0].wrapTool must be a function, got 1."],
    [{ plugins: [{ name: "a", onEvent: 1 }] }, "plugins[0].onEvent must be a function, got 1."],
    [{ fallback: [5] }, /^fallback\[0\] must be a model: /],
    [{ fallback: [null] }, /^fallback\[0\] must be a model: /],
    [{ fallback: [model, { model: 5, on: [] }] }, /^fallback\[1\]\.model must be a model: /],
    [{ fallback: [{ model, on: "MODEL_AUTH" }] }, /^fallback\[0\]\.on must be an array/],
    [{ system: 5 }, "system must be a string, got 5."],
    [{ price: 5 }, "price must be a function, got 5."],
    [{ random: 5 }, "random must be a function, got 5."],
    [
      { signal: new AbortController() },
      /^signal must be an AbortSignal, got .+\. Pass controller\.signal, not the controller\.$/,
    ],
    [
      { effects: { step: () => {}, now: () => 1 } },
      /^effects must be an object with step\(\), now\(\), id\(\), got .+\.$/,
    ],
    [{ effects: null }, "effects must be an object with step(), now(), id(), got null."],
    [{ clock: {} }, "clock must be an object with now(), setTimer(), got {}."],
    [{ clock: 5 }, "clock must be an object with now(), setTimer(), got 5."],
    [
      { store: {} },
      /^store must be an object with append\(\), readJournal\(\), saveRun\(\), .+deleteSession\(\), got \{}\.$/,
    ],
    [
      { permission: {} },
      'permission must be a gate or a function that decides, got {}. Write for example permission: allowTools("bash").',
    ],
    [{ permission: null }, /^permission must be a gate/],
    [{ permission: "yes" }, /^permission must be a gate/],
  ])("%j", (options, message) => {
    if (typeof message === "string") expect(refusal(options)).toBe(message);
    else expect(refusal(options)).toMatch(message);
  });
});

describe("a model that is a bare function", () => {
  it("is asked with the request and the context, and bears its own name", async () => {
    const seen: unknown[] = [];
    async function thinker(request: unknown, context: unknown) {
      seen.push(request, context);
      return { content: "yes", toolCalls: [], finishReason: "stop" as const };
    }
    const run = await createRuntime({ model: thinker }).run("Well?");
    expect(run).toMatchObject({ answer: "yes", steps: [{ model: "thinker" }, {}] });
    expect(seen).toMatchObject([{ messages: [{ content: "Well?" }] }, { attempt: 1, runId: run.id }]);
  });

  it("is called model where it has no name", async () => {
    const answer = { content: "yes", toolCalls: [], finishReason: "stop" as const };
    const run = await createRuntime({
      model: (
        () => async () =>
          answer
      )(),
    }).run("Well?");
    expect(run.steps[0]).toMatchObject({ model: "model" });
  });

  it("may throw at once", async () => {
    const run = await createRuntime({
      model: () => {
        throw new Error("no idea");
      },
      retry: { maxAttempts: 1 },
    }).run("Well?");
    expect(run).toMatchObject({ status: "failed", errorKind: "model", error: "no idea" });
  });
});

describe("what options mean", () => {
  it("0 turns are no limit", async () => {
    const { tool } = spyTool("look", () => Math.random());
    const script = [...Array.from({ length: 30 }, (_, n) => callTool("look", { n })), "Done."];
    expect((await play(script, { tools: [tool], maxSteps: 0 })).run.answer).toBe("Done.");
    expect((await play(script, { tools: [tool] })).run).toMatchObject({ stopReason: "maxSteps", iterations: 20 });
  });

  it("a run's system prompt and settings come before those of the runtime", async () => {
    const asked = scriptedModel(["a", "b"]);
    const runtime = createRuntime({ model: asked, system: "ours", settings: { temperature: 1, maxOutputTokens: 5 } });
    await runtime.run("Go.");
    await runtime.run("Go.", { system: "theirs", settings: { temperature: 0 } });
    expect(asked.requests.map(({ messages, settings }) => [messages[0]?.content, settings])).toEqual([
      ["ours", { temperature: 1, maxOutputTokens: 5 }],
      ["theirs", { temperature: 0, maxOutputTokens: 5 }],
    ]);
  });

  it("a fallback takes over for its codes only", async () => {
    const denied = () => Promise.reject(Object.assign(new Error("denied"), { status: 401 }));
    const other = scriptedModel(["from the other"]);
    const tried = async (on: readonly string[] | undefined) => {
      const fallback = on === undefined ? [other] : [{ model: other, on }];
      return (await play([denied], { fallback: fallback as never })).run;
    };
    expect(await tried(["MODEL_RATE_LIMITED"])).toMatchObject({ status: "failed", errorCode: "MODEL_AUTH" });
    expect(await tried(["MODEL_AUTH"])).toMatchObject({ status: "completed", answer: "from the other" });
  });
});
