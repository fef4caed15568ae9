/**
 * The order of messages that every provider takes: each tool call has exactly one result, right after
 * it, and no result lacks its call.
 *
 * Floor 4 (context).
 */
import type { Message } from "../contract/message.ts";
import { quoteValue } from "../util/text.ts";
import { invalidMessage } from "./normalize.ts";

const NONE_OPEN: ReadonlyMap<string, string> = new Map();

/** What is known about the calls of a history so far. */
export class CallLedger {
  /** The tool name of each call by its id; `undefined` once it has its result. */
  readonly #calls = new Map<string, string | undefined>();
  #openCount = 0;

  /** Whether an id was used in this history before. */
  knows(id: string): boolean {
    return this.#calls.has(id);
  }

  /** The calls that still lack a result, in call order: id to tool name. */
  get open(): ReadonlyMap<string, string> {
    if (this.#openCount === 0) return NONE_OPEN;
    const open = new Map<string, string>();
    for (const [id, name] of this.#calls) if (name !== undefined) open.set(id, name);
    return open;
  }

  /** Takes note of the next message. @throws ContextError when it may not stand here. */
  take(message: Message): void {
    if (message.role === "tool") {
      this.#answer(message.toolCallId);
      return;
    }
    if (this.#openCount > 0) {
      const [missing] = this.open.keys();
      throw invalidMessage(
        `The tool call ${quoteValue(missing)} has no result, but a message of the role "${message.role}" follows. Add its tool message first.`,
      );
    }
    if (message.role === "assistant" && message.toolCalls !== undefined) this.#ask(message.toolCalls);
  }

  #ask(calls: readonly { readonly id: string; readonly name: string }[]): void {
    // All or none of them: what is refused must leave no trace.
    const ids = calls.length > 1 ? new Set<string>() : undefined;
    for (const { id } of calls) {
      if (this.#calls.has(id) || ids?.has(id)) {
        throw invalidMessage(
          `The tool call id ${quoteValue(id)} is used twice. Give each call of a history its own id.`,
        );
      }
      ids?.add(id);
    }
    for (const { id, name } of calls) this.#calls.set(id, name);
    this.#openCount += calls.length;
  }

  #answer(id: string): void {
    if (this.#calls.get(id) !== undefined) {
      this.#calls.set(id, undefined);
      this.#openCount--;
      return;
    }
    const why = this.#calls.has(id) ? "has a result already" : "does not stand before it";
    throw invalidMessage(`The tool message for ${quoteValue(id)} cannot be sent: its call ${why}. Remove the message.`);
  }
}

/**
 * Checks that a history can be sent as it is: each tool call has exactly one result, none is orphaned
 * or doubled, ids are unique, no assistant message is empty.
 *
 * @throws ContextError CONTEXT_INVALID_MESSAGE that names the first id or message that is wrong.
 */
export function assertWellFormed(messages: readonly Message[]): void {
  const ledger = new CallLedger();
  for (const message of messages) {
    if (isEmptyAssistant(message)) throw invalidMessage("An assistant message is empty. Leave it out of the history.");
    ledger.take(message);
  }
  const missing = ledger.open.keys().next();
  if (missing.done !== true) throw invalidMessage(`The tool call ${quoteValue(missing.value)} has no result.`);
}

/** Whether a message says nothing: strict providers refuse such a message for ever after. */
export function isEmptyAssistant(message: Message): boolean {
  return message.role === "assistant" && message.content === "" && (message.toolCalls?.length ?? 0) === 0;
}
