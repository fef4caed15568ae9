/**
 * What classification finds out about a failure.
 *
 * Floor 1 (errors).
 */

import type { MODEL_CODES } from "./model-codes.ts";

/** A built-in code of the model layer. */
export type ModelCode = keyof typeof MODEL_CODES;

/** The code of a failed call, with everything else that was found. */
export interface Verdict {
  readonly code: ModelCode;
  readonly retryable: boolean;
  /** Whether somebody else said that the call must not be made again. */
  readonly vetoed?: boolean | undefined;
  readonly status?: number | undefined;
  readonly retryAfterMs?: number | undefined;
  readonly providerCode?: string | undefined;
  readonly requestId?: string | undefined;
  readonly attempts?: number | undefined;
}
