/**
 * Messages: what a model reads and writes.
 *
 * Floor 3 (contract). Plain JSON, so that a history can be stored, sent again and read by any adapter.
 */

/** A piece of text inside a message of several parts. */
export interface TextPart {
  readonly type: "text";
  readonly text: string;
}

/** An image inside a message. */
export interface ImagePart {
  readonly type: "image";
  /** An `https:` address, or a `data:` URL that holds the bytes (`data:image/png;base64,…`). */
  readonly url: string;
}

/** One piece of a message that is more than plain text. */
export type Part = TextPart | ImagePart;

/** A tool call that a model asked for. */
export interface ToolCall {
  /** Unique within a run; the result carries the same id. */
  readonly id: string;
  readonly name: string;
  /** An object, or the provider's JSON text, which the runtime parses. */
  readonly arguments: unknown;
}

/** Reasoning that a model showed, or an opaque block of it that its provider wants back unchanged. */
export interface Reasoning {
  /** The readable part; may be empty. */
  readonly text: string;
  /** Which adapter understands `data`, for example "anthropic". Other adapters leave the block out. */
  readonly provider?: string | undefined;
  /** The provider's own block, plain JSON, sent back as it came. */
  readonly data?: unknown;
}

/** Instructions to the model. */
export interface SystemMessage {
  readonly role: "system";
  readonly content: string | readonly Part[];
}

/** What the person, or the host for them, said. */
export interface UserMessage {
  readonly role: "user";
  readonly content: string | readonly Part[];
}

/** What the model said and asked for. */
export interface AssistantMessage {
  readonly role: "assistant";
  /** May be empty when there are tool calls. */
  readonly content: string;
  readonly toolCalls?: readonly ToolCall[] | undefined;
  readonly reasoning?: readonly Reasoning[] | undefined;
}

/** The answer to one tool call. */
export interface ToolMessage {
  readonly role: "tool";
  readonly toolCallId: string;
  readonly name: string;
  readonly content: string | readonly Part[];
  /** Set when the call failed; `content` then holds the reason. */
  readonly isError?: boolean | undefined;
}

/** One entry of a history. */
export type Message = SystemMessage | UserMessage | AssistantMessage | ToolMessage;

/** The text of a message's content, its parts joined by newlines; images are left out. */
export function contentText(content: string | readonly Part[]): string {
  if (typeof content === "string") return content;
  return content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
}
