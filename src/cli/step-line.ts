/**
 * One line for each step of a run.
 *
 * Command line.
 */
import type { ToolCall } from "../contract/message.ts";
import type { AgentStep, ModelStep, PermissionStep, ToolStep } from "../contract/run.ts";
import { assertNever } from "../util/assert-never.ts";
import type { Colors } from "./colors.ts";
import { visibleLine } from "./visible.ts";

/** A result takes a line of the screen or a few, not all of it; the record has the whole. */
const MAX_CHARS = 400;

/** The line of a step, counted from 1. */
export function stepLine(step: AgentStep, colors: Colors): string {
  return `${colors.dim(`Step ${step.index + 1} ·`)} ${colors.bold(nameOf(step))} ${colors.dim("→")} ${tell(step, colors)}`;
}

/** The names of the common steps are of one width. */
function nameOf({ type }: AgentStep): string {
  return type === "error" ? type : type.padEnd(6);
}

function tell(step: AgentStep, colors: Colors): string {
  switch (step.type) {
    case "model":
      return tellModel(step);
    case "tool":
      return tellTool(step, colors);
    case "permission":
      return tellPermission(step, colors);
    case "finish":
      return step.stopReason;
    case "error":
      return colors.red(`${step.kind} (${step.stopReason}) ${visibleLine(step.message, MAX_CHARS)}`);
    default:
      return assertNever(step);
  }
}

function tellModel({ response, attempts }: ModelStep): string {
  const names = response.toolCalls.map(({ name }) => visibleLine(name, 64));
  const doing = names.length === 0 ? "answers" : `calls ${names.join(", ")}`;
  return attempts > 1 ? `${doing} (attempt ${attempts})` : doing;
}

function tellTool({ call, result, attempts }: ToolStep, colors: Colors): string {
  const again = attempts > 1 ? ` (attempt ${attempts})` : "";
  if (result.ok) return `${callText(call)} = ${colors.cyan(visibleLine(valueText(result.value), MAX_CHARS))}${again}`;
  const problem = `[${result.kind}] ${result.code ?? "failed"}: ${visibleLine(result.error, MAX_CHARS)}`;
  return `${callText(call)} failed ${colors.red(problem)}${again}`;
}

function tellPermission({ tool, decision, by, reason }: PermissionStep, colors: Colors): string {
  const verdict = `${decision} ${visibleLine(tool, 64)} (${visibleLine(by, 64)})`;
  if (decision === "allow") return verdict;
  return colors.yellow(reason === undefined ? verdict : `${verdict} ${visibleLine(reason, MAX_CHARS)}`);
}

/** A call as code: `calculator({"expression":"17 * 38"})`. */
function callText({ name, arguments: args }: ToolCall): string {
  return `${visibleLine(name, 64)}(${visibleLine(valueText(args), MAX_CHARS)})`;
}

function valueText(value: unknown): string {
  if (typeof value === "string") return value === "" ? "(no output)" : value;
  return JSON.stringify(value) ?? "(no output)";
}
