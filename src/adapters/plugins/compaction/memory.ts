/**
 * What earlier compactions left, so that later turns of the same history do not pay for them again.
 *
 * Adapter wing. Everything hangs on the messages themselves: a compaction is remembered with the last
 * message that it covers, and goes when the history goes.
 */
import type { Message } from "../../../contract/message.ts";
import type { Usage } from "../../../contract/model.ts";
import { addUsage } from "./usage.ts";

/** What stands in requests for the beginning of a history. */
interface Checkpoint {
  /** The first message that it covers; with another one before the last, it is another history. */
  readonly first: Message;
  /** How many messages it covers. */
  readonly covered: number;
  readonly messages: readonly Message[];
}

/** A history as it is sent. */
export interface View {
  readonly messages: readonly Message[];
  /** How many messages of the history the first ones stand for, and how many they are. */
  readonly covered: number;
  readonly standing: number;
  /** Whether later turns are to begin with it. */
  readonly isLasting: boolean;
}

/** Remembers by weak references only. */
export class Memory {
  readonly #checkpoints = new WeakMap<Message, Checkpoint>();
  readonly #owed = new WeakMap<Message, Usage>();

  /** The history with its latest compaction in place. */
  view(history: readonly Message[]): View {
    for (let covered = history.length; covered > 0; covered--) {
      const found = this.#checkpoints.get(history[covered - 1] as Message);
      if (found === undefined || found.covered !== covered || found.first !== history[0]) continue;
      const { messages } = found;
      const all = [...messages, ...history.slice(covered)];
      return { messages: all, covered, standing: messages.length, isLasting: true };
    }
    return { messages: history, covered: 0, standing: 0, isLasting: true };
  }

  /** Makes later turns of the history begin with a view, in place of an earlier one. */
  remember(history: readonly Message[], view: View, earlier: View): void {
    const first = history[0];
    const last = history[view.covered - 1];
    if (first === undefined || last === undefined) return;
    const replaced = history[earlier.covered - 1];
    if (replaced !== undefined) this.#checkpoints.delete(replaced);
    this.#checkpoints.set(last, { first, covered: view.covered, messages: view.messages.slice(0, view.standing) });
  }

  /** Keeps what a summary used until an answer takes it along. */
  owe(history: readonly Message[], usage: Usage | undefined): void {
    const [first] = history;
    if (first === undefined) return;
    const sum = addUsage(this.#owed.get(first), usage);
    if (sum !== undefined) this.#owed.set(first, sum);
  }

  /** Takes what is owed; it is owed no longer. */
  settle(history: readonly Message[]): Usage | undefined {
    const [first] = history;
    if (first === undefined) return undefined;
    const usage = this.#owed.get(first);
    this.#owed.delete(first);
    return usage;
  }
}

/** What a view becomes with other messages; the new ones that both end with stay uncovered. */
export function nextView(
  history: readonly Message[],
  before: View,
  messages: readonly Message[],
  isLasting: boolean,
): View {
  const fresh = Math.min(sameEnd(before.messages, messages), before.messages.length - before.standing);
  return { messages, covered: history.length - fresh, standing: messages.length - fresh, isLasting };
}

/** How many messages two lists have in common at their ends. */
function sameEnd(a: readonly Message[], b: readonly Message[]): number {
  const most = Math.min(a.length, b.length);
  let same = 0;
  while (same < most && a[a.length - 1 - same] === b[b.length - 1 - same]) same++;
  return same;
}
