/**
 * Puts the pieces of a streamed answer together.
 *
 * Floor 3 (contract): what a stream amounts to is part of the agreement, so that the runtime, the suite that
 * proves an adapter, and tests read it alike. A stream counts as complete only after its "finish": several
 * clients end a cut or cancelled stream like a whole one.
 */
import { ModelError } from "../errors/index.ts";
import { quoteValue } from "../util/text.ts";
import type { Reasoning, ToolCall } from "./message.ts";
import type { ModelEvent, ModelResponse, Usage } from "./model.ts";

/** Who hears of the pieces while they come; empty pieces are not told. */
export interface StreamListener {
  onText(text: string): void;
  onReasoning(text: string): void;
}

interface PartialCall {
  id: string;
  name: string;
  text: string;
}

type ReasoningEvent = Extract<ModelEvent, { type: "reasoning" }>;

/** The pieces so far. */
export class StreamCollector {
  text = "";
  readonly #reasoning: { -readonly [Key in keyof Reasoning]: Reasoning[Key] }[] = [];
  readonly #calls: PartialCall[] = [];
  /** The call that the next piece of an index belongs to. */
  readonly #byIndex = new Map<number, PartialCall>();
  #usage: Usage | undefined;
  #finish: Extract<ModelEvent, { type: "finish" }> | undefined;

  constructor(private readonly listener: StreamListener) {}

  /** Takes one piece. @throws ModelError when it is no ModelEvent. */
  take(event: ModelEvent): void {
    switch (event?.type) {
      case "text":
        if (typeof event.text !== "string") break;
        if (event.text === "") return;
        this.text += event.text;
        this.listener.onText(event.text);
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
      case "heartbeat":
        return;
      case "finish":
        this.#finish = event;
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
    const { finishReason, model, requestId } = this.#finish;
    return {
      content: this.text,
      toolCalls: this.#calls.map(({ id, name, text }): ToolCall => ({ id, name, arguments: text })),
      finishReason,
      usage: this.#usage,
      reasoning: this.#reasoning,
      model,
      requestId,
    };
  }

  /** Readable pieces of one adapter are one entry; the adapter's own block, which comes behind them, completes it. */
  #takeReasoning({ text, provider, data }: ReasoningEvent): void {
    const last = this.#reasoning.at(-1);
    if (last !== undefined && last.data === undefined && last.provider === provider) {
      last.text += text;
      if (data !== undefined) last.data = data;
    } else {
      this.#reasoning.push({ text, ...(provider !== undefined && { provider }), ...(data !== undefined && { data }) });
    }
    if (text !== "") this.listener.onReasoning(text);
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
