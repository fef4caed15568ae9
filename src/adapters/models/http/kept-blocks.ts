/**
 * Keeps the blocks of an answer that only its API understands, and puts them back where they stood.
 *
 * Wing adapters (models, shared base). Reasoning is signed or encrypted, and APIs refuse a history in which
 * such a block was changed, moved or comes from elsewhere; what an API's own tools did (web search, …) wants
 * to come back just as exactly.
 */
import type { AssistantMessage, Reasoning, ToolCall } from "../../../contract/message.ts";
import { countOrNothing, isRecord, type JsonRecord, present } from "./json.ts";

/** Whose blocks these are. */
export interface Keeper {
  /** The name of the adapter in `Reasoning.provider`. */
  readonly provider: string;
  /** Where the endpoint is, unless it is the vendor's own. Blocks with another origin are not sent there. */
  readonly origin: string | undefined;
}

/** Where a block stood: behind so much of the text, in UTF-16 units, and so many calls. */
export interface Place {
  readonly chars: number;
  readonly calls: number;
}

/** The start of an answer. */
export const START: Place = { chars: 0, calls: 0 };

/** What goes into the history: the raw block, wrapped where there is more to remember. */
export function keepBlock(
  { provider, origin }: Keeper,
  block: JsonRecord,
  { text, after }: { readonly text: string; readonly after: Place },
): Reasoning {
  const isAtStart = after.chars === 0 && after.calls === 0;
  const isPlain = isAtStart && origin === undefined && typeof block["type"] === "string";
  return { text, provider, data: isPlain ? block : { block, after, ...present("origin", origin) } };
}

interface KeptBlock {
  readonly block: JsonRecord;
  readonly after: Place;
}

/** One piece of an answer, in its order. */
export type AnswerPiece =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "call"; readonly call: ToolCall }
  | { readonly type: "block"; readonly block: JsonRecord };

/** Text and calls of a message in their order, and between them this keeper's blocks, each where it stood. */
export function piecesOf(message: AssistantMessage, keeper: Keeper): AnswerPiece[] {
  const { content, toolCalls: calls = [], reasoning = [] } = message;
  const pieces: AnswerPiece[] = [];
  let done = START;
  const writeUpTo = (place: Place) => {
    const text = content.slice(done.chars, place.chars);
    if (text !== "") pieces.push({ type: "text", text });
    for (const call of calls.slice(done.calls, place.calls)) pieces.push({ type: "call", call });
    done = { chars: Math.max(done.chars, place.chars), calls: Math.max(done.calls, place.calls) };
  };
  for (const { block, after } of keptBlocks(reasoning, keeper)) {
    writeUpTo(after);
    pieces.push({ type: "block", block });
  }
  writeUpTo({ chars: content.length, calls: calls.length });
  return pieces;
}

function keptBlocks(reasoning: readonly Reasoning[], keeper: Keeper): KeptBlock[] {
  return reasoning.flatMap(({ provider, data }) =>
    provider === keeper.provider && isRecord(data) ? (readKept(data, keeper) ?? []) : [],
  );
}

function readKept(data: JsonRecord, keeper: Keeper): KeptBlock | undefined {
  if (typeof data["type"] === "string") return { block: data, after: START };
  const { block, after, origin } = data;
  if (!isRecord(block) || !isRecord(after)) return undefined;
  if (origin !== undefined && origin !== keeper.origin) return undefined;
  return { block, after: { chars: countOrNothing(after["chars"]) ?? 0, calls: countOrNothing(after["calls"]) ?? 0 } };
}
