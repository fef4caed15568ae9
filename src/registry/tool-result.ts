/**
 * Makes a `ToolResult` of whatever a tool returned or threw, and text of it for the model.
 *
 * Floor 4 (registry). The value is made JSON once, here, and bounded.
 */
import type { ToolFailure, ToolResult } from "../contract/tool.ts";
import {
  deserializeError,
  ERROR_KINDS,
  type ErrorKind,
  type HarnessError,
  isHarnessError,
  serializeError,
  ToolError,
} from "../errors/index.ts";
import { type JsonValue, toJson } from "../util/json.ts";
import { cleanText, clipMiddle } from "../util/text.ts";

/** Longest text of a result that a model reads, in characters, where the tool names none. */
export const MAX_RESULT_CHARS = 200_000;

/** What a model reads where a tool gave nothing. */
export const NO_OUTPUT = "(no output)";

/** The result that stands for an error. */
export function failureOf(error: HarnessError): ToolFailure {
  return {
    ok: false,
    // The error's own message; only one that no record or request could hold is mended or cut.
    error: clipMiddle(cleanText(error.message), MAX_RESULT_CHARS),
    kind: error.kind,
    retryable: error.retryable,
    code: error.code,
    detail: serializeError(error),
  };
}

/** Makes a result of a returned value: one in the exact `ToolResult` shape is taken as it is. */
export function resultOf(toolName: string, returned: unknown, maxChars: number): ToolResult {
  if (typeof returned === "function" || typeof returned === "symbol") return badResult(toolName, returned);
  const claimed = asToolResult(returned);
  if (claimed === undefined) return { ok: true, value: boundedJson(returned, maxChars) };
  return claimed.ok ? { ok: true, value: boundedJson(claimed.value, maxChars) } : claimedFailure(claimed, maxChars);
}

function claimedFailure({ error, kind, retryable, code, detail }: ToolFailure, maxChars: number): ToolFailure {
  const known = code ?? (kind === "tool" ? "TOOL_REJECTED" : undefined);
  // Only a detail that is one of ours is kept: as bounded JSON without secrets, like every other.
  const revived = detail === undefined ? undefined : deserializeError(detail);
  return {
    ok: false,
    error: clipMiddle(cleanText(error), maxChars),
    kind,
    retryable,
    ...(known !== undefined && { code: known }),
    ...(isHarnessError(revived) && { detail: serializeError(revived) }),
  };
}

/** What the model reads of a result. */
export function resultText(result: ToolResult): string {
  if (!result.ok) return failureText(result);
  const { value } = result;
  if (value === undefined || value === null || value === "") return NO_OUTPUT;
  // The values are JSON: what is no object is written as text alike, for a tenth of the cost.
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** With the code that the service below gave, where the message does not say it: often it is the clearer word. */
function failureText({ error, detail }: ToolFailure): string {
  if (error === "") return "The tool failed without a message.";
  const { code, kind } = detail?.cause ?? {};
  const isForeign = typeof code === "string" && kind === undefined;
  return isForeign && !error.includes(code) ? `${error} (${code})` : error;
}

function badResult(toolName: string, returned: unknown): ToolFailure {
  return failureOf(
    new ToolError(
      `The tool "${toolName}" returned a ${typeof returned}, which is not JSON. Return text or plain data.`,
      {
        code: "TOOL_BAD_RESULT",
      },
    ),
  );
}

/** A large value becomes its own JSON text, cut in the middle. */
function boundedJson(value: unknown, maxChars: number): JsonValue {
  const json = toJson(value);
  if (typeof json === "string") return clipMiddle(json, maxChars);
  if (typeof json !== "object" || json === null) return json;
  const text = JSON.stringify(json);
  return text.length <= maxChars ? json : clipMiddle(text, maxChars);
}

const SUCCESS_KEYS = new Set(["ok", "value"]);
const FAILURE_KEYS = new Set(["ok", "error", "kind", "retryable", "code", "detail"]);

/** The result that a value is, when it has exactly that shape. Each field is read once: a getter may lie later. */
function asToolResult(returned: unknown): ToolResult | undefined {
  try {
    if (typeof returned !== "object" || returned === null || Array.isArray(returned)) return undefined;
    const keys = Object.keys(returned);
    const has = (allowed: Set<string>) => keys.every((key) => allowed.has(key));
    const { ok, value, error, kind, retryable, code, detail } = returned as Record<string, unknown>;
    if (ok === true) return keys.includes("value") && has(SUCCESS_KEYS) ? { ok, value } : undefined;
    if (ok !== false || typeof error !== "string" || !isKind(kind) || typeof retryable !== "boolean") return undefined;
    const isCode = code === undefined || (typeof code === "string" && code !== "");
    return isCode && has(FAILURE_KEYS) ? { ok, error, kind, retryable, code, detail: detail as never } : undefined;
  } catch {
    return undefined;
  }
}

function isKind(value: unknown): value is ErrorKind {
  return (ERROR_KINDS as readonly unknown[]).includes(value);
}
