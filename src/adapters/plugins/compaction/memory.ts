/**
 * What earlier compactions left, so that later turns of the same history do not pay for them again.
 *
 * Adapter wing. Everything hangs on the messages themselves, by weak references: a compaction counts as long as
 * the history begins with the same message and has the last one that it covers in its place, and goes with it.
 */
import type { Message } from "../../../contract/message.ts";
import type { Usage } from "../../../contract/model.ts";
import { addUsage } from "./usage.ts";

/** What stands in requests for the beginning of a history. */
interface Checkpoint {
  /** How many messages it covers, and the last of them. */
  readonly covered: number;
  readonly last: Message;
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
  /** The same object for views that differ only in the messages at their end. */
  readonly root: object;
}

/** What a view costs, as far as it has been added up. */
interface Total {
  readonly count: number;
  readonly last: Message | undefined;
  readonly tokens: number;
}

/** Remembers by the first message of a history. */
export class Memory {
  readonly #checkpoints = new WeakMap<Message, Checkpoint>();
  readonly #owed = new WeakMap<Message, Usage>();
  readonly #totals = new WeakMap<object, Total>();

  /** The history with its latest compaction in place. */
  view(history: readonly Message[]): View {
    const [first] = history;
    const found = first && this.#checkpoints.get(first);
    if (found === undefined || history[found.covered - 1] !== found.last) {
      return { messages: history, covered: 0, standing: 0, isLasting: true, root: first ?? history };
    }
    const { covered, messages } = found;
    const all = [...messages, ...history.slice(covered)];
    return { messages: all, covered, standing: messages.length, isLasting: true, root: found };
  }

  /** Makes later turns of the history begin with a view. */
  remember(history: readonly Message[], { covered, standing, messages }: View): void {
    const first = history[0];
    const last = history[covered - 1];
    if (first === undefined || last === undefined) return;
    this.#checkpoints.set(first, { covered, last, messages: messages.slice(0, standing) });
  }

  /** The sum over a view; only what came since it was last asked for is added. */
  total({ messages, root }: View, countTokens: (message: Message) => number): number {
    const known = this.#totals.get(root);
    const isPart = known !== undefined && messages[known.count - 1] === known.last;
    let tokens = isPart ? known.tokens : 0;
    for (const message of isPart ? messages.slice(known.count) : messages) tokens += countTokens(message);
    this.#totals.set(root, { count: messages.length, last: messages.at(-1), tokens });
    return tokens;
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
  const standing = messages.length - fresh;
  return { messages, covered: history.length - fresh, standing, isLasting, root: messages };
}

/** How many messages two lists have in common at their ends. */
function sameEnd(a: readonly Message[], b: readonly Message[]): number {
  const most = Math.min(a.length, b.length);
  let same = 0;
  while (same < most && a[a.length - 1 - same] === b[b.length - 1 - same]) same++;
  return same;
}
