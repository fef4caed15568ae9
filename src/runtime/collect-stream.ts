/**
 * Puts the pieces of a streamed answer together and hands its text on while it comes.
 *
 * Floor 5 (runtime). A stream counts as complete only after its "finish": several clients end a cut or
 * cancelled stream like a whole one.
 */
import type { Reasoning, ToolCall } from "../contract/message.ts";
import type { FinishReason, ModelEvent, ModelResponse, Usage } from "../contract/model.ts";
import { ModelError } from "../errors/index.ts";
import { quoteValue } from "../util/text.ts";

/** What the collector tells while it collects. */
export interface StreamHooks {
  /** Called before each piece is taken; throws or answers false to end the stream early. */
  mayContinue(): boolean;
  onText(text: string): void;
  onReasoning(text: string): void;
  /** A promise to wait for when the consumer is behind. */
  ready(): Promise<void> | undefined;
}

interface PartialCall {
  id: string;
  name: string;
  text: string;
}

/** The pieces so far. */
export class StreamCollector {
  text = "";
  readonly #reasoning: Reasoning[] = [];
  readonly #calls: PartialCall[] = [];
  /** The call that the next piece of an index belongs to. */
  readonly #byIndex = new Map<number, PartialCall>();
  #usage: Usage | undefined;
  #finish:
    | { readonly reason: FinishReason; readonly model: string | undefined; readonly requestId: string | undefined }
    | undefined;

  constructor(private readonly hooks: StreamHooks) {}

  /** Takes one piece. @throws ModelError when it is no ModelEvent. */
  take(event: ModelEvent): void {
    switch (event?.type) {
      case "text":
        if (typeof event.text !== "string") break;
        if (event.text === "") return;
        this.text += event.text;
        this.hooks.onText(event.text);
        return;
      case "reasoning":
        if (typeof event.text !== "string") break;
        this.#takeReasoning(event);
        return;
      case "toolCall":
        if (event.arguments !== undefined && typeof event.arguments !== "string") break;
        this.#takeCall(event);
        return;
      case "usage":
        this.#usage = event.usage;
        return;
      case "finish":
        this.#finish = { reason: event.finishReason, model: event.model, requestId: event.requestId };
        return;
    }
    throw new ModelError(`The model's stream gave ${quoteValue(event)}, which is no ModelEvent.`, {
      code: "MODEL_BAD_RESPONSE",
    });
  }

  /** The whole answer. @throws ModelError when the stream ended before its "finish". */
  response(): ModelResponse {
    if (this.#finish === undefined) {
      throw new ModelError("The model's stream ended before its answer was complete.", { code: "MODEL_BAD_RESPONSE" });
    }
    const { reason, model, requestId } = this.#finish;
    const toolCalls = this.#calls.map(({ id, name, text }): ToolCall => ({ id, name, arguments: text }));
    return {
      content: this.text,
      toolCalls,
      finishReason: reason,
      usage: this.#usage,
      reasoning: this.#reasoning,
      model,
      requestId,
    };
  }

  #takeReasoning(event: Extract<ModelEvent, { type: "reasoning" }>): void {
    const last = this.#reasoning.at(-1);
    if (last !== undefined && event.data === undefined && last.data === undefined && last.provider === event.provider) {
      this.#reasoning[this.#reasoning.length - 1] = { ...last, text: last.text + event.text };
    } else {
      const { text, provider, data } = event;
      this.#reasoning.push({ text, ...(provider !== undefined && { provider }), ...(data !== undefined && { data }) });
    }
    if (event.text !== "") this.hooks.onReasoning(event.text);
  }

  /** Servers repeat ids and names, leave them out, or give every call the index 0 with another id. */
  #takeCall(event: Extract<ModelEvent, { type: "toolCall" }>): void {
    const known = this.#byIndex.get(event.index);
    const isAnother = known !== undefined && known.id !== "" && (event.id ?? "") !== "" && event.id !== known.id;
    const call = known === undefined || isAnother ? this.#openCall(event.index) : known;
    if (call.id === "") call.id = event.id ?? "";
    if (call.name === "") call.name = event.name ?? "";
    call.text += event.arguments ?? "";
  }

  #openCall(index: number): PartialCall {
    const call: PartialCall = { id: "", name: "", text: "" };
    this.#calls.push(call);
    this.#byIndex.set(index, call);
    return call;
  }
}

/** Reads a stream to its end. The iterator is closed when the reading ends early. */
export async function collectStream(
  stream: AsyncIterable<ModelEvent> | PromiseLike<AsyncIterable<ModelEvent>>,
  collector: StreamCollector,
  hooks: StreamHooks,
  onIterator: (close: () => void) => void,
): Promise<ModelResponse> {
  // Awaited, because an adapter may need a round trip before its stream is there.
  const iterator = (await stream)[Symbol.asyncIterator]();
  const close = () => void closeQuietly(iterator);
  onIterator(close);
  try {
    for (;;) {
      const next = await iterator.next();
      if (next.done === true) break;
      if (!hooks.mayContinue()) break;
      collector.take(next.value);
      const ready = hooks.ready();
      if (ready !== undefined) await ready;
    }
  } catch (error) {
    close();
    throw error;
  }
  return collector.response();
}

async function closeQuietly(iterator: AsyncIterator<ModelEvent>): Promise<void> {
  try {
    await iterator.return?.();
  } catch {
    // The stream is given up; how its clean-up fails changes nothing.
  }
}
