/** The adapters over `fetch`: one given by option, and the platform's own against a real server. Runs everywhere. */
import { equal, holds } from "./checks.mjs";

const ADD = {
  name: "add",
  description: "Adds.",
  parameters: { type: "object", properties: { a: { type: "number" }, b: { type: "number" } } },
  execute: ({ a, b }) => a + b,
};

/** An answer as bytes, in pieces that split lines and characters. */
function eventStream(chunks, pieceBytes) {
  const frames = [...chunks.map((chunk) => JSON.stringify(chunk)), "[DONE]"].map((data) => `data: ${data}\n\n`);
  const bytes = new TextEncoder().encode(frames.join(""));
  let at = 0;
  const body = new ReadableStream({
    pull(controller) {
      if (at >= bytes.length) return controller.close();
      controller.enqueue(bytes.slice(at, at + pieceBytes));
      at += pieceBytes;
    },
  });
  return new Response(body, { headers: { "content-type": "text/event-stream" } });
}

const chunk = (delta, finish_reason = null) => ({
  id: "c",
  model: "fake",
  choices: [{ index: 0, delta, finish_reason }],
});
const ASKS = [
  chunk({
    role: "assistant",
    tool_calls: [{ index: 0, id: "call_1", function: { name: "add", arguments: '{"a":1' } }],
  }),
  chunk({ tool_calls: [{ index: 0, function: { arguments: ',"b":2}' } }] }),
  chunk({}, "tool_calls"),
];
const ANSWERS = [chunk({ content: "三 is " }), chunk({ content: "three 🙂" }), chunk({}, "stop")];

/** Checks that need no network. */
export const modelChecks = ({ root, models }) => ({
  "openaiModel streams from a fetch given by option": async () => {
    const asked = [];
    const fetch = async (url, init) => {
      asked.push({
        url: String(url),
        key: new Headers(init.headers).get("authorization"),
        body: JSON.parse(init.body),
      });
      return eventStream(asked.length === 1 ? ASKS : ANSWERS, 7);
    };
    const model = models.openai({ model: "fake", apiKey: "sk-fake", baseUrl: "https://fake.invalid/v1", fetch });
    const stream = root.createRuntime({ model, tools: [ADD] }).stream("Add 1 and 2.");
    let text = "";
    for await (const event of stream) if (event.type === "model:delta") text += event.text ?? "";
    const run = await stream.result;
    equal([run.status, run.answer, text], ["completed", "三 is three 🙂", "三 is three 🙂"], "the answer");
    equal(asked[0].url, "https://fake.invalid/v1/chat/completions", "the address");
    equal([asked[0].key, asked[0].body.stream], ["Bearer sk-fake", true], "the request");
    equal(asked[1].body.messages.at(-1).content, "3", "what the model was told");
  },
  "the demo model calls a tool": async () => {
    const calculator = {
      ...ADD,
      name: "calculator",
      parameters: { type: "object", properties: { expression: { type: "string" } } },
      execute: () => 646,
    };
    const run = await root.createRuntime({ model: models.local(), tools: [calculator] }).run("What is 17 * 38?");
    holds(run.answer.includes("646"), `the answer holds the result: ${run.answer}`);
  },
});

const APIS = ["openai", "anthropic", "responses"];
const forEachApi = (title, check) => Object.fromEntries(APIS.map((api) => [`${api}: ${title}`, () => check(api)]));

/** Checks with the platform's own `fetch`, against the server of `endpoint.mjs`; the model's name says what it does. */
export function networkChecks({ root, models }, { url, closedUrl }) {
  const runtimeFor = (api, scenario, baseUrl = url) => {
    const model = models[api]({ model: scenario, apiKey: "sk-fake", baseUrl });
    return root.createRuntime({ model, tools: [ADD], retry: { maxAttempts: 1 } });
  };
  return { ...answerChecks(runtimeFor), ...failureChecks(runtimeFor, closedUrl), ...abortChecks(runtimeFor) };
}

const answerChecks = (runtimeFor) =>
  forEachApi("a tool call and an answer, whole and streamed", async (api) => {
    equal((await runtimeFor(api, "answers").run("Add.")).answer, "三 is three 🙂", "the whole answer");
    const stream = runtimeFor(api, "answers").stream("Add.");
    let deltas = 0;
    for await (const event of stream) if (event.type === "model:delta") deltas++;
    equal((await stream.result).answer, "三 is three 🙂", "the streamed answer");
    holds(deltas >= 2, "it came in pieces");
  });

function failureChecks(runtimeFor, closedUrl) {
  const expectFailure = async (running, code, { retryable, retryAfterMs }) => {
    const { status, errorKind, errorCode, errorDetail: detail } = await running;
    const told = [status, errorKind, errorCode, detail?.retryable, detail?.retryAfterMs];
    equal(
      told,
      ["failed", "model", code, retryable, retryAfterMs],
      `the end (${JSON.stringify(detail)?.slice(0, 600)})`,
    );
  };
  const run = (scenario, baseUrl) => runtimeFor("openai", scenario, baseUrl).run("Hello.");
  return {
    ...forEachApi("a connection that breaks in the middle of a stream", (api) =>
      expectFailure(runtimeFor(api, "breaks").stream("Hello.").result, "MODEL_STREAM_INTERRUPTED", {
        retryable: false,
      }),
    ),
    "a port where nobody listens": () => expectFailure(run("answers", closedUrl), "MODEL_NETWORK", { retryable: true }),
    "a server that hangs up without an answer": () =>
      expectFailure(run("hangsUp"), "MODEL_NETWORK", { retryable: true }),
    "status 401": () => expectFailure(run("refuses"), "MODEL_AUTH", { retryable: false }),
    "status 429, with the time to wait": () =>
      expectFailure(run("limits"), "MODEL_RATE_LIMITED", { retryable: true, retryAfterMs: 7_000 }),
  };
}

const abortChecks = (runtimeFor) => ({
  "an abort while the server is silent": async () => {
    const startedAt = Date.now();
    const stream = runtimeFor("openai", "stalls").stream("Hello.");
    setTimeout(() => stream.abort("stop"), 100);
    const run = await stream.result;
    equal([run.status, run.errorCode, run.abandoned], ["aborted", "RUN_ABORTED", undefined], "the end");
    holds(Date.now() - startedAt < 2_000, "it settled at once");
  },
  "an abort in the middle of a stream keeps what came": async () => {
    const stream = runtimeFor("openai", "halts").stream("Hello.");
    for await (const event of stream) if (event.type === "model:delta") stream.abort("enough");
    const run = await stream.result;
    equal([run.status, run.errorCode, run.abandoned], ["aborted", "RUN_ABORTED", undefined], "the end");
    holds(run.steps.at(-1).partialText?.startsWith("one "), `what came is kept: ${JSON.stringify(run.steps.at(-1))}`);
  },
});
