/**
 * Old turns as one text that a model can read whole.
 *
 * Adapter wing. As text, because a provider refuses calls and results in a request that defines no tools.
 */
import type { Message } from "../../../contract/message.ts";
import type { TokenMeter } from "./token-meter.ts";

/** An entry that is cut down to less says nothing any more. */
const LEAST_ENTRY_TOKENS = 24;

/** The text of messages in at most `maxTokens`; the longest entries are shortened first, all to the same length. */
export function transcriptOf(messages: readonly Message[], maxTokens: number, meter: TokenMeter): string {
  const entries = messages.flatMap(entriesOf);
  const cap = fairShare(
    entries.map((entry) => meter.text(entry)),
    maxTokens,
  );
  const texts = entries.map((entry) => meter.clip(entry, cap) || entry);
  // There may be so many entries that not even the least of each has room.
  return meter.clip(texts.join("\n\n"), maxTokens);
}

/** The largest length to which all sizes can be cut so that their sum fits. */
function fairShare(sizes: readonly number[], room: number): number {
  let left = room;
  const ascending = [...sizes].sort((a, b) => a - b);
  for (const [index, size] of ascending.entries()) {
    const share = Math.floor(left / (ascending.length - index));
    if (size > share) return Math.max(share, LEAST_ENTRY_TOKENS);
    left -= size;
  }
  return Number.POSITIVE_INFINITY;
}

function entriesOf(message: Message): string[] {
  const text = textOf(message);
  switch (message.role) {
    case "assistant":
      return [
        ...(text === "" ? [] : [`[assistant]\n${text}`]),
        ...(message.toolCalls ?? []).map((call) => `[calls ${call.name}]\n${JSON.stringify(call.arguments)}`),
      ];
    case "tool":
      return [`[${message.isError === true ? "failure" : "result"} of ${message.name}]\n${text}`];
    default:
      return [`[${message.role}]\n${text}`];
  }
}

function textOf({ content }: Message): string {
  if (typeof content === "string") return content;
  return content.map((part) => (part.type === "text" ? part.text : "[image]")).join("\n");
}
