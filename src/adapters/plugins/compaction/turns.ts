/**
 * Where a history may be cut.
 *
 * Adapter wing. A cut never stands before a tool message: its call would be on the other side.
 */
import type { Message } from "../../../contract/message.ts";

/** How many system messages a history begins with; they are never touched. */
export function headLength(messages: readonly Message[]): number {
  const first = messages.findIndex(({ role }) => role !== "system");
  return first === -1 ? messages.length : first;
}

/** Where the newest turns begin, together with the user messages right before them; 0 when there are no older ones. */
export function keptFrom(messages: readonly Message[], keepTurns: number): number {
  let from = messages.length;
  for (let turns = 0; turns < keepTurns && from > 0; ) {
    from--;
    if (messages[from]?.role === "assistant") turns++;
  }
  while (from > 0 && !endsTurn(messages[from - 1])) from--;
  return from;
}

/**
 * The shortest beginning of whole turns that is enough, or all up to `end` when none is.
 *
 * @param isEnough - Is told how many tokens the beginning has.
 */
export function shortestCover(
  messages: readonly Message[],
  end: number,
  countTokens: (message: Message) => number,
  isEnough: (tokens: number) => boolean,
): number {
  let tokens = 0;
  for (let cut = 1; cut < end; cut++) {
    const last = messages[cut - 1];
    if (last !== undefined) tokens += countTokens(last);
    if (messages[cut]?.role !== "tool" && endsTurn(last) && isEnough(tokens)) return cut;
  }
  return end;
}

function endsTurn(message: Message | undefined): boolean {
  return message?.role === "assistant" || message?.role === "tool";
}
