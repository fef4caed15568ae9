/**
 * Reads a stored record of a run back.
 *
 * Floor 5 (runtime).
 */

import { normalizeMessage } from "../context/normalize.ts";
import { assertWellFormed, CallLedger } from "../context/well-formed.ts";
import { type AgentRun, RUN_SCHEMA_VERSION, STATUS_OF } from "../contract/run.ts";
import { ContextError, isHarnessError } from "../errors/index.ts";
import { freezeJson } from "../util/json.ts";
import { quoteValue } from "../util/text.ts";

/**
 * Checks a record, given as an object or as its JSON text, and returns it frozen. Fields that this
 * version does not know are kept. The value that was given is not changed.
 *
 * @throws ContextError CONTEXT_SNAPSHOT_VERSION when it is newer than this package, and
 * CONTEXT_SNAPSHOT_INVALID when it is no whole record.
 */
export function parseRun(record: unknown): AgentRun {
  try {
    return read(record);
  } catch (error) {
    if (isHarnessError(error, "context")) throw error;
    throw invalid("The run record cannot be read.", error);
  }
}

function read(record: unknown): AgentRun {
  const value = typeof record === "string" ? parse(record) : record;
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw invalid(`A run record must be an object or its JSON text, got ${quoteValue(value)}.`);
  }
  checkVersion(Reflect.get(value, "schemaVersion"));
  const copy = (typeof record === "string" ? value : JSON.parse(JSON.stringify(value))) as Partial<AgentRun>;
  for (const [field, isRight, expected] of FIELDS) {
    if (!isRight(copy[field]))
      throw invalid(`The run record has ${field}: ${quoteValue(copy[field])}; expected ${expected}.`);
  }
  const run = copy as AgentRun;
  if (STATUS_OF[run.stopReason] !== run.status) {
    throw invalid(
      `The run record says status "${run.status}" with stopReason "${run.stopReason}", which do not go together.`,
    );
  }
  checkHistory(run);
  return freezeJson(run);
}

type FieldCheck = readonly [field: keyof AgentRun, isRight: (value: unknown) => boolean, expected: string];

const isText = (value: unknown) => typeof value === "string";
const isNumber = (value: unknown) => typeof value === "number";

const FIELDS: readonly FieldCheck[] = [
  ["id", isText, "text"],
  ["input", isText, "text"],
  ["answer", isText, "text"],
  ["stopReason", (value) => isText(value) && Object.hasOwn(STATUS_OF, value as string), "a stop reason"],
  ["history", Array.isArray, "a list of messages"],
  ["steps", (value) => Array.isArray(value) && value.every(isStep), "a list of numbered steps"],
  ["iterations", isNumber, "a number"],
  ["startedAt", isNumber, "a number"],
  ["endedAt", isNumber, "a number"],
  ["usage", (value) => typeof value === "object" && value !== null, "an object"],
];

function isStep(step: unknown, index: number): boolean {
  return (
    typeof step === "object" &&
    step !== null &&
    Reflect.get(step, "index") === index &&
    isText(Reflect.get(step, "type"))
  );
}

function checkHistory(run: AgentRun): void {
  try {
    const history = run.history.map(normalizeMessage);
    const ledger = new CallLedger();
    // The calls of a paused run have no results yet.
    if (run.status === "paused") for (const message of history) ledger.take(message);
    else assertWellFormed(history);
  } catch (error) {
    throw invalid("The history of the run record cannot be sent; see the cause.", error);
  }
}

function checkVersion(version: unknown): void {
  if (version === RUN_SCHEMA_VERSION) return;
  if (typeof version === "number" && Number.isInteger(version) && version > RUN_SCHEMA_VERSION) {
    throw new ContextError(
      `The run record has version ${version}, this package reads up to ${RUN_SCHEMA_VERSION}. Update harness-kit to read it.`,
      { code: "CONTEXT_SNAPSHOT_VERSION" },
    );
  }
  throw invalid(
    `The run record has the version ${quoteValue(version)}; this package reads version ${RUN_SCHEMA_VERSION}.`,
  );
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw invalid("The run record is not valid JSON: it was cut or damaged.", error);
  }
}

function invalid(message: string, cause?: unknown): ContextError {
  return new ContextError(message, { code: "CONTEXT_SNAPSHOT_INVALID", ...(cause !== undefined && { cause }) });
}
