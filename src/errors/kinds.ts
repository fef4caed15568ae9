/**
 * The words in which a failure is described: the layer that failed, what its code means, why it stopped.
 *
 * Floor 1 (errors).
 */

/** Whose layer failed: the model, a tool, the runtime, the context or the permission gate. */
export type ErrorKind = "model" | "tool" | "runtime" | "context" | "permission";

/** Every {@link ErrorKind}, in the order of the documentation. */
export const ERROR_KINDS = ["model", "tool", "runtime", "context", "permission"] as const satisfies ErrorKind[];

/** Tells whether a value is one of the five kinds. */
export function isErrorKind(value: unknown): value is ErrorKind {
  return (ERROR_KINDS as readonly unknown[]).includes(value);
}

/** What is known of a code before any failure happened. */
export interface ErrorCodeDefinition {
  /** The layer that fails with this code. */
  readonly kind: ErrorKind;
  /** Whether the same call may succeed unchanged, unless the error itself says otherwise. */
  readonly retryable: boolean;
  /** What happened, in one line. */
  readonly title: string;
  /** What a host should do about it. */
  readonly advice: string;
}

/** Why no further attempt was made. It explains the stop; the error itself stays the last real one. */
export type RetryState = (typeof RETRY_STATES)[number];

export const RETRY_STATES = [
  "not_retryable",
  "attempts_exhausted",
  "budget_exhausted",
  "deadline",
  "retry_after_too_long",
  "partially_delivered",
  "aborted",
] as const;
