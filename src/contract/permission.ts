/**
 * The permission contract: who decides whether a tool call may run.
 *
 * Floor 3 (contract). The gate that judges commands and paths is `harness-kit/permission`; anything
 * that answers in this shape can stand in its place.
 */
import type { ToolCall } from "./message.ts";
import type { ToolAccess } from "./tool.ts";

/** What may happen with a call. "ask" needs an approver; without one it is a denial. */
export type Decision = "allow" | "ask" | "deny";

/** A decision with its reason. Everything that is not exactly this with "allow" denies. */
export interface PermissionDecision {
  readonly decision: Decision;
  /** Read by the model and by people; says what to do instead where that helps. */
  readonly reason?: string | undefined;
  /** What decided, for the record: "rule:no-rm", "approver", "default". */
  readonly by?: string | undefined;
}

/** A decision of a gate that knows what exactly it judged, and by what. */
export interface GateDecision extends PermissionDecision {
  /** The code of the PermissionError when a denial has a reason of its own: a rule that failed, a timeout. */
  readonly code?: string | undefined;
  /** SHA-256 of the canonical arguments that were judged. */
  readonly argsDigest?: string | undefined;
  /** Names the rules that judged. */
  readonly policyHash?: string | undefined;
}

/** What a gate may look at beside the call. */
export interface PermissionContext {
  readonly runId: string;
  readonly toolAccess: ToolAccess | undefined;
  /** Fires when the run stops. */
  readonly signal: AbortSignal;
}

/** The check itself, which is all that a simple gate consists of. */
export type PermissionCheck = (
  call: ToolCall,
  context: PermissionContext,
) => PermissionDecision | Promise<PermissionDecision>;

/** An object that checks. */
export interface Gate {
  check: PermissionCheck;
}

/** What `createRuntime` takes as `permission`. */
export type Permission = Gate | PermissionCheck;
