/**
 * Checks a tool when it is registered and makes it ready for its calls.
 *
 * Floor 4 (registry). Everything that could go wrong with a definition is said here, by name, before a
 * model has seen it.
 */
import { compileSchema } from "../contract/compile-schema.ts";
import type { ToolDefinition } from "../contract/model.ts";
import type { CompiledSchema } from "../contract/schema.ts";
import type { AnyTool, ToolAccess } from "../contract/tool.ts";
import { misuse } from "../util/misuse.ts";
import { quoteValue } from "../util/text.ts";

/** A tool that passed all checks. */
export interface CompiledTool {
  readonly tool: AnyTool;
  readonly definition: ToolDefinition;
  readonly schema: CompiledSchema;
}

/** The longest name that providers take. */
export const MAX_NAME_CHARS = 64;

const ACCESS: readonly (ToolAccess | undefined)[] = [undefined, "none", "read", "write", "exec"];

/** @throws TypeError that names the tool and what to write instead. */
export function compileTool(tool: AnyTool): CompiledTool {
  checkShape(tool);
  const owner = `Tool ${quoteValue(tool.name)}`;
  checkDuration(owner, "timeoutMs", tool.timeoutMs);
  checkResultLimit(owner, tool.maxResultChars);
  if (!ACCESS.includes(tool.access)) {
    throw misuse(`${owner}: access must be "none", "read", "write" or "exec", got ${quoteValue(tool.access)}.`);
  }
  const schema = compileSchema(owner, tool.parameters, tool.jsonSchema);
  const definition = { name: tool.name, description: tool.description, parameters: schema.jsonSchema };
  return { tool, schema, definition: Object.freeze(definition) };
}

function checkShape(tool: unknown): void {
  if (typeof tool !== "object" || tool === null) {
    throw misuse(`A tool must be an object with name, description, parameters and execute, got ${quoteValue(tool)}.`);
  }
  const { name, description, execute } = tool as Partial<AnyTool>;
  if (typeof name !== "string" || name.trim() === "") {
    throw misuse(`A tool needs a name of 1 to ${MAX_NAME_CHARS} characters, got ${quoteValue(name)}.`);
  }
  if (name.length > MAX_NAME_CHARS) {
    throw misuse(`The tool name ${quoteValue(name)} has ${name.length} characters; the most is ${MAX_NAME_CHARS}.`);
  }
  if (typeof description !== "string") {
    throw misuse(`Tool ${quoteValue(name)} needs a description: the model decides by it when to call the tool.`);
  }
  if (typeof execute !== "function") {
    throw misuse(`Tool ${quoteValue(name)} needs an execute function, got ${quoteValue(execute)}.`);
  }
}

function checkDuration(owner: string, option: string, value: unknown): void {
  if (value === undefined || (typeof value === "number" && value >= 0)) return;
  throw misuse(
    `${owner}: ${option} must be a number of milliseconds from 0 up (0 for no limit), got ${quoteValue(value)}.`,
  );
}

function checkResultLimit(owner: string, value: unknown): void {
  if (value === undefined || (typeof value === "number" && value >= 100)) return;
  throw misuse(`${owner}: maxResultChars must be a number from 100 up, got ${quoteValue(value)}.`);
}
