/**
 * Holds the tools of a runtime and turns calls into results.
 *
 * Floor 4 (registry). Nothing that a tool or a model does makes a method of this class reject.
 */
import type { ToolCall } from "../contract/message.ts";
import type { ToolDefinition } from "../contract/model.ts";
import type { AnyTool, ToolContext, ToolResult } from "../contract/tool.ts";
import { ToolError, toHarnessError } from "../errors/index.ts";
import { toJson } from "../util/json.ts";
import { misuse } from "../util/misuse.ts";
import { nearest, quoteValue } from "../util/text.ts";
import { readArguments } from "./arguments.ts";
import { type CompiledTool, compileTool } from "./compiled-tool.ts";
import { failureOf, MAX_RESULT_CHARS, resultOf } from "./tool-result.ts";

/** A call whose tool exists and whose arguments fit. `args` is a copy that belongs to the tool alone. */
export type PreparedCall =
  | { readonly ok: true; readonly tool: AnyTool; readonly args: unknown }
  | { readonly ok: false; readonly result: ToolResult };

/** The tools that a model may call. */
export class ToolRegistry {
  readonly #tools = new Map<string, CompiledTool>();
  #definitions: readonly ToolDefinition[] | undefined;

  /**
   * Adds a tool.
   *
   * @param options - `replace: true` takes the place of a tool of that name.
   * @throws TypeError when the tool is malformed, its schema cannot be shown, or the name is taken. The
   * tools that were there stay.
   */
  register(tool: AnyTool, options: { readonly replace?: boolean | undefined } = {}): this {
    const compiled = compileTool(tool);
    if (this.#tools.has(tool.name) && options.replace !== true) {
      throw misuse(
        `There is a tool named ${quoteValue(tool.name)} already. Choose another name, or pass { replace: true } as the second argument.`,
      );
    }
    this.#tools.set(tool.name, compiled);
    this.#definitions = undefined;
    return this;
  }

  /** Takes a tool out. Answers whether it was there. */
  unregister(name: string): boolean {
    this.#definitions = undefined;
    return this.#tools.delete(name);
  }

  has(name: string): boolean {
    return this.#tools.has(name);
  }

  get(name: string): AnyTool | undefined {
    return this.#tools.get(name)?.tool;
  }

  /** The tools as a model sees them, in the order of registration. Frozen; the same array until a change. */
  list(): readonly ToolDefinition[] {
    this.#definitions ??= Object.freeze([...this.#tools.values()].map((entry) => entry.definition));
    return this.#definitions;
  }

  /**
   * Finds the tool of a call and validates its arguments, which have been read already.
   *
   * @param args - The arguments as recorded; the tool gets a copy.
   */
  prepare(call: ToolCall, args: unknown): PreparedCall | Promise<PreparedCall> {
    const compiled = this.#tools.get(call.name);
    if (compiled === undefined) return { ok: false, result: failureOf(this.#notFound(call.name)) };
    try {
      const checked = compiled.schema.validate(toJson(args));
      if (!(checked instanceof Promise)) return toPrepared(compiled, checked);
      return checked.then(
        (validation) => toPrepared(compiled, validation),
        (error: unknown) => refused(error),
      );
    } catch (error) {
      return refused(error);
    }
  }

  /**
   * Runs one call outside of a run: no gate, no timeout, no retry. Never rejects.
   *
   * @param context - What the tool gets; left out, a signal that never fires and ids of "direct".
   */
  async execute(call: ToolCall, context: ToolContext = directContext(call)): Promise<ToolResult> {
    const read = readArguments(call, false);
    if (!read.ok) return failureOf(new ToolError(read.problem, { code: "TOOL_INVALID_ARGUMENTS" }));
    const prepared = await this.prepare(call, read.recorded);
    if (!prepared.ok) return prepared.result;
    const { tool, args } = prepared;
    try {
      return resultOf(tool.name, await tool.execute(args as never, context), tool.maxResultChars ?? MAX_RESULT_CHARS);
    } catch (error) {
      return failureOf(toHarnessError(error, "tool", { signal: context.signal, idempotent: tool.idempotent === true }));
    }
  }

  #notFound(name: string): ToolError {
    const names = [...this.#tools.keys()];
    const meant = nearest(name, names);
    const hint = meant === undefined ? "" : ` Did you mean ${quoteValue(meant)}?`;
    const available =
      names.length === 0 ? "There are no tools: answer without them." : `Available tools: ${names.join(", ")}.`;
    return new ToolError(`There is no tool named ${quoteValue(name)}.${hint} ${available}`, { code: "TOOL_NOT_FOUND" });
  }
}

function toPrepared(
  compiled: CompiledTool,
  checked: Awaited<ReturnType<CompiledTool["schema"]["validate"]>>,
): PreparedCall {
  if (checked.ok) return { ok: true, tool: compiled.tool, args: checked.value };
  const problems = checked.problems.slice(0, 20).join("; ");
  const message = `The arguments of "${compiled.tool.name}" do not fit its schema: ${problems}. Correct them and call again.`;
  return { ok: false, result: failureOf(new ToolError(message, { code: "TOOL_INVALID_ARGUMENTS" })) };
}

function refused(error: unknown): PreparedCall {
  return { ok: false, result: failureOf(toHarnessError(error, "tool", { phase: "arguments" })) };
}

function directContext(call: ToolCall): ToolContext {
  return {
    signal: new AbortController().signal,
    runId: "direct",
    callId: call.id,
    attempt: 1,
    deadline: Number.POSITIVE_INFINITY,
    idempotencyKey: `direct/${call.id}`,
    report: () => {},
  };
}
