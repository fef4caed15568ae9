/**
 * Holds the tools of a runtime and turns calls into results.
 *
 * Floor 4 (registry). Nothing that a tool or a model does makes a method of this class reject.
 */
import type { ToolCall } from "../contract/message.ts";
import type { ToolDefinition } from "../contract/model.ts";
import type { AnyTool, ToolContext, ToolResult } from "../contract/tool.ts";
import { ToolError, toHarnessError } from "../errors/index.ts";
import { copyJson, type JsonValue } from "../util/json.ts";
import { misuse } from "../util/misuse.ts";
import { clipEnd, formatCount, nearest, quoteValue } from "../util/text.ts";
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

  /** Tells whether there is a tool of that name. */
  has(name: string): boolean {
    return this.#tools.has(name);
  }

  /** The tool of that name, as it was registered. */
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
   * @internal
   * @param args - The arguments as recorded; the tool gets a copy.
   */
  prepare(call: ToolCall, args: JsonValue): PreparedCall | Promise<PreparedCall> {
    const compiled = this.#tools.get(call.name);
    if (compiled === undefined) return { ok: false, result: failureOf(this.#notFound(call.name)) };
    try {
      const checked = compiled.schema.validate(copyJson(args));
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
  async execute(call: ToolCall, context?: ToolContext): Promise<ToolResult> {
    const asked = readCall(call);
    if (asked === undefined) {
      const problem = `A call must be { id, name, arguments }, got ${quoteValue(call)}.`;
      return failureOf(new ToolError(problem, { code: "TOOL_INVALID_ARGUMENTS" }));
    }
    const read = readArguments(asked, false);
    if (!read.ok) return failureOf(new ToolError(read.problem, { code: "TOOL_INVALID_ARGUMENTS" }));
    const prepared = await this.prepare(asked, read.recorded);
    if (!prepared.ok) return prepared.result;
    const { tool, args } = prepared;
    const { signal } = context ?? {};
    try {
      const returned = await tool.execute(args as never, context ?? directContext(asked));
      return resultOf(tool.name, returned, tool.maxResultChars ?? MAX_RESULT_CHARS);
    } catch (error) {
      return failureOf(toHarnessError(error, "tool", { signal, idempotent: tool.idempotent === true }));
    }
  }

  #notFound(name: string): ToolError {
    const names = [...this.#tools.keys()];
    const meant = nearest(name, names);
    const hint = meant === undefined ? "" : ` Did you mean ${quoteValue(meant)}?`;
    const available =
      names.length === 0 ? "There are no tools: answer without them." : `Available tools: ${listed(names)}.`;
    return new ToolError(`There is no tool named ${quoteValue(name)}.${hint} ${available}`, { code: "TOOL_NOT_FOUND" });
  }
}

const MAX_LISTED_NAMES = 50;

function listed(names: readonly string[]): string {
  const more = names.length - MAX_LISTED_NAMES;
  return `${names.slice(0, MAX_LISTED_NAMES).join(", ")}${more > 0 ? ` and ${formatCount(more)} more` : ""}`;
}

/** The call with its fields read once, or nothing where it is no call. */
function readCall(call: unknown): ToolCall | undefined {
  try {
    const { id, name, arguments: args } = call as ToolCall;
    return typeof name === "string" ? { id: typeof id === "string" ? id : "", name, arguments: args } : undefined;
  } catch {
    return undefined;
  }
}

const MAX_PROBLEMS = 20;
const MAX_PROBLEM_CHARS = 300;

/** The first problems, each of them short: the model pays for every word of it. */
function toldProblems(problems: readonly string[]): string {
  if (problems.length === 0) return "its validation did not say why";
  const more = problems.length - MAX_PROBLEMS;
  const told = problems.slice(0, MAX_PROBLEMS).map((problem) => clipEnd(problem, MAX_PROBLEM_CHARS));
  return `${told.join("; ")}${more > 0 ? `; and ${formatCount(more)} more` : ""}`;
}

function toPrepared(
  compiled: CompiledTool,
  checked: Awaited<ReturnType<CompiledTool["schema"]["validate"]>>,
): PreparedCall {
  if (checked.ok) return { ok: true, tool: compiled.tool, args: checked.value };
  const message = `The arguments of "${compiled.tool.name}" do not fit its schema: ${toldProblems(checked.problems)}. Correct them and call again.`;
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
