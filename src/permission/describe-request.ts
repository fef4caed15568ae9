/**
 * Writes down a call for whoever approves it: whole, in order, and so that it looks like what will run.
 *
 * Floor 4 (permission).
 */
import type { DisplayedCall, DisplayedField } from "../contract/display.ts";
import type { ToolCall } from "../contract/message.ts";
import { MAX_DISPLAY_CHARS, sanitizeForDisplay } from "./display.ts";

/** The arguments that a title shows, the first that is there. */
const TITLE_ARGUMENTS = ["command", "path", "file", "url", "query"];
const MAX_TITLE_CHARS = 200;

/**
 * Describes a call as plain JSON for a terminal, a web page or a chat.
 *
 * @param maxChars - Longer arguments are shown with their start and their end, and flagged "truncated"; Infinity
 * shows them whole.
 * @example
 * describeRequest({ name: "bash", arguments: { command: "ls\r rm x" } }).title; // "bash: ls\\r rm x"
 */
export function describeRequest(
  call: Pick<ToolCall, "name" | "arguments">,
  maxChars: number = MAX_DISPLAY_CHARS,
): DisplayedCall {
  const fields = fieldsOf(call.arguments, maxChars);
  const tool = sanitizeForDisplay(call.name);
  const titled = TITLE_ARGUMENTS.map((name) => fields.find((field) => field.name === name)).find(
    (field) => field !== undefined,
  );
  const title = titled === undefined ? tool.text : `${tool.text}: ${oneLine(titled.text)}`;
  const flags = new Set([...tool.flags, ...fields.flatMap((field) => field.flags)]);
  return { title, tool: tool.text, fields, flags: [...flags].sort() };
}

function fieldsOf(args: unknown, maxChars: number): readonly DisplayedField[] {
  if (typeof args !== "object" || args === null || Array.isArray(args)) return [field("arguments", args, maxChars)];
  return Object.entries(args).map(([name, value]) => field(name, value, maxChars));
}

function field(name: string, value: unknown, maxChars: number): DisplayedField {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "undefined");
  const shown = sanitizeForDisplay(text, maxChars);
  const named = sanitizeForDisplay(name);
  return { name: named.text, text: shown.text, flags: [...new Set([...named.flags, ...shown.flags])] };
}

function oneLine(text: string): string {
  const line = text.replaceAll("\n", " ");
  return line.length <= MAX_TITLE_CHARS ? line : `${line.slice(0, MAX_TITLE_CHARS - 1)}…`;
}
