/**
 * Decides what a foreign error means in the layers that know less about it than the model layer.
 *
 * Floor 1 (errors).
 */

import { type ErrorCode, UNKNOWN_CODES } from "./codes.ts";
import type { Fact } from "./evidence.ts";
import type { ErrorKind } from "./kinds.ts";
import { isAbort, isDefect, isSchemaFailure, isTimeout } from "./names.ts";
import type { Nodes } from "./nodes.ts";
import type { ModelCode, Verdict } from "./verdict.ts";

/** What the tool layer knows about the call that failed. */
export interface ToolCallFacts {
  /** Whether the tool may be called twice without harm. @defaultValue false */
  idempotent?: boolean | undefined;
  /** `"arguments"` while the arguments are checked, before the tool runs. */
  phase?: "arguments" | undefined;
}

/** What is known of the chain before a layer judges it. */
export interface Chain {
  readonly nodes: Nodes;
  readonly facts: readonly Fact[];
  /** What it would mean in the model layer, which knows the network best. */
  readonly asModel: Verdict;
}

/** A code for the layer, and `retryable` where the layer knows better than the code. */
export interface LayerVerdict {
  readonly code: ErrorCode;
  readonly retryable?: boolean | undefined;
}

/** What may pass by itself: an idempotent tool that met it may be called again. */
const TRANSIENT: ReadonlySet<ErrorCode> = new Set<ModelCode>([
  "MODEL_RATE_LIMITED",
  "MODEL_OVERLOADED",
  "MODEL_SERVER_ERROR",
  "MODEL_TIMEOUT",
  "MODEL_NETWORK",
]);

/** The verdict of a layer on a chain of foreign errors. */
export function classifyLayer(kind: ErrorKind, chain: Chain, call: ToolCallFacts): LayerVerdict {
  if (kind === "model") return chain.asModel;
  if (kind === "tool") return classifyTool(chain, call);
  // Context and permission fail closed: nothing about a foreign error makes them more precise.
  return { code: kind === "runtime" ? runtimeCode(chain) : UNKNOWN_CODES[kind] };
}

function classifyTool(chain: Chain, { idempotent, phase }: ToolCallFacts): LayerVerdict {
  if (phase === "arguments" && chain.facts.some(isSchemaFailure)) return { code: "TOOL_INVALID_ARGUMENTS" };
  const code = toolCode(chain.facts);
  return { code, retryable: code !== "TOOL_ABORTED" && idempotent === true && isTransient(chain) };
}

function toolCode(facts: readonly Fact[]): ErrorCode {
  if (facts.some(isTimeout)) return "TOOL_TIMEOUT";
  return facts.some(isAbort) ? "TOOL_ABORTED" : "TOOL_THREW";
}

function isTransient({ asModel, nodes }: Chain): boolean {
  const inside = nodes.own.some((error) => error.retryable && TRANSIENT.has(error.code));
  return (asModel.retryable && TRANSIENT.has(asModel.code)) || inside;
}

function runtimeCode({ facts, asModel }: Chain): ErrorCode {
  if (facts[0]?.code === "RUNTIME_INVALID_CONFIG") return "RUNTIME_INVALID_CONFIG";
  if (facts.some(isTimeout)) return "RUN_TIMEOUT";
  if (facts.some(isAbort)) return "RUN_ABORTED";
  // fetch reports a failed connection as a TypeError, which is nobody's defect.
  return facts.some(isRuntimeDefect) && asModel.code === "MODEL_ADAPTER_BUG" ? "RUNTIME_INTERNAL" : "RUNTIME_UNKNOWN";
}

function isRuntimeDefect(fact: Fact): boolean {
  return isDefect(fact) && !fact.names.includes("SyntaxError");
}
