/**
 * The identity of failure: `harness-kit/errors`.
 *
 * Floor 1 (errors). Imports nothing from `node:`, so that it runs in browsers, workers and on the edge.
 *
 * @module harness-kit/errors
 */

export { type AdoptOptions, type ErrorHint, toHarnessError } from "./adopt.ts";
export { defineErrorCode, ERROR_CODES, type ErrorCode } from "./codes.ts";
export { deserializeError } from "./deserialize.ts";
export { type ExplainableRun, explainError, explainRun } from "./explain.ts";
export {
  isContextError,
  isHarnessError,
  isModelError,
  isPermissionError,
  isRuntimeError,
  isToolError,
} from "./guards.ts";
export {
  type AnyHarnessError,
  ContextError,
  HarnessError,
  type HarnessErrorOf,
  ModelError,
  PermissionError,
  RuntimeError,
  ToolError,
} from "./harness-error.ts";
export { ERROR_KINDS, type ErrorCodeDefinition, type ErrorKind, type RetryState } from "./kinds.ts";
export { errorMessage } from "./message.ts";
export type { HarnessErrorOptions } from "./options.ts";
export type { SerializedCause, SerializedError, SerializeOptions } from "./record.ts";
export { type RedactOptions, redactSecrets } from "./redact.ts";
export { modelErrorFromResponse, type ProviderResponse } from "./response-error.ts";
export { parseRetryAfter, type RetryAfterOptions } from "./retry-after.ts";
export { serializeError } from "./serialize.ts";
