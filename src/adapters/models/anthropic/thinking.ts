/**
 * Thinking blocks of the Messages API.
 *
 * Wing adapters (models/anthropic).
 */
import { type JsonRecord, textOrNothing } from "../http/json.ts";

/** The readable part of a block; empty for all but thinking. */
export function thinkingOf(block: JsonRecord): string {
  return block["type"] === "thinking" ? (textOrNothing(block["thinking"]) ?? "") : "";
}

/** Says whether a block is thinking, readable or not. */
export function isThinking(block: JsonRecord): boolean {
  return block["type"] === "thinking" || block["type"] === "redacted_thinking";
}
