/**
 * What `console.log(error)` shows: the stack, our own fields, and of the causes only names and codes.
 *
 * Floor 1 (errors): printing a foreign cause in full would print its headers, its prompt and its key.
 */

import { toRecord } from "./record.ts";
import { redactionOf } from "./redact.ts";
import { safeText } from "./safe-text.ts";

type Inspected = Parameters<typeof toRecord>[0];

const MAX_CHARS = 8_000;

/** The printed form of an error of ours. */
export function inspectError(error: Inspected): string {
  const { v, name, message, detail, cause, ...facts } = toRecord(error);
  const fields = Object.entries(facts).map(([key, value]) => `${key}: ${JSON.stringify(value)}`);
  const head = safeText(error.stack ?? `${name}: ${message}`, redactionOf(error), MAX_CHARS);
  return `${head}\n  { ${fields.join(", ")} }${cause === undefined ? "" : `\n  [cause] ${describeCauses(cause)}`}`;
}

type Cause = NonNullable<ReturnType<typeof toRecord>["cause"]>;

function describeCauses(cause: Cause): string {
  const { name, status, code, errors, cause: inner } = cause;
  const self = [name, status, code].filter((part) => part !== undefined).join(" ");
  const children = errors === undefined ? "" : ` [${errors.map(describeCauses).join(", ")}]`;
  return `${self}${children}${inner === undefined ? "" : ` <- ${describeCauses(inner)}`}`;
}
