/**
 * Puts the output items of a streamed answer together, and tells of them while they come.
 *
 * Wing adapters (models/openai-responses). What the pieces left out is taken from the item when it is done:
 * servers that speak this API differ in which events they send.
 */
import type { ModelEvent } from "../../../contract/model.ts";
import { factsOf } from "../http/exchange.ts";
import { badResponse } from "../http/failures.ts";
import { isRecord, type JsonRecord } from "../http/json.ts";
import { keepBlock, type Place } from "../http/kept-blocks.ts";
import type { ResponseContext } from "./answer.ts";
import { BETWEEN_PARTS, readCallItem, readMessageItem, reasoningText } from "./output-items.ts";

/** What a piece is a piece of. */
export type PieceKind = "text" | "refusal" | "reasoning" | "arguments";

interface OpenItem {
  readonly after: Place;
  /** The position among the calls, for a call. */
  readonly call: number | undefined;
  /** What was told of it. */
  told: string;
  part: unknown;
}

type Tell = (item: OpenItem, text: string) => ModelEvent[];

/** The items so far. */
export class ItemStream {
  /** Behind how much text and how many calls the stream is. */
  get place(): Place {
    return { chars: this.#chars, calls: this.#calls };
  }

  refused = false;
  #chars = 0;
  #calls = 0;
  readonly #open = new Map<unknown, OpenItem>();

  constructor(private readonly context: ResponseContext) {}

  /** Whether nothing came at all. */
  get isEmpty(): boolean {
    return this.#open.size === 0;
  }

  added(index: unknown, item: unknown): ModelEvent[] {
    if (!isRecord(item)) throw this.#bad("The model's stream started an item that is no object.");
    if (item["type"] === "function_call") return this.#startCall(index, item);
    this.#itemAt(index);
    return [];
  }

  /** Takes a piece of text, of a refusal, of reasoning or of arguments. */
  extend(event: JsonRecord, kind: PieceKind): ModelEvent[] {
    const { delta } = event;
    if (typeof delta !== "string") throw this.#bad("The model's stream sent a piece that is no text.");
    const item = this.#itemAt(event["output_index"]);
    if (kind === "arguments") return this.#tellArguments(item, delta);
    if (kind === "refusal") this.refused = true;
    if (kind !== "reasoning") return this.#tellText(item, delta);
    const part = event["summary_index"];
    const isNext = item.told !== "" && part !== item.part;
    item.part = part;
    return this.#tellReasoning(item, isNext ? BETWEEN_PARTS + delta : delta);
  }

  /** Takes the arguments of a call, whole. */
  argumentsDone(index: unknown, text: unknown): ModelEvent[] {
    const item = this.#open.get(index);
    return item === undefined || typeof text !== "string" ? [] : complete(item, text, this.#tellArguments);
  }

  done(index: unknown, item: unknown): ModelEvent[] {
    if (!isRecord(item)) throw this.#bad("The model's stream finished an item that is no object.");
    if (item["type"] === "function_call") return this.#callDone(index, item);
    const known = this.#itemAt(index);
    if (item["type"] === "message") {
      const message = readMessageItem(item, factsOf(this.context));
      this.refused ||= message.refused;
      return complete(known, message.text, this.#tellText);
    }
    const rest = complete(known, reasoningText(item), this.#tellReasoning);
    const block = keepBlock(this.context.settings.keeper, item, { text: "", after: known.after });
    return [...rest, { type: "reasoning", ...block }];
  }

  #callDone(index: unknown, item: JsonRecord): ModelEvent[] {
    const started = this.#open.has(index) ? [] : this.#startCall(index, item);
    const call = readCallItem(item, this.context.names, factsOf(this.context));
    return [...started, ...complete(this.#itemAt(index), call.arguments, this.#tellArguments)];
  }

  #startCall(index: unknown, item: JsonRecord): ModelEvent[] {
    const { id, name } = readCallItem(item, this.context.names, factsOf(this.context));
    this.#open.set(index, { after: this.place, call: this.#calls, told: "", part: undefined });
    return [{ type: "toolCall", index: this.#calls++, id, name }];
  }

  #itemAt(index: unknown): OpenItem {
    const known = this.#open.get(index);
    if (known !== undefined) return known;
    const item: OpenItem = { after: this.place, call: undefined, told: "", part: undefined };
    this.#open.set(index, item);
    return item;
  }

  readonly #tellText: Tell = (item, text) => {
    item.told += text;
    this.#chars += text.length;
    return text === "" ? [] : [{ type: "text", text }];
  };

  readonly #tellReasoning: Tell = (item, text) => {
    item.told += text;
    return text === "" ? [] : [{ type: "reasoning", text, provider: this.context.settings.keeper.provider }];
  };

  readonly #tellArguments: Tell = (item, text) => {
    if (item.call === undefined) throw this.#bad("The model's stream continued a tool call that it had not started.");
    item.told += text;
    return text === "" ? [] : [{ type: "toolCall", index: item.call, arguments: text }];
  };

  #bad(message: string) {
    return badResponse(message, factsOf(this.context));
  }
}

/** Tells the rest of what is whole now; what was told already counts. */
function complete(item: OpenItem, whole: string, tell: Tell): ModelEvent[] {
  return whole.startsWith(item.told) ? tell(item, whole.slice(item.told.length)) : [];
}
