/**
 * Writes an error of ours as JSON: an allow-list of fields, bounded in depth, width and size.
 *
 * Floor 1 (errors). Foreign errors carry headers, prompts and keys in their own properties; of a cause
 * only its name, message, code and status are kept.
 */

import { kindOf } from "./brand.ts";
import type { ErrorCode } from "./codes.ts";
import type { ErrorKind, RetryState } from "./kinds.ts";
import { messageOf } from "./message.ts";
import { type HarnessErrorOptions, isHttpStatus } from "./options.ts";
import { toPlainData } from "./plain-data.ts";
import { isObject, read, readList, readText, typeNameOf } from "./read.ts";
import { type RedactOptions, redactionOf } from "./redact.ts";
import { MAX_MESSAGE_CHARS, safeText } from "./safe-text.ts";

/** An error as JSON. `deserializeError` makes an error of it again. */
export interface SerializedError {
  /** The version of this form. */
  readonly v: 1;
  readonly name: string;
  readonly kind: ErrorKind;
  readonly code: ErrorCode;
  readonly retryable: boolean;
  readonly message: string;
  readonly retryAfterMs?: number;
  readonly status?: number;
  readonly providerCode?: string;
  readonly requestId?: string;
  readonly attempts?: number;
  readonly retryState?: RetryState;
  readonly detail?: Readonly<Record<string, unknown>>;
  /** Only when it was asked for. */
  readonly stack?: string;
  readonly cause?: SerializedCause;
}

/** What is kept of a cause. `kind` and `retryable` are there when it is an error of ours. */
export interface SerializedCause {
  readonly name: string;
  readonly message: string;
  readonly kind?: ErrorKind;
  readonly retryable?: boolean;
  readonly code?: string | number;
  readonly status?: number;
  readonly cause?: SerializedCause;
  readonly errors?: readonly SerializedCause[];
}

/** What to write besides the usual. */
export interface SerializeOptions extends RedactOptions {
  /** Also write the stack of the error itself. @defaultValue false */
  stack?: boolean | undefined;
}

/** The fields of an error of ours that the record takes over. */
interface Source extends Omit<HarnessErrorOptions, "code" | "retryable"> {
  readonly name: string;
  readonly kind: ErrorKind;
  readonly message: string;
  readonly code: string;
  readonly retryable: boolean;
  readonly stack?: string | undefined;
}

const MAX_BYTES = 16 * 1024;
/** How long messages may be, tried in this order. */
const MESSAGE_CHARS = [MAX_MESSAGE_CHARS, MAX_MESSAGE_CHARS / 2, MAX_MESSAGE_CHARS / 4] as const;
const MAX_DEPTH = 4;
const MAX_NODES = 12;
const MAX_CHILDREN = 5;
const MAX_WORD_CHARS = 120;
const MAX_STACK_CHARS = 4_000;

/** How a record is kept small: messages get shorter until all of it fits. */
interface Limits {
  readonly messageChars: number;
  readonly options: RedactOptions;
  readonly stack: boolean;
  readonly detail: boolean;
  /** How many nodes may still be written. */
  readonly budget: { left: number };
}

/** The record of an error of ours, under 16 KiB as UTF-8 JSON. */
export function toRecord(error: Source, options: SerializeOptions = redactionOf(error)): SerializedError {
  const limits = { options, stack: options.stack === true, detail: true };
  for (const messageChars of MESSAGE_CHARS) {
    const record = writeRecord(error, { ...limits, messageChars, budget: { left: MAX_NODES } });
    if (fits(record)) return record;
  }
  return writeRecord(error, { options, stack: false, detail: false, messageChars: 200, budget: { left: MAX_NODES } });
}

function fits(record: SerializedError): boolean {
  return new TextEncoder().encode(JSON.stringify(record)).length < MAX_BYTES;
}

function writeRecord(error: Source, limits: Limits): SerializedError {
  limits.budget.left -= 1;
  const { retryAfterMs, status, attempts, retryState } = error;
  const detail = limits.detail ? toPlainData(error.detail, limits.options) : undefined;
  return omitUndefined({
    v: 1 as const,
    name: word(error.name, limits),
    kind: error.kind,
    code: word(error.code, limits),
    retryable: error.retryable,
    message: safeText(error.message, limits.options, limits.messageChars),
    retryAfterMs,
    status,
    providerCode: word(error.providerCode, limits),
    requestId: word(error.requestId, limits),
    attempts,
    retryState,
    detail,
    stack: limits.stack ? safeText(String(error.stack), limits.options, MAX_STACK_CHARS) : undefined,
    cause: error.cause === undefined ? undefined : writeCause(error.cause, [error], limits),
  }) as unknown as SerializedError;
}

/** Writes a cause with its own causes. `outer` are the errors it stands in, the outermost first. */
function writeCause(value: unknown, outer: readonly unknown[], limits: Limits): SerializedCause | undefined {
  if (outer.length > MAX_DEPTH || limits.budget.left <= 0) return undefined;
  limits.budget.left -= 1;
  if (outer.includes(value)) return { name: "Circular", message: "[circular]" };
  const message = safeText(messageOf(value), limits.options, limits.messageChars);
  if (!isObject(value)) return { name: typeof value, message };
  const chain = [...outer, value];
  const kind = kindOf(value);
  const code = read(value, "code");
  const status = read(value, "status") ?? read(value, "statusCode");
  const inner = read(value, "cause");
  const children = readList(value, "errors", MAX_CHILDREN).map((child) => writeCause(child, chain, limits));
  const errors = children.filter((child) => child !== undefined);
  return omitUndefined({
    name: word(typeNameOf(value) ?? "Error", limits),
    message,
    kind,
    retryable: kind === undefined ? undefined : read(value, "retryable"),
    code: typeof code === "number" && Number.isFinite(code) ? code : word(readText(value, "code"), limits),
    status: isHttpStatus(status) ? status : undefined,
    cause: inner === undefined || inner === null ? undefined : writeCause(inner, chain, limits),
    errors: errors.length > 0 ? errors : undefined,
  }) as unknown as SerializedCause;
}

function word(text: string | undefined, { options }: Limits): string | undefined {
  return text === undefined ? undefined : safeText(text, options, MAX_WORD_CHARS);
}

function omitUndefined(record: object): object {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined));
}
