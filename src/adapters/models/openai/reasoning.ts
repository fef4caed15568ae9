/**
 * Reasoning as Chat Completions vendors show it and want it back.
 *
 * Wing adapters (models/openai). Readable text comes as `reasoning_content` (DeepSeek, Moonshot, Qwen,
 * GLM, llama.cpp) or `reasoning` (OpenRouter, Ollama, vLLM). Opaque data comes as `reasoning_details`
 * (OpenRouter) or as `extra_content` of a call (Gemini), and belongs to the endpoint that sent it.
 */
import type { AssistantMessage, Reasoning } from "../../../contract/message.ts";
import { isRecord, type JsonRecord, textOrNothing } from "../http/json.ts";
import type { OpenAISettings } from "./options.ts";

/** Marks blocks of this adapter. */
export const REASONING_PROVIDER = "openai";

/** What an answer held beside its text that its endpoint wants back. */
export interface OpaqueReasoning {
  readonly details: readonly JsonRecord[];
  /** `extra_content` by call id. */
  readonly extras: Readonly<Record<string, unknown>>;
}

/** The readable reasoning of a message or delta. Some servers send it in both fields: one is read. */
export function readReasoningText(message: JsonRecord): string {
  return textOrNothing(message["reasoning_content"]) ?? textOrNothing(message["reasoning"]) ?? "";
}

/** The opaque reasoning of a message or delta. */
export function readDetails(message: JsonRecord): JsonRecord[] {
  const details = message["reasoning_details"];
  return Array.isArray(details) ? details.filter(isRecord) : [];
}

/** Joins the pieces of a streamed block: same type, same index, one after the other. */
export function mergeDetails(pieces: readonly JsonRecord[]): JsonRecord[] {
  const merged: JsonRecord[] = [];
  for (const piece of pieces) {
    const last = merged.at(-1);
    const continues = last !== undefined && last["type"] === piece["type"] && last["index"] === piece["index"];
    if (continues && piece["type"] !== "reasoning.encrypted") merged[merged.length - 1] = joinDetail(last, piece);
    else merged.push(piece);
  }
  return merged;
}

function joinDetail(first: JsonRecord, next: JsonRecord): JsonRecord {
  const known = Object.entries(next).filter(([, value]) => value !== null && value !== undefined);
  const joined: Record<string, unknown> = { ...first, ...Object.fromEntries(known) };
  for (const field of ["text", "summary"]) {
    const pieces = [first[field], next[field]].filter((piece) => typeof piece === "string");
    if (pieces.length > 0) joined[field] = pieces.join("");
  }
  return joined;
}

/** The block that keeps opaque reasoning in the history, or none. */
export function opaqueBlock(opaque: OpaqueReasoning, origin: string): Reasoning | undefined {
  const hasExtras = Object.keys(opaque.extras).length > 0;
  if (opaque.details.length === 0 && !hasExtras) return undefined;
  return {
    text: "",
    provider: REASONING_PROVIDER,
    data: {
      origin,
      ...(opaque.details.length > 0 ? { reasoning_details: opaque.details } : {}),
      ...(hasExtras ? { extra_content: opaque.extras } : {}),
    },
  };
}

function opaqueData(reasoning: readonly Reasoning[], origin: string): JsonRecord[] {
  return reasoning.flatMap(({ provider, data }) =>
    provider === REASONING_PROVIDER && isRecord(data) && data["origin"] === origin ? [data] : [],
  );
}

/** `extra_content` by call id, as this endpoint sent it. */
export function callExtras(reasoning: readonly Reasoning[], origin: string): ReadonlyMap<string, unknown> {
  const kept = opaqueData(reasoning, origin).map((data) => data["extra_content"]);
  return new Map(kept.filter(isRecord).flatMap((extras) => Object.entries(extras)));
}

/** The members in which earlier reasoning goes back. */
export function reasoningFields(message: AssistantMessage, settings: OpenAISettings): JsonRecord {
  const reasoning = message.reasoning ?? [];
  const details = opaqueData(reasoning, settings.origin).flatMap(readDetails);
  return {
    ...readableField(message, reasoning, settings),
    ...(details.length > 0 ? { reasoning_details: details } : {}),
  };
}

function readableField(
  message: AssistantMessage,
  reasoning: readonly Reasoning[],
  settings: OpenAISettings,
): JsonRecord {
  if (settings.sendReasoning === "omit") return {};
  const own = reasoning.filter(({ provider }) => provider === undefined || provider === REASONING_PROVIDER);
  const text = own.map((block) => block.text).join("");
  // Endpoints that want reasoning back want it beside every call, also beside one that another model made.
  const isWanted = text !== "" || (message.toolCalls ?? []).length > 0;
  return isWanted ? { [settings.sendReasoning]: text } : {};
}
