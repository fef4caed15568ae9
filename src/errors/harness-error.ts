/**
 * The five error classes. Every failure that a host sees is one of them.
 *
 * Floor 1 (errors). Their names come from literals and their identity from a brand, because minifying
 * destroys `constructor.name` and a second copy of the package defeats the usual `instanceof`.
 */

import { misuse } from "../util/misuse.ts";
import { BRAND, kindOf } from "./brand.ts";
import { definitionOf, ERROR_CODES, type ErrorCode, UNKNOWN_CODES } from "./codes.ts";
import { inspectError } from "./inspect.ts";
import { type ErrorKind, isErrorKind, type RetryState } from "./kinds.ts";
import { checkErrorArguments, FACTS, type HarnessErrorOptions } from "./options.ts";
import { attempt } from "./read.ts";
import { type SerializedError, toRecord } from "./record.ts";

/** The kind that each of our own classes stands for. A class of a user is not in it. */
const kindOfClass = new WeakMap<object, ErrorKind>();

/**
 * What all errors of the package have in common. Switch on `kind`, then on `code`.
 *
 * Extend one of {@link ModelError}, {@link ToolError}, {@link RuntimeError}, {@link ContextError} and
 * {@link PermissionError}, not this class.
 */
export abstract class HarnessError extends Error {
  /** Whose layer failed. */
  abstract readonly kind: ErrorKind;
  /** What happened. Stable: hosts may switch on it. */
  readonly code: ErrorCode;
  /** Whether the same call may succeed unchanged. */
  readonly retryable: boolean;
  /** The original error or value, untouched. */
  declare readonly cause?: unknown;
  /** The HTTP status, where there was one. */
  declare readonly status?: number;
  /** How long the other side asked to wait, in milliseconds, without an upper limit. */
  declare readonly retryAfterMs?: number;
  /** The provider's own word for what happened. */
  declare readonly providerCode?: string;
  /** The provider's id of the request. */
  declare readonly requestId?: string;
  /** How many times the call was made. */
  declare readonly attempts?: number;
  /** Plain JSON data that helps to act on the failure. */
  declare readonly detail?: Readonly<Record<string, unknown>>;
  /** Why no further attempt was made. */
  declare readonly retryState?: RetryState;

  /**
   * @param message - What happened, with what, what to do.
   * @throws TypeError with the code `RUNTIME_INVALID_CONFIG` when an option is not valid.
   */
  constructor(message: string, options: HarnessErrorOptions = {}) {
    const brand: unknown = (new.target.prototype as { [BRAND]?: unknown })[BRAND];
    if (!isErrorKind(brand)) throw misuse("HarnessError has no kind. Extend ModelError, ToolError or another class.");
    checkErrorArguments(`${new.target.prototype.name}`, message, options);
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = options.code ?? UNKNOWN_CODES[brand];
    this.retryable = options.retryable ?? defaultRetryable(this.code, brand);
    const facts = this as Record<(typeof FACTS)[number], unknown>;
    for (const fact of FACTS) {
      if (options[fact] !== undefined) facts[fact] = options[fact];
    }
  }

  /** The error as bounded JSON without secrets, as `serializeError` gives it. */
  toJSON(): SerializedError {
    return toRecord(this);
  }

  /** What `console.log` prints in Node: the stack and the codes of the causes, never a foreign error's own properties. */
  [Symbol.for("nodejs.util.inspect.custom")](): string {
    return inspectError(this);
  }

  static {
    Object.defineProperty(HarnessError, Symbol.hasInstance, { value: isInstance });
  }
}

/** A model call failed: the provider, the way to it, or the adapter. Retryable unless the code says otherwise. */
export class ModelError extends HarnessError {
  readonly kind = "model" as const;
  static {
    brand(ModelError, "model", "ModelError");
  }
}

/** A tool failed. Not retryable unless it says so: its side effects are unknown. */
export class ToolError extends HarnessError {
  readonly kind = "tool" as const;
  static {
    brand(ToolError, "tool", "ToolError");
  }
}

/** The run itself failed: a limit, a deadline, an abort, a plugin. Retryable unless the code says otherwise. */
export class RuntimeError extends HarnessError {
  readonly kind = "runtime" as const;
  static {
    brand(RuntimeError, "runtime", "RuntimeError");
  }
}

/** A message, a history or a snapshot is not valid. Not retryable unless the code says otherwise. */
export class ContextError extends HarnessError {
  readonly kind = "context" as const;
  static {
    brand(ContextError, "context", "ContextError");
  }
}

/** The permission gate refused. Never retryable by default. */
export class PermissionError extends HarnessError {
  readonly kind = "permission" as const;
  static {
    brand(PermissionError, "permission", "PermissionError");
  }
}

/** Any of the five, as a union: a `switch` over `kind` narrows it. */
export type AnyHarnessError = ModelError | ToolError | RuntimeError | ContextError | PermissionError;

/** The class of a kind: `HarnessErrorOf<"tool">` is {@link ToolError}. */
export type HarnessErrorOf<K extends ErrorKind> = Extract<AnyHarnessError, { readonly kind: K }>;

/** The class for each kind. */
export const ERROR_CLASSES = {
  model: ModelError,
  tool: ToolError,
  runtime: RuntimeError,
  context: ContextError,
  permission: PermissionError,
} as const satisfies Record<ErrorKind, new (message: string, options?: HarnessErrorOptions) => HarnessError>;

function brand(errorClass: { prototype: object }, kind: ErrorKind, name: string): void {
  kindOfClass.set(errorClass, kind);
  Object.defineProperty(errorClass.prototype, BRAND, { value: kind });
  Object.defineProperty(errorClass.prototype, "name", { value: name, writable: true, configurable: true });
}

function defaultRetryable(code: string, kind: ErrorKind): boolean {
  return (definitionOf(code) ?? ERROR_CODES[UNKNOWN_CODES[kind]]).retryable;
}

/** `value instanceof this`, for our classes by brand and for classes of users as usual. */
function isInstance(this: typeof HarnessError, value: unknown): boolean {
  const kind = kindOf(value);
  if (this === HarnessError) return kind !== undefined;
  const asked = kindOfClass.get(this);
  if (asked !== undefined) return kind === asked;
  return attempt(() => Function.prototype[Symbol.hasInstance].call(this, value)) === true;
}
