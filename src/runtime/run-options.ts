/**
 * What single runs may bring.
 *
 * Floor 5 (runtime).
 */
import type { AgentContext } from "../context/agent-context.ts";
import type { ModelSettings } from "../contract/model.ts";
import type { SchemaLike } from "../contract/schema.ts";
import type { OnLeave } from "./run-stream.ts";

/** What one run may bring beside its input. */
export interface RunOptions<Schema extends SchemaLike = SchemaLike> {
  /** Aborts this run. */
  readonly signal?: AbortSignal | undefined;
  /** @defaultValue a random UUID */
  readonly runId?: string | undefined;
  /** A conversation to go on with; the run appends to it. @defaultValue a new one */
  readonly context?: AgentContext | undefined;
  /** Instructions for this run instead of the runtime's. */
  readonly system?: string | undefined;
  /** Settings for this run's model calls, over those of the runtime. */
  readonly settings?: ModelSettings | undefined;
  /**
   * The form that the answer must have: a zod schema, a Standard Schema or a JSON Schema, an object at its
   * root. The model is asked for it, told what does not fit and asked again, three times at most; then
   * the run fails with MODEL_OUTPUT_INVALID.
   */
  readonly output?: Schema | undefined;
  /** Kept in the record, as JSON. */
  readonly metadata?: unknown;
}

/** What a resumed run may bring; what the first call of `run` brought is not in the record. */
export type ResumeOptions = Pick<RunOptions, "signal" | "system" | "settings" | "output">;

/** What one streamed run may bring. */
export interface StreamOptions<Schema extends SchemaLike = SchemaLike> extends RunOptions<Schema> {
  /** What happens to the run when the consumer leaves the loop early. @defaultValue "abort" */
  readonly onLeave?: OnLeave | undefined;
}
