/**
 * Puts the content blocks of a streamed answer together, and tells of them while they come.
 *
 * Wing adapters (models/anthropic).
 */
import type { ModelEvent } from "../../../contract/model.ts";
import { badResponse, type CallFacts } from "../http/failures.ts";
import { isRecord, type JsonRecord, textOrNothing, tryParseJson } from "../http/json.ts";
import { type Keeper, keepBlock, type Place } from "../http/kept-blocks.ts";
import type { NameMap } from "../http/names.ts";
import { createCallId } from "../http/tool-calls.ts";
import { thinkingOf } from "./thinking.ts";

/** The blocks so far. */
export interface BlockStream {
  start(index: unknown, block: unknown): ModelEvent[];
  extend(index: unknown, delta: unknown): ModelEvent[];
  stop(index: unknown): ModelEvent[];
  /** Stops what is still open: some servers leave that out. */
  end(): ModelEvent[];
  readonly place: Place;
}

/** One block while it comes. */
interface OpenBlock {
  readonly start: JsonRecord;
  readonly after: Place;
  /** The position among the calls, for a call. */
  readonly call: number | undefined;
  /** The pieces of its text, thinking or JSON. */
  text: string;
  signature: string;
}

/** Starts with no block. */
export function createBlockStream(names: NameMap, keeper: Keeper, facts: CallFacts): BlockStream {
  const open = new Map<unknown, OpenBlock>();
  let chars = 0;
  let calls = 0;
  const tellText = (text: string): ModelEvent[] => {
    chars += text.length;
    return text === "" ? [] : [{ type: "text", text }];
  };
  const stop = (index: unknown): ModelEvent[] => {
    const block = open.get(index);
    open.delete(index);
    return block === undefined ? [] : closingEvents(block, keeper);
  };
  return {
    start(index, block) {
      if (!isRecord(block)) throw badResponse("The model's stream started a block that is no object.", facts);
      const isCall = block["type"] === "tool_use";
      const after = { chars, calls };
      open.set(index, { start: block, after, call: isCall ? calls : undefined, text: "", signature: "" });
      if (block["type"] === "text") return tellText(textOrNothing(block["text"]) ?? "");
      if (!isCall) return tellThinking(thinkingOf(block), keeper);
      const name = textOrNothing(block["name"]);
      if (name === undefined) throw badResponse("The model asked for a tool call without the name of a tool.", facts);
      const id = textOrNothing(block["id"]) ?? createCallId();
      return [{ type: "toolCall", index: calls++, id, name: names.fromWire(name) }];
    },
    extend(index, delta) {
      const block = open.get(index);
      if (block === undefined || !isRecord(delta)) {
        throw badResponse("The model's stream continued a block that it had not started.", facts);
      }
      const text = textOrNothing(delta["text"]);
      const { type } = delta;
      if (type === "text_delta" && block.start["type"] === "text") return tellText(text ?? "");
      return extendBlock(block, delta, keeper);
    },
    stop,
    end: () => [...open.keys()].flatMap(stop),
    get place() {
      return { chars, calls };
    },
  };
}

function tellThinking(text: string, { provider }: Keeper): ModelEvent[] {
  return text === "" ? [] : [{ type: "reasoning", text, provider }];
}

function extendBlock(block: OpenBlock, delta: JsonRecord, keeper: Keeper): ModelEvent[] {
  block.signature += textOrNothing(delta["signature"]) ?? "";
  const thinking = textOrNothing(delta["thinking"]);
  const piece = thinking ?? textOrNothing(delta["partial_json"]) ?? "";
  block.text += piece;
  if (block.call !== undefined) {
    return piece === "" ? [] : [{ type: "toolCall", index: block.call, arguments: piece }];
  }
  return tellThinking(thinking ?? "", keeper);
}

/** What is only known at the end of a block: a call without arguments, or the block that is to be kept. */
function closingEvents(block: OpenBlock, keeper: Keeper): ModelEvent[] {
  const { start, call, after } = block;
  if (start["type"] === "text") return [];
  if (call === undefined) return [{ type: "reasoning", ...keepBlock(keeper, wholeBlock(block), { text: "", after }) }];
  if (block.text !== "") return [];
  // A call without arguments, or one of a server that sends them at once.
  return [{ type: "toolCall", index: call, arguments: JSON.stringify(isRecord(start["input"]) ? start["input"] : {}) }];
}

/** The block as the whole answer would have it. */
function wholeBlock({ start, text, signature }: OpenBlock): JsonRecord {
  if (start["type"] === "thinking") {
    const signed = `${textOrNothing(start["signature"]) ?? ""}${signature}`;
    return { ...start, thinking: thinkingOf(start) + text, ...(signed === "" ? {} : { signature: signed }) };
  }
  // The input of one of the provider's own tools.
  const input = text === "" ? undefined : tryParseJson(text);
  return isRecord(input) ? { ...start, input } : start;
}
