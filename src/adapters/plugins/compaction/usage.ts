/**
 * Adds up what summaries and answers used.
 *
 * Adapter wing. Usage comes as a provider's client gave it, before the runtime has looked at it.
 */
import type { Usage } from "../../../contract/model.ts";

/** Token counts; what is no count is 0 or left out. */
export function readUsage(usage: unknown): Usage | undefined {
  if (typeof usage !== "object" || usage === null) return undefined;
  const { inputTokens, outputTokens, cachedInputTokens, reasoningTokens } = usage as Partial<
    Record<keyof Usage, unknown>
  >;
  const cached = count(cachedInputTokens);
  const reasoning = count(reasoningTokens);
  return {
    inputTokens: count(inputTokens) ?? 0,
    outputTokens: count(outputTokens) ?? 0,
    ...(cached !== undefined && { cachedInputTokens: cached }),
    ...(reasoning !== undefined && { reasoningTokens: reasoning }),
  };
}

/** The sum; `undefined` counts as nothing. */
export function addUsage(a: Usage | undefined, b: Usage | undefined): Usage | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  const cached = addOptional(a.cachedInputTokens, b.cachedInputTokens);
  const reasoning = addOptional(a.reasoningTokens, b.reasoningTokens);
  return {
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    ...(cached !== undefined && { cachedInputTokens: cached }),
    ...(reasoning !== undefined && { reasoningTokens: reasoning }),
  };
}

function addOptional(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? (a ?? b) : a + b;
}

function count(value: unknown): number | undefined {
  return typeof value === "number" && value >= 0 && value <= Number.MAX_SAFE_INTEGER ? value : undefined;
}
