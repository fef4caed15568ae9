/**
 * Counts the tokens of messages and tools, each of them once.
 *
 * Adapter wing. Messages are frozen, so what one counted is remembered with it: a turn costs the counting
 * of its new messages, however long the history is.
 */
import type { Message, Part } from "../../../contract/message.ts";
import type { ModelRequest } from "../../../contract/model.ts";
import { clipMiddle, quoteValue } from "../../../util/text.ts";

/** What a message costs beside its text: its role and its borders. */
const MESSAGE_TOKENS = 4;
/** What a call costs beside its name and arguments: its id and its borders. */
const CALL_TOKENS = 8;

/** A counter with a memory. */
export class TokenMeter {
  readonly #known = new WeakMap<object, number>();

  constructor(
    private readonly countTokens: (text: string) => number,
    private readonly imageTokens: number,
  ) {}

  /** @throws TypeError when the host's counter gives no count. */
  text(text: string): number {
    if (text === "") return 0;
    const tokens = this.countTokens(text);
    if (Number.isFinite(tokens) && tokens >= 0) return tokens;
    throw new TypeError(
      `countTokens gave ${quoteValue(tokens)} for a text of ${text.length} characters. Return a number from 0 up.`,
    );
  }

  messages(messages: readonly Message[]): number {
    let tokens = 0;
    for (const message of messages) tokens += this.message(message);
    return tokens;
  }

  message(message: Message): number {
    return this.#remember(message, () => this.#count(message));
  }

  /** What a request costs beside its messages: its tools, and the form that it asks for. */
  overhead({ tools, settings }: ModelRequest): number {
    const format = settings?.responseFormat?.schema;
    let tokens = format === undefined ? 0 : this.#remember(format, () => this.#json(format));
    for (const tool of tools) tokens += this.#remember(tool, () => CALL_TOKENS + this.#json(tool));
    return tokens;
  }

  /** Shortens a text in its middle to at most `maxTokens`; `""` when not even the note of the omission has room. */
  clip(text: string, maxTokens: number): string {
    let clipped = text;
    let chars = text.length;
    for (let tokens = this.text(text); tokens > maxTokens; tokens = this.text(clipped)) {
      // A little less than the share that fits, so that a few rounds are enough with any tokenizer.
      chars = Math.floor(0.95 * chars * Math.min(1, maxTokens / tokens));
      if (chars === 0) return "";
      clipped = clipMiddle(text, chars);
    }
    return clipped;
  }

  #count(message: Message): number {
    const tokens = MESSAGE_TOKENS + this.#content(message.content);
    if (message.role === "tool") return tokens + this.text(message.name);
    if (message.role !== "assistant") return tokens;
    let more = 0;
    for (const { name, arguments: given } of message.toolCalls ?? []) {
      more += CALL_TOKENS + this.text(name) + this.#json(given);
    }
    for (const { text, data } of message.reasoning ?? []) more += this.text(text) + this.#json(data);
    return tokens + more;
  }

  #content(content: string | readonly Part[]): number {
    if (typeof content === "string") return this.text(content);
    let tokens = 0;
    for (const part of content) tokens += part.type === "text" ? this.text(part.text) : this.imageTokens;
    return tokens;
  }

  #json(value: unknown): number {
    return this.text(JSON.stringify(value) ?? "");
  }

  #remember(key: object, count: () => number): number {
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const tokens = count();
    this.#known.set(key, tokens);
    return tokens;
  }
}
