/**
 * What the cases of the model contract have in common: a model, a provider, and how answers are compared.
 *
 * Testing wing (Node).
 */
import type { Message } from "../contract/message.ts";
import type {
  Model,
  ModelCallContext,
  ModelEvent,
  ModelLike,
  ModelRequest,
  ModelResponse,
  ToolDefinition,
} from "../contract/model.ts";
import { StreamCollector } from "../contract/stream-collector.ts";
import { type HarnessError, toHarnessError } from "../errors/index.ts";
import { type FakeProvider, fakeProvider } from "./fake-provider/fake-provider.ts";

/** Where the model under test finds the suite's provider. */
export interface ContractEndpoint {
  /** `http://127.0.0.1:<port>/v1`: what most clients take. */
  readonly baseUrl: string;
  /** The same without `/v1`. */
  readonly url: string;
  /** A key that must not show up in any error. */
  readonly apiKey: string;
}

/** As much of `expect` as the suite needs. */
export type ContractExpect = (actual: unknown) => {
  /** Compares with `Object.is`. */
  toBe(expected: unknown): void;
  /** Compares member by member. */
  toEqual(expected: unknown): void;
  /** Compares the members that `expected` has. */
  toMatchObject(expected: object): void;
};

/** What a case works with. */
export interface ContractKit {
  readonly model: Model;
  readonly expect: ContractExpect;
  /** Answers the model, unless it brings its own answers. */
  readonly provider: FakeProvider;
}

/** One case: a sentence about models, and its proof. */
export interface ContractCase {
  readonly sentence: string;
  run(kit: ContractKit): Promise<void>;
}

/** What a case is run with. */
export interface ContractSetup {
  readonly makeModel: (endpoint: ContractEndpoint) => ModelLike | Promise<ModelLike>;
  readonly expect: ContractExpect;
  readonly streams: boolean;
}

/** In the form of a real key. */
const KEY = "sk-contract-0123456789abcdefghijklmn";

/** Runs a case against a provider of its own. */
export async function runWithProvider(contractCase: ContractCase, setup: ContractSetup): Promise<void> {
  const provider = await fakeProvider();
  try {
    const { baseUrl, url } = provider;
    await runCase(contractCase, setup, { provider, endpoint: { baseUrl, url, apiKey: KEY } });
  } finally {
    await provider.close();
  }
}

/** Runs a case on a model that brings its own answers. */
export async function runWithModel(contractCase: ContractCase, setup: ContractSetup): Promise<void> {
  const provider = new Proxy({} as FakeProvider, {
    get: () => {
      throw new Error("this case has no provider");
    },
  });
  await runCase(contractCase, setup, { provider, endpoint: { baseUrl: "", url: "", apiKey: "" } });
}

async function runCase(
  contractCase: ContractCase,
  { makeModel, expect, streams }: ContractSetup,
  { provider, endpoint }: { readonly provider: FakeProvider; readonly endpoint: ContractEndpoint },
): Promise<void> {
  const made = await makeModel(endpoint);
  const model: Model = typeof made === "function" ? { generate: async (asked, context) => made(asked, context) } : made;
  expect(typeof model.stream === "function").toBe(streams);
  await contractCase.run({ model, expect, provider });
}

/** A tool that the cases offer. */
export const addTool: ToolDefinition = {
  name: "add",
  description: "Adds two numbers, says the contract.",
  parameters: { type: "object", properties: { a: { type: "number" }, b: { type: "number" } }, required: ["a", "b"] },
};

/** A request that nobody can change. */
export function ask(
  messages: string | readonly Message[],
  more: Omit<Partial<ModelRequest>, "messages"> = {},
): ModelRequest {
  const history = typeof messages === "string" ? [{ role: "user", content: messages } as const] : messages;
  return deepFreeze({ messages: history, tools: [], ...more });
}

function deepFreeze<Value>(value: Value): Value {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  for (const member of Object.values(value)) deepFreeze(member);
  return Object.freeze(value);
}

/** What the runtime would give to a call. */
export function callContext(signal: AbortSignal = new AbortController().signal): ModelCallContext {
  return { signal, attempt: 1, runId: "run_contract" };
}

/** An answer in the one form in which a whole and a streamed one are compared. */
export interface Compared {
  readonly content: string;
  readonly calls: readonly { readonly name: string; readonly arguments: unknown }[];
  readonly finishReason: string | undefined;
  readonly usage: unknown;
  /** Entry by entry: what is to be read, whose it is, and whether there is a block that goes back. */
  readonly reasoning: readonly {
    readonly text: string;
    readonly provider: string | undefined;
    readonly kept: boolean;
  }[];
}

/** @param answer - As `generate` gives it, or as {@link collectAnswer} does. */
export function compared(answer: ModelResponse): Compared {
  const { content, finishReason, usage, toolCalls, reasoning = [] } = answer;
  return {
    content,
    calls: toolCalls.map((call) => ({ name: call.name, arguments: readArguments(call.arguments) })),
    finishReason,
    usage,
    reasoning: reasoning.map(({ text, provider, data }) => ({ text, provider, kept: data !== undefined })),
  };
}

/** Arguments as a value; text that is no JSON stays text, and none at all is an empty object. */
export function readArguments(given: unknown): unknown {
  if (given === undefined || given === "") return {};
  if (typeof given !== "string") return given;
  try {
    return JSON.parse(given);
  } catch {
    return given;
  }
}

/** Puts a stream together. Throws for one that has no finish, two, or one that is not the last event. */
export async function collectAnswer(events: AsyncIterable<ModelEvent>): Promise<ModelResponse> {
  const collector = new StreamCollector({ onText: () => {}, onReasoning: () => {} });
  const types: string[] = [];
  for await (const event of events) {
    collector.take(event);
    types.push(event.type);
  }
  const finishes = types.filter((type) => type === "finish").length;
  if (finishes !== 1 || types.at(-1) !== "finish") {
    throw new Error(`a stream has one "finish", as its last event; this one has ${finishes} in ${types.join(", ")}`);
  }
  return collector.response();
}

/** Both ways in which a model is asked. */
export type Way = "generate" | "stream";

/** Asks in one way and puts the answer together. */
export function answerOf(model: Model, request: ModelRequest, way: Way, signal?: AbortSignal): Promise<ModelResponse> {
  const context = callContext(signal);
  const stream = way === "stream" ? model.stream?.(request, context) : undefined;
  return stream === undefined ? model.generate(request, context) : collectAnswer(stream);
}

/** The failure of a call as the runtime adopts it. Throws when the call answers instead. */
export async function failureOf(
  answer: Promise<ModelResponse>,
  model: Model,
  signal?: AbortSignal,
): Promise<HarnessError> {
  const failure = await answer.then(
    (response) => ({ response }),
    (error: unknown) => ({ error }),
  );
  if ("response" in failure) throw new Error(`expected a failure, got the answer ${JSON.stringify(failure.response)}`);
  return toHarnessError(failure.error, "model", {
    signal,
    classify: (error) => model.classifyError?.(error),
  });
}

/** How long a model may take to settle after an abort. */
const SETTLE_MS = 2_000;

/** Waits for `pending`, but not for ever. */
export async function settled<Value>(pending: Promise<Value>): Promise<Value> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`still not settled after ${SETTLE_MS} ms`)), SETTLE_MS);
  });
  try {
    return await Promise.race([pending, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Waits until the provider has received so many requests. */
export async function received(provider: FakeProvider, count: number): Promise<void> {
  while (provider.requests.length < count) await new Promise((resolve) => setTimeout(resolve, 2));
}
