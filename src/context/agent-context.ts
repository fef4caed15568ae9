/**
 * The history of a conversation: append-only, always fit to be sent, one run at a time.
 *
 * Floor 4 (context).
 */
import type { Message } from "../contract/message.ts";
import { isContextError } from "../errors/index.ts";
import { misuse } from "../util/misuse.ts";
import { normalizeMessage } from "./normalize.ts";
import { type ContextSnapshot, invalidSnapshot, readSnapshot, snapshotOf } from "./snapshot.ts";
import { CallLedger, isEmptyAssistant } from "./well-formed.ts";

/** Why a context could not be taken by a run. */
const IN_USE =
  "This context is in use by another run. Wait for that run, or give each run a context of its own: AgentContext.restore(context.snapshot()).";

/** Holds messages over several runs. Pass it as `context` to `run`; the run appends to it. */
export class AgentContext {
  readonly #messages: Message[] = [];
  readonly #ledger = new CallLedger();
  #view: readonly Message[] | undefined;
  #inUse = false;

  /** The messages so far. Frozen; a later message gives another array. */
  get messages(): readonly Message[] {
    this.#view ??= Object.freeze([...this.#messages]);
    return this.#view;
  }

  /**
   * Appends a message. An assistant message that says nothing is left out, because strict providers
   * would refuse every request that holds it.
   *
   * @throws ContextError CONTEXT_INVALID_MESSAGE when it is malformed, or may not stand here: a tool
   * message without its call, a call id used twice, another message while a call lacks its result.
   */
  add(message: Message): this {
    return this.append(normalizeMessage(message));
  }

  /** The context as plain JSON, with a checksum. */
  snapshot(): ContextSnapshot {
    return snapshotOf(this.messages);
  }

  /**
   * Makes a context of a snapshot, given as an object or as JSON text. The snapshot is not changed.
   *
   * @throws ContextError CONTEXT_SNAPSHOT_INVALID or CONTEXT_SNAPSHOT_VERSION; never another error, and
   * never a context that differs from the one of the snapshot.
   */
  static restore(snapshot: unknown): AgentContext {
    const context = new AgentContext();
    try {
      for (const message of readSnapshot(snapshot)) context.append(message);
    } catch (error) {
      if (isContextError(error) && error.code !== "CONTEXT_INVALID_MESSAGE") throw error;
      const why = isContextError(error) ? error.message : "Reading it failed.";
      throw invalidSnapshot(`The snapshot cannot be restored. ${why}`, error);
    }
    return context;
  }

  /** Appends a message that is normal and frozen already. @internal */
  append(message: Message): this {
    if (isEmptyAssistant(message)) return this;
    this.#ledger.take(message);
    this.#messages.push(message);
    this.#view = undefined;
    return this;
  }

  /** How many messages there are. @internal */
  get size(): number {
    return this.#messages.length;
  }

  /** A shallow copy of the first `size` messages for one request, after the messages of `before`. @internal */
  copyAfter(before: readonly Message[], size = this.#messages.length): Message[] {
    const { length } = this.#messages;
    const messages = size === length && before.length > 0 ? this.#messages : this.#messages.slice(0, size);
    return before.length === 0 ? messages : before.concat(messages);
  }

  /** Calls without a result, in call order: id to tool name. @internal */
  get openCalls(): ReadonlyMap<string, string> {
    return this.#ledger.open;
  }

  /** Whether a call id was used before. @internal */
  knowsCall(id: string): boolean {
    return this.#ledger.knows(id);
  }

  /** Answers every open call with a failure. @internal */
  closeOpenCalls(reason: string): void {
    for (const [toolCallId, name] of this.#ledger.open) {
      this.append(Object.freeze({ role: "tool", toolCallId, name, content: reason, isError: true }));
    }
  }

  /** Takes the context for one run. @throws TypeError when another run has it. @internal */
  acquire(): void {
    if (this.#inUse) throw misuse(IN_USE);
    this.#inUse = true;
  }

  /** Gives the context back. @internal */
  release(): void {
    this.#inUse = false;
  }
}
