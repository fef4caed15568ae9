/**
 * Turns any thrown value into JSON that may be stored and sent.
 *
 * Floor 1 (errors).
 */

import { toHarnessError } from "./adopt.ts";
import { type SerializedError, type SerializeOptions, toRecord } from "./record.ts";
import { redactionOf } from "./redact.ts";

/**
 * Writes an error as bounded JSON without secrets: depth 4, 12 nodes, under 16 KiB. A foreign value is
 * adopted as a runtime error first.
 *
 * @example
 * worker.postMessage(serializeError(error)); // and deserializeError(data) on the other side
 */
export function serializeError(error: unknown, options: SerializeOptions = {}): SerializedError {
  const own = toHarnessError(error, undefined, options);
  return toRecord(own, { ...redactionOf(own), ...options });
}
