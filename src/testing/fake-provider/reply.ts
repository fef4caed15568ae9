/**
 * What a fake provider answers with, and how the bytes travel.
 *
 * Testing. Plain data, so that a test reads like the conversation it is about.
 */

/** A tool call in a scripted answer. */
export interface FakeToolCall {
  readonly name: string;
  /** An object is sent as its JSON; a text is sent as it is, valid or not. @defaultValue {} */
  readonly arguments?: unknown;
  /** @defaultValue "call_1", "call_2", … counted over the provider's life */
  readonly id?: string | undefined;
}

/** How the bytes of an answer travel. All times are milliseconds. */
export interface FakeTransport {
  /** Cuts the body into pieces of this many bytes, or after these positions. @defaultValue one piece per event */
  readonly split?: number | readonly number[] | undefined;
  /** The line ends of an event stream. @defaultValue "\\n" */
  readonly lineEnd?: "\n" | "\r\n" | "\r" | undefined;
  /** Starts the body with a byte order mark. @defaultValue false */
  readonly bom?: boolean | undefined;
  /** Puts a comment before each event of a stream, as gateways do to keep connections alive. @defaultValue false */
  readonly comments?: boolean | undefined;
  /** Wait before the status line and headers. @defaultValue 0 */
  readonly headerDelayMs?: number | undefined;
  /** Wait between two pieces of the body. @defaultValue 0 */
  readonly pieceDelayMs?: number | undefined;
  /** Breaks the body off. @defaultValue it is sent whole */
  readonly cut?: FakeCut | undefined;
}

/**
 * Where and how a body breaks off: "end" closes the answer properly but early, "fin" closes the
 * connection in the middle, "reset" resets it, "stall" keeps it open and sends nothing more.
 */
export interface FakeCut {
  readonly afterBytes: number;
  readonly how: "end" | "fin" | "reset" | "stall";
}

/** An answer in the dialect of the request, streamed or whole as the request asks. */
export interface FakeAnswer {
  /** A list is streamed piece by piece. */
  readonly text?: string | readonly string[] | undefined;
  readonly toolCalls?: readonly FakeToolCall[] | undefined;
  /** A list is streamed piece by piece. */
  readonly reasoning?: string | readonly string[] | undefined;
  /** As the wire says it; "length" and "filtered" are put into its words. @defaultValue what fits the answer */
  readonly finishReason?: string | undefined;
  readonly usage?: { readonly inputTokens: number; readonly outputTokens: number } | undefined;
  /** @defaultValue the model that was asked for */
  readonly model?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly transport?: FakeTransport | undefined;
}

/** An answer as a status with a body; an object is sent as JSON. */
export interface FakeStatus {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly transport?: FakeTransport | undefined;
}

/** A stream, event by event: objects are sent as JSON, texts as the data itself (`"[DONE]"`). */
export interface FakeEvents {
  readonly events: readonly unknown[];
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly transport?: FakeTransport | undefined;
}

/** The exact bytes of a body with status 200. */
export interface FakeRaw {
  readonly raw: string | Uint8Array;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly transport?: FakeTransport | undefined;
}

/** Closes or resets the connection without any answer, or never answers. */
export interface FakeSilence {
  readonly hangUp: "fin" | "reset" | "stall";
}

/** One scripted reply. */
export type FakeReply = FakeAnswer | FakeStatus | FakeEvents | FakeRaw | FakeSilence;

/** A request as the provider received it. */
export interface FakeRequest {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly rawBody: string;
  /** The body as JSON, or `undefined` when it is none. */
  readonly body: unknown;
  /** Counts connections from 1: equal numbers shared a connection. */
  readonly connection: number;
  /** Whether the client took the whole answer, or left before its end. */
  readonly closed: Promise<"complete" | "cancelled">;
}
