/** What the tests of compaction arrange histories and calls with. */
import type {
  AssistantMessage,
  CompactionNotice,
  Message,
  ModelRequest,
  ModelResponse,
  NextModel,
  NextModelOptions,
  Plugin,
  ToolDefinition,
  ToolMessage,
} from "harness-kit";

export const user = (content: string): Message => Object.freeze({ role: "user", content });
export const system = (content: string): Message => Object.freeze({ role: "system", content });
export const said = (content: string): Message => Object.freeze({ role: "assistant", content });

/** A turn: the model calls `read` once for each id, and gets the results. */
export function turn(results: Readonly<Record<string, string>>, content = ""): Message[] {
  const ids = Object.keys(results);
  const asked: AssistantMessage = Object.freeze({
    role: "assistant",
    content,
    toolCalls: Object.freeze(
      ids.map((id) => Object.freeze({ id, name: "read", arguments: Object.freeze({ path: id }) })),
    ),
  });
  const answers = Object.entries(results).map(
    ([toolCallId, text]): ToolMessage => Object.freeze({ role: "tool", toolCallId, name: "read", content: text }),
  );
  return [asked, ...answers];
}

/** `count` turns of one call each, whose results have `chars` characters. */
export function turns(count: number, chars: number, prefix = "c"): Message[] {
  return Array.from({ length: count }, (_, index) => turn({ [`${prefix}${index}`]: filler(chars, index) })).flat();
}

/** Text of a length that differs from number to number. */
export function filler(chars: number, number = 0): string {
  return `${number}: ${"lorem ipsum ".repeat(Math.ceil(chars / 12))}`.slice(0, chars);
}

/** A counter whose figures can be foretold. */
export const quarter = (text: string) => Math.ceil(text.length / 4);

/** The tokens of messages for a counter that counts characters. */
export function charTokens(messages: readonly Message[]): number {
  let tokens = 0;
  for (const message of messages) {
    tokens += 4 + String(message.content).length + (message.role === "tool" ? message.name.length : 0);
    if (message.role !== "assistant") continue;
    for (const call of message.toolCalls ?? []) tokens += 8 + call.name.length + JSON.stringify(call.arguments).length;
  }
  return tokens;
}

/** What one call through a plugin came to. */
export interface Passed {
  readonly response: ModelResponse;
  readonly notices: readonly CompactionNotice[];
  /** The requests of the run's own question, in order. */
  readonly sent: readonly ModelRequest[];
  /** The questions that were asked aside. */
  readonly aside: readonly ModelRequest[];
}

/** How the model behind a plugin behaves. */
export interface Behind {
  readonly answer?: (request: ModelRequest, options: NextModelOptions | undefined) => unknown;
  readonly summary?: (request: ModelRequest, options: NextModelOptions | undefined) => unknown;
  readonly signal?: AbortSignal;
  readonly delivered?: number;
  readonly tools?: readonly ToolDefinition[];
}

export const DONE: ModelResponse = { content: "Done.", toolCalls: [], finishReason: "stop" };
export const SUMMARY: ModelResponse = { content: "The summary.", toolCalls: [], finishReason: "stop" };

/** Sends messages through a plugin, without a run around it. */
export async function pass(plugin: Plugin, messages: readonly Message[], behind: Behind = {}): Promise<Passed> {
  const notices: CompactionNotice[] = [];
  const sent: ModelRequest[] = [];
  const aside: ModelRequest[] = [];
  const next: NextModel = async (request, options) => {
    const isAside = options?.aside === true;
    (isAside ? aside : sent).push(request);
    const answer = isAside ? (behind.summary ?? (() => SUMMARY)) : (behind.answer ?? (() => DONE));
    return (await answer(request, options)) as ModelResponse;
  };
  const context = {
    signal: behind.signal ?? new AbortController().signal,
    attempt: 1,
    runId: "run-1",
    delivered: behind.delivered ?? 0,
    compacted: (notice: CompactionNotice) => notices.push(notice),
  };
  const request = { messages, tools: behind.tools ?? [] };
  const response = await plugin.wrapModel?.(request, next, context);
  if (response === undefined) throw new Error("The plugin does not wrap models.");
  return { response, notices, sent, aside };
}

/** The messages that the model got last. */
export function lastSent({ sent }: Passed): readonly Message[] {
  return sent.at(-1)?.messages ?? [];
}

/** An error as a provider throws it when the request is too long. */
export function overflow(): Error {
  return Object.assign(new Error("This model's maximum context length is 8192 tokens."), { status: 400 });
}
