/**
 * A dialect: how one API words an answer. The server, the faults and the record know none of it.
 *
 * Testing.
 */
import type { FakeAnswer, FakeToolCall } from "./reply.ts";

/** An answer with everything filled in. */
export interface CompleteAnswer extends Omit<FakeAnswer, "text" | "reasoning" | "toolCalls"> {
  readonly text: readonly string[];
  /** Empty for an answer without reasoning. */
  readonly reasoning: readonly string[];
  readonly toolCalls: readonly (Required<Pick<FakeToolCall, "name">> & {
    readonly id: string;
    /** The arguments as text. */
    readonly arguments: string;
  })[];
  readonly model: string;
  /** Unique per answer. */
  readonly id: string;
}

/** One API that the fake provider speaks. */
export interface Dialect {
  readonly name: string;
  /** Says whether a request to this path is in this dialect. */
  matches(path: string): boolean;
  /** Says whether the request asks for a stream. */
  wantsStream(body: unknown): boolean;
  /** The answer as one JSON document. */
  document(answer: CompleteAnswer): unknown;
  /** The answer as events: objects are JSON, texts the data itself. */
  events(answer: CompleteAnswer, body: unknown): readonly FakeEvent[];
}

/** One event of a stream. */
export interface FakeEvent {
  readonly event?: string | undefined;
  readonly data: unknown;
}
