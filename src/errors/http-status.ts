/**
 * What an HTTP status says, and where the errors of SDKs keep it.
 *
 * Floor 1 (errors).
 */

import { isHttpStatus } from "./options.ts";
import { read } from "./read.ts";
import type { ModelCode } from "./verdict.ts";

const BY_STATUS: Readonly<Record<number, ModelCode>> = {
  401: "MODEL_AUTH",
  402: "MODEL_QUOTA_EXCEEDED",
  403: "MODEL_FORBIDDEN",
  404: "MODEL_NOT_FOUND",
  407: "MODEL_AUTH",
  408: "MODEL_TIMEOUT",
  409: "MODEL_SERVER_ERROR",
  410: "MODEL_NOT_FOUND",
  413: "MODEL_CONTEXT_OVERFLOW",
  425: "MODEL_SERVER_ERROR",
  429: "MODEL_RATE_LIMITED",
  503: "MODEL_OVERLOADED",
  504: "MODEL_TIMEOUT",
  524: "MODEL_TIMEOUT",
  529: "MODEL_OVERLOADED",
};

/** Server errors that stay: not implemented, HTTP version not supported. */
export const PERMANENT_STATUSES: ReadonlySet<number | undefined> = new Set([501, 505]);

/** What a status of 400 or more means for a model call. */
export function codeForStatus(status: number): ModelCode {
  return BY_STATUS[status] ?? (status >= 500 ? "MODEL_SERVER_ERROR" : "MODEL_INVALID_REQUEST");
}

/** The status of one error, of whichever client. */
export function statusOf(node: object): number | undefined {
  const own = statusAt(node, "status") ?? statusAt(node, "statusCode");
  if (own !== undefined) return own;
  const response = read(node, "response");
  const answered = statusAt(response, "status") ?? statusAt(response, "statusCode");
  return answered ?? statusAt(read(node, "$metadata"), "httpStatusCode");
}

function statusAt(value: unknown, key: string): number | undefined {
  const status = read(value, key);
  return isHttpStatus(status) ? status : undefined;
}

/** A number from 400 to 599 in `code`: googleapis and OpenRouter put the status there. */
export function statusInCode(value: unknown): number | undefined {
  const code = read(value, "code");
  return isFailedStatus(code) ? code : undefined;
}

/** Tells whether a value is the status of an answer that failed. */
export function isFailedStatus(value: unknown): value is number {
  return isHttpStatus(value) && value >= 400;
}
