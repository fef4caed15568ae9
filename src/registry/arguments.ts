/**
 * Reads the arguments that a model sent for a tool.
 *
 * Floor 4 (registry). What is broken, cut or no object is never executed: the model is told what was
 * wrong with it instead.
 */
import type { ToolCall } from "../contract/message.ts";
import { copyFlatJson, fitsJsonBounds, freezeJson, type JsonValue, MAX_JSON_DEPTH, toJson } from "../util/json.ts";
import { cleanText, quoteValue } from "../util/text.ts";

/** Arguments as they stand in the record, and whether they may be executed. */
export type ReadArguments =
  | { readonly ok: true; readonly recorded: { readonly [key: string]: JsonValue } }
  | { readonly ok: false; readonly recorded: JsonValue; readonly problem: string };

/**
 * Turns what a call carries into plain JSON. Text is parsed, also when it was encoded twice; nothing at
 * all is an empty object.
 *
 * @param wasCut - The reply reached its length limit, so incomplete text is a cut, not a mistake.
 */
export function readArguments(call: ToolCall, wasCut: boolean): ReadArguments {
  return readRecorded(call.name, argumentsAsJson(call.arguments), wasCut);
}

/** The same for arguments that {@link argumentsAsJson} gave: they are not copied once more. */
export function readRecorded(name: string, args: JsonValue, wasCut: boolean): ReadArguments {
  return typeof args === "string" ? readText(name, args, wasCut) : readJson(name, args);
}

/** Arguments as JSON that nobody else holds: text stays text, all else is copied within bounds. */
export function argumentsAsJson(raw: unknown): JsonValue {
  if (typeof raw === "string") return cleanText(raw);
  if (raw === undefined || raw === null) return freezeJson({});
  const flat = copyFlatJson(raw);
  if (flat !== undefined) return Object.freeze(flat) as JsonValue;
  return fitsJsonBounds(raw) ? freezeJson(toJson(raw)) : TOO_LARGE;
}

function readText(name: string, text: string, wasCut: boolean): ReadArguments {
  if (text === TOO_LARGE) return tooLarge(name);
  if (text.trim() === "") {
    return wasCut ? { ok: false, recorded: text, problem: cutProblem(name) } : { ok: true, recorded: freezeJson({}) };
  }
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message : "it cannot be parsed";
    const problem = wasCut
      ? cutProblem(name)
      : `The arguments of ${quoteValue(name)} are not valid JSON: ${reason}. ${ONE_OBJECT}`;
    return { ok: false, recorded: toJson(text), problem };
  }
  if (parsed === null) return { ok: true, recorded: freezeJson({}) };
  return readValue(name, typeof parsed === "string" ? decodeAgain(parsed) : parsed);
}

/** Stands in the record for arguments that no record could hold. */
const TOO_LARGE = "[arguments too deep or too large to record]";
const ONE_OBJECT = "Send one complete JSON object.";

function cutProblem(name: string): string {
  return (
    `The arguments of ${quoteValue(name)} were cut off because the reply reached its length limit, so nothing was done. ` +
    "Send the call again with shorter arguments, or in several calls."
  );
}

/** Some models encode the object twice; a text that holds no object stays the text. */
function decodeAgain(text: string): unknown {
  try {
    const inner: unknown = JSON.parse(text);
    return typeof inner === "object" && inner !== null && !Array.isArray(inner) ? inner : text;
  } catch {
    return text;
  }
}

function readValue(name: string, value: unknown): ReadArguments {
  return fitsJsonBounds(value) ? readJson(name, freezeJson(toJson(value))) : tooLarge(name);
}

function readJson(name: string, recorded: JsonValue): ReadArguments {
  if (typeof recorded === "object" && recorded !== null && !Array.isArray(recorded)) return { ok: true, recorded };
  const got = Array.isArray(recorded) ? "array" : recorded === null ? "null" : typeof recorded;
  return {
    ok: false,
    recorded,
    problem: `The arguments of ${quoteValue(name)}: expected an object, got ${got}. ${ONE_OBJECT}`,
  };
}

function tooLarge(name: string): ReadArguments {
  const problem = `The arguments of ${quoteValue(name)} are nested deeper than ${MAX_JSON_DEPTH} levels, hold too many values or cannot be read. Send a smaller object.`;
  return { ok: false, recorded: TOO_LARGE, problem };
}

/**
 * The form in which a call can always be sent again: its arguments are an object. What could not be read
 * stands in it as `unparsedArguments`, so that the model sees its own mistake.
 */
export function sendableArguments(recorded: JsonValue): { readonly [key: string]: JsonValue } {
  if (typeof recorded === "object" && recorded !== null && !Array.isArray(recorded)) return recorded;
  return freezeJson({ unparsedArguments: typeof recorded === "string" ? recorded : JSON.stringify(recorded) });
}
