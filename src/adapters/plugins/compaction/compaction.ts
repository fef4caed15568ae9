/**
 * The plugin: looks at each request before it is sent, and at each overflow after it.
 *
 * Adapter wing. What the model sees changes; the history and the record of the run do not.
 */
import type { Message } from "../../../contract/message.ts";
import type { ModelRequest, ModelResponse } from "../../../contract/model.ts";
import type { Plugin } from "../../../contract/plugin.ts";
import { toHarnessError } from "../../../errors/index.ts";
import { type Compacted, compact } from "./compact.ts";
import type { Asking, Bounds, Kit } from "./kit.ts";
import { Memory, nextView, type View } from "./memory.ts";
import { Notes } from "./note.ts";
import { type CompactionOptions, resolveOptions } from "./options.ts";
import { TokenMeter } from "./token-meter.ts";
import { headLength } from "./turns.ts";
import { addUsage, readUsage } from "./usage.ts";

/**
 * Makes a plugin that sends less than the whole history when that would not fit: old tool results are
 * shortened first, then the oldest turns are summarised by the model, never between a call and its result.
 *
 * It acts when the estimated tokens of a request pass `maxTokens`, and when the model says that its context
 * overflows; after an overflow the model is asked once more. Each time it tells "context:compacted". What a
 * summary used is added to the usage of the answer. List it before plugins that change messages.
 *
 * @throws TypeError when an option is wrong; it says what to write instead.
 * @example
 * const runtime = createRuntime({ model, tools, plugins: [compaction({ maxTokens: 100_000 })] });
 */
export function compaction(options: CompactionOptions = {}): Plugin {
  const settings = resolveOptions(options);
  const meter = new TokenMeter(settings.countTokens, settings.imageTokens);
  const kit: Kit = { settings, meter, notes: new Notes() };
  const memory = new Memory();
  return {
    name: "compaction",
    wrapModel: (request, next, context) => new CompactedCall(kit, memory, request, { next, context }).run(),
  };
}

type Reply = { readonly ok: true; readonly response: ModelResponse } | { readonly ok: false; readonly error: unknown };

/** One attempt of a model call. */
class CompactedCall {
  readonly #head: readonly Message[];
  readonly #history: readonly Message[];
  #view: View;

  constructor(
    private readonly kit: Kit,
    private readonly memory: Memory,
    private readonly request: ModelRequest,
    private readonly asking: Asking,
  ) {
    const head = headLength(request.messages);
    this.#head = request.messages.slice(0, head);
    this.#history = request.messages.slice(head);
    this.#view = memory.view(this.#history);
  }

  async run(): Promise<ModelResponse> {
    const { maxTokens } = this.kit.settings;
    if (maxTokens !== undefined && this.#tokens > maxTokens) {
      const limit = maxTokens - this.#fixedTokens;
      await this.#compact("limit", limit, limit / 2);
    }
    const first = await this.#ask();
    if (!saysOverflow(first) || this.asking.context.delivered > 0) return this.#conclude(first);
    const half = (this.#tokens - this.#fixedTokens) / 2;
    const isSmaller = await this.#compact("overflow", half, half);
    return this.#conclude(isSmaller ? await this.#ask() : first);
  }

  /** Tokens of the request as it would be sent now. */
  get #tokens(): number {
    return this.#fixedTokens + this.memory.total(this.#view, (message) => this.kit.meter.message(message));
  }

  /** Tokens of what is sent beside the history: tools and system messages. */
  get #fixedTokens(): number {
    return this.kit.meter.overhead(this.request) + this.kit.meter.messages(this.#head);
  }

  #boundsOf(limit: number, target: number): Bounds {
    const { targetTokens } = this.kit.settings;
    const wanted = targetTokens === undefined ? target : Math.min(targetTokens - this.#fixedTokens, limit);
    return { limit: Math.max(0, Math.floor(limit)), target: Math.max(0, Math.floor(wanted)) };
  }

  async #compact(reason: "limit" | "overflow", limit: number, target: number): Promise<boolean> {
    const before = this.#view;
    const sizeBefore = { messages: before.messages.length, tokens: this.#tokens };
    const done = await compact(this.kit, before.messages, this.#boundsOf(limit, target), this.asking);
    this.memory.owe(this.#history, done.usage);
    if (done.summarized + done.dropped + done.shortened === 0) return false;
    // A failure that may pass settles nothing: the next turn tries again.
    const isLasting = before.isLasting && done.error?.retryable !== true;
    this.#view = nextView(this.#history, before, done.messages, isLasting);
    if (isLasting) this.memory.remember(this.#history, this.#view);
    this.#tell(reason, sizeBefore, done);
    return true;
  }

  #tell(reason: "limit" | "overflow", before: { messages: number; tokens: number }, done: Compacted): void {
    const { summarized, dropped, shortened, error } = done;
    const head = this.#head.length;
    this.asking.context.compacted({
      reason,
      messagesBefore: head + before.messages,
      messagesAfter: head + done.messages.length,
      tokensBefore: before.tokens,
      tokensAfter: this.#tokens,
      summarized,
      dropped,
      shortened,
      ...(error !== undefined && { error: { kind: error.kind, code: error.code, message: error.message } }),
    });
  }

  get #sent(): ModelRequest {
    if (this.#view.covered === 0) return this.request;
    return Object.freeze({ ...this.request, messages: [...this.#head, ...this.#view.messages] });
  }

  async #ask(): Promise<Reply> {
    try {
      return { ok: true, response: await this.asking.next(this.#sent) };
    } catch (error) {
      return { ok: false, error };
    }
  }

  /** With what the summary used: this answer would not have been without it. */
  #conclude(reply: Reply): ModelResponse {
    if (!reply.ok) throw reply.error;
    const owed = this.memory.settle(this.#history);
    if (owed === undefined) return reply.response;
    const usage = addUsage(readUsage(reply.response.usage), owed);
    return { ...reply.response, usage };
  }
}

/** Whether the request did not fit the model. Some clients return normally from failures. */
function saysOverflow(reply: Reply): boolean {
  const error: unknown = reply.ok ? (reply.response as { error?: unknown } | null | undefined)?.error : reply.error;
  if (error === undefined || error === null) return false;
  return toHarnessError(error, "model").code === "MODEL_CONTEXT_OVERFLOW";
}
