/**
 * The calculator tool: arithmetic with a parser of its own.
 *
 * Wing (tools). Exact for whole numbers; what it cannot work out is a refusal that the model can act on.
 */
import type { Tool, ToolResult } from "../../../contract/tool.ts";
import { evaluate } from "./evaluate.ts";

/** Arguments of {@link calculator}. */
export interface CalculatorArguments {
  readonly expression: string;
}

/**
 * Works out an arithmetic expression. The value is a number, or the digits as text for a whole number
 * beyond 2^53.
 *
 * @example
 * const runtime = createRuntime({ model, tools: [calculator] });
 */
export const calculator: Tool<CalculatorArguments> = {
  name: "calculator",
  description:
    "Work out an arithmetic expression and return its value. Whole numbers are exact up to 10,000 digits. " +
    "Operators: + - * / % (remainder) and ** or ^ (power), with parentheses. " +
    "Functions: sqrt, abs, round(x, places), floor, ceil, min, max, ln, log (base 10), exp, sin, cos, tan (radians). " +
    "Constants: pi, e.",
  parameters: {
    type: "object",
    properties: {
      expression: {
        type: "string",
        description: 'The expression alone, without "=" and without units, for example "(17 + 38) * 2".',
      },
    },
    required: ["expression"],
    additionalProperties: false,
  },
  access: "none",
  idempotent: true,
  execute: ({ expression }): ToolResult => {
    const evaluation = evaluate(expression);
    if (evaluation.ok) return evaluation;
    return { ok: false, error: evaluation.problem, kind: "tool", retryable: false, code: "TOOL_REJECTED" };
  },
};
