/**
 * Every code the package gives to a failure, with its meaning and with what a host should do.
 *
 * Floor 1 (errors): the one source of the defaults, of `docs/errors.md` and of `explainError`. Codes
 * are added, never renamed: hosts switch on them.
 */

import { misuse } from "../util/misuse.ts";
import { ERROR_KINDS, type ErrorCodeDefinition, type ErrorKind, isErrorKind } from "./kinds.ts";
import { MODEL_CODES } from "./model-codes.ts";
import { RUN_CODES } from "./run-codes.ts";
import { TOOL_CODES } from "./tool-codes.ts";

/** Every built-in code with its kind, default `retryable`, meaning and advice. */
export const ERROR_CODES = { ...MODEL_CODES, ...TOOL_CODES, ...RUN_CODES } as const;

/** An error code: the known ones complete in the editor, and any other string is allowed. */
export type ErrorCode = keyof typeof ERROR_CODES | (string & {});

/** The code that an error of a kind has when nothing better is known. */
export const UNKNOWN_CODES = {
  model: "MODEL_UNKNOWN",
  tool: "TOOL_THREW",
  runtime: "RUNTIME_UNKNOWN",
  context: "CONTEXT_UNKNOWN",
  permission: "PERMISSION_UNKNOWN",
} as const satisfies Record<ErrorKind, keyof typeof ERROR_CODES>;

const defined = new Map<string, ErrorCodeDefinition>();

/**
 * Makes a code of your own known, so that errors with it get its `retryable` and explanations its advice.
 * Defining the same code twice in the same way is allowed.
 *
 * @returns The code, for use as `new ToolError("…", { code })`.
 * @throws TypeError when the code is not in capitals, is built in, or was defined in another way.
 * @example
 * const TICKET_LOCKED = defineErrorCode("TOOL_TICKET_LOCKED", {
 *   kind: "tool", retryable: true, title: "The ticket is open elsewhere.", advice: "Try again in a minute.",
 * });
 */
export function defineErrorCode<const C extends string>(code: C, definition: ErrorCodeDefinition): C {
  checkDefinition(code, definition);
  const { kind, retryable, title, advice } = definition;
  const known = definitionOf(code) ?? definition;
  const same = known.kind === kind && known.retryable === retryable && known.title === title;
  if (!same || Object.hasOwn(ERROR_CODES, code)) {
    throw misuse(`The error code "${code}" is taken: ${known.title} Choose another name, such as "MY_${code}".`);
  }
  defined.set(code, Object.freeze({ kind, retryable, title, advice }));
  return code;
}

/** What is known of a code: from the table, from {@link defineErrorCode}, or nothing. */
export function definitionOf(code: string): ErrorCodeDefinition | undefined {
  return Object.hasOwn(ERROR_CODES, code) ? ERROR_CODES[code as keyof typeof ERROR_CODES] : defined.get(code);
}

function checkDefinition(code: unknown, definition: ErrorCodeDefinition | undefined): void {
  if (typeof code !== "string" || !/^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$/.test(code)) {
    throw misuse(`An error code is written in capitals with its layer in front, such as "TOOL_TICKET_LOCKED".`);
  }
  if (!isErrorKind(definition?.kind)) {
    throw misuse(`The kind of the error code "${code}" must be one of ${ERROR_KINDS.join(", ")}.`);
  }
  if (typeof definition.retryable !== "boolean" || typeof definition.title !== "string") {
    throw misuse(`The error code "${code}" needs retryable (true or false) and a title (one sentence).`);
  }
}
