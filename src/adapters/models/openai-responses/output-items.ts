/**
 * Reads the output items of an answer, however they come.
 *
 * Wing adapters (models/openai-responses).
 */
import type { ToolCall } from "../../../contract/message.ts";
import { badResponse, type CallFacts } from "../http/failures.ts";
import { isRecord, type JsonRecord, textOrNothing } from "../http/json.ts";
import type { NameMap } from "../http/names.ts";
import { createCallId } from "../http/tool-calls.ts";

/** The text of a message item. A refusal is text, too. */
export interface MessageText {
  readonly text: string;
  readonly refused: boolean;
}

/** @throws ModelError for content that is no list. */
export function readMessageItem(item: JsonRecord, facts: CallFacts): MessageText {
  const parts = item["content"];
  if (typeof parts === "string") return { text: parts, refused: false };
  if (!Array.isArray(parts)) throw badResponse("A message of the model's answer has no list `content`.", facts);
  const refusals = parts.filter(isRecord).map((part) => textOrNothing(part["refusal"]) ?? "");
  const texts = parts.filter(isRecord).map((part) => textOrNothing(part["text"]) ?? "");
  const refusal = refusals.join("");
  return { text: texts.join("") + refusal, refused: refusal !== "" };
}

/** @throws ModelError for a call without a name. */
export function readCallItem(item: JsonRecord, names: NameMap, facts: CallFacts): ToolCall & { arguments: string } {
  const name = textOrNothing(item["name"]);
  if (name === undefined) throw badResponse("The model asked for a tool call without the name of a tool.", facts);
  const given = item["arguments"];
  return {
    id: textOrNothing(item["call_id"]) ?? textOrNothing(item["id"]) ?? createCallId(),
    name: names.fromWire(name),
    arguments: typeof given === "string" ? given : JSON.stringify(given ?? {}),
  };
}

/** The readable part of a reasoning item: its summary, or the reasoning itself where a server shows it. */
export function reasoningText(item: JsonRecord): string {
  const summary = textsOf(item["summary"]).join(BETWEEN_PARTS);
  return summary === "" ? textsOf(item["content"]).join("") : summary;
}

/** What stands between two parts of a summary. */
export const BETWEEN_PARTS = "\n\n";

function textsOf(parts: unknown): string[] {
  return Array.isArray(parts) ? parts.filter(isRecord).flatMap((part) => textOrNothing(part["text"]) ?? []) : [];
}
