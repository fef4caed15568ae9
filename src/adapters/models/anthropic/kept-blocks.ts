/**
 * Keeps the blocks of an answer that only the API understands, and puts them back where they stood.
 *
 * Wing adapters (models/anthropic). Thinking is signed, and the API refuses a history in which such a block
 * was changed or moved; what its own tools did (web search, …) wants to come back just as exactly.
 */
import type { Reasoning } from "../../../contract/message.ts";
import { countOrNothing, isRecord, type JsonRecord, textOrNothing } from "../http/json.ts";

/** Marks blocks of this adapter. */
export const REASONING_PROVIDER = "anthropic";

/** Where a block stood: behind so much of the text, in UTF-16 units, and so many calls. */
export interface Place {
  readonly chars: number;
  readonly calls: number;
}

/** A block with its place. */
export interface KeptBlock {
  readonly block: JsonRecord;
  readonly after: Place;
}

const START: Place = { chars: 0, calls: 0 };

/** What goes into the history: the raw block, and its place where that is not the start. */
export function keepBlock(block: JsonRecord, after: Place): Reasoning {
  const isAtStart = after.chars === 0 && after.calls === 0;
  return { text: thinkingOf(block), provider: REASONING_PROVIDER, data: isAtStart ? block : { block, after } };
}

/** The readable part of a block; empty for all but thinking. */
export function thinkingOf(block: JsonRecord): string {
  return block["type"] === "thinking" ? (textOrNothing(block["thinking"]) ?? "") : "";
}

/** Says whether a block is thinking, readable or not. */
export function isThinking(block: JsonRecord): boolean {
  return block["type"] === "thinking" || block["type"] === "redacted_thinking";
}

/** The blocks that a message's reasoning holds, in order. Those of other adapters are left out. */
export function keptBlocks(reasoning: readonly Reasoning[] = []): KeptBlock[] {
  return reasoning.flatMap(({ provider, data }) =>
    provider === REASONING_PROVIDER && isRecord(data) ? (readKept(data) ?? []) : [],
  );
}

function readKept(data: JsonRecord): KeptBlock | undefined {
  if (typeof data["type"] === "string") return { block: data, after: START };
  const { block, after } = data;
  if (!isRecord(block) || !isRecord(after)) return undefined;
  return { block, after: { chars: countOrNothing(after["chars"]) ?? 0, calls: countOrNothing(after["calls"]) ?? 0 } };
}
