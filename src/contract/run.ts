/**
 * The record of a run: everything that happened, as one JSON document.
 *
 * Floor 3 (contract).
 */
import type { ErrorCode, ErrorKind, RetryState, SerializedError } from "../errors/index.ts";
import type { PendingApproval } from "./approval.ts";
import type { Message, ToolCall } from "./message.ts";
import type { ModelResponse, Usage } from "./model.ts";
import type { Decision } from "./permission.ts";
import type { ToolResult } from "./tool.ts";

/** The version of the record's form. A newer one is refused, an older one is read. */
export const RUN_SCHEMA_VERSION = 1;

/** How a run stands. */
export type RunStatus = "completed" | "failed" | "aborted" | "paused";

/** Why a run stopped. Each reason has exactly one status: {@link STATUS_OF}. */
export type StopReason =
  | "finished"
  | "maxSteps"
  | "timeout"
  | "aborted"
  | "failed"
  | "noProgress"
  | "limit"
  | "permission"
  | "paused";

/** The status that each stop reason stands for. */
export const STATUS_OF: Readonly<Record<StopReason, RunStatus>> = {
  finished: "completed",
  maxSteps: "completed",
  timeout: "failed",
  failed: "failed",
  noProgress: "failed",
  limit: "failed",
  permission: "failed",
  aborted: "aborted",
  paused: "paused",
};

/** What all steps share. Times are milliseconds; `startedAt` counts from the epoch. */
export interface StepBase {
  /** The position in `run.steps`. */
  readonly index: number;
  readonly startedAt: number;
  readonly durationMs: number;
}

/** A try that failed and was followed by another one. */
export interface FailedAttempt {
  readonly attempt: number;
  /** The model that failed, when a run has several. */
  readonly model?: string | undefined;
  readonly code: ErrorCode;
  readonly message: string;
  /** How long the runtime waited before the next try. */
  readonly delayMs: number;
}

/** One answered model call. */
export interface ModelStep extends StepBase {
  readonly type: "model";
  readonly response: ModelResponse;
  /** How many messages of the history the model saw. */
  readonly messageCount: number;
  /** How many tries it took; 1 without a retry. */
  readonly attempts: number;
  /** The name of the model that answered. */
  readonly model: string;
  readonly failures?: readonly FailedAttempt[] | undefined;
}

/** One answered tool call, whether it worked or not. */
export interface ToolStep extends StepBase {
  readonly type: "tool";
  /** The call as the model made it: arguments before defaults and transforms, as text where they are no JSON. */
  readonly call: ToolCall;
  readonly result: ToolResult;
  /** How often the tool was started; 0 when it never was. */
  readonly attempts: number;
  readonly failures?: readonly FailedAttempt[] | undefined;
}

/** One decision of the permission gate. */
export interface PermissionStep extends StepBase {
  readonly type: "permission";
  readonly callId: string;
  readonly tool: string;
  readonly decision: Decision;
  /** What decided: "rule:…", "approver", "default". */
  readonly by: string;
  readonly reason?: string | undefined;
}

/** The last step of a run that completed. */
export interface FinishStep extends StepBase {
  readonly type: "finish";
  readonly stopReason: StopReason;
  readonly answer: string;
}

/** The last step of a run that failed or was aborted. */
export interface ErrorStep extends StepBase {
  readonly type: "error";
  readonly stopReason: StopReason;
  readonly kind: ErrorKind;
  readonly code: ErrorCode;
  readonly retryable: boolean;
  readonly message: string;
  readonly detail: SerializedError;
  /** How many tries the failing model call had. */
  readonly attempts?: number | undefined;
  readonly failures?: readonly FailedAttempt[] | undefined;
  /** Why there was no further try. */
  readonly retryState?: RetryState | undefined;
  /** What the model had streamed before it failed. */
  readonly partialText?: string | undefined;
}

/** One entry of the record. */
export type AgentStep = ModelStep | ToolStep | PermissionStep | FinishStep | ErrorStep;

/** Tokens of a whole run. */
export interface RunUsage extends Usage {
  /** What failed attempts used, as far as their adapters report it; contained in the totals. */
  readonly wasted?: Usage | undefined;
  /** By the host's prices; contained only when it gave some. */
  readonly costUsd?: number | undefined;
}

/** A call that was still running when the run no longer waited for it. */
export interface AbandonedCall {
  readonly type: "model" | "tool" | "plugin" | "permission" | "effects" | "store";
  /** The name of the model, tool or plugin, or what was being done. */
  readonly name: string;
  readonly callId?: string | undefined;
}

/** The complete record of a run. Frozen, plain JSON. */
export interface AgentRun<Output = unknown> {
  readonly schemaVersion: number;
  readonly id: string;
  /** What the run was asked, as text. */
  readonly input: string;
  readonly status: RunStatus;
  readonly stopReason: StopReason;
  /** The last answer of the model; "" when there is none. */
  readonly answer: string;
  /** What the model answered, validated, when the run asked for an `output`; as JSON. */
  readonly output?: Output | undefined;
  /** The whole history; it can be sent again as it is. */
  readonly history: readonly Message[];
  readonly steps: readonly AgentStep[];
  /** How many turns (model calls) the run took. */
  readonly iterations: number;
  /** Set when the status is "failed" or "aborted", like `errorKind`, `errorCode` and `errorDetail`. */
  readonly error?: string | undefined;
  readonly errorKind?: ErrorKind | undefined;
  readonly errorCode?: ErrorCode | undefined;
  readonly errorDetail?: SerializedError | undefined;
  readonly startedAt: number;
  readonly endedAt: number;
  readonly usage: RunUsage;
  /** Questions that wait for an answer; set when the status is "paused". See `runtime.resume`. */
  readonly pending?: readonly PendingApproval[] | undefined;
  /** How many events were told, where a resumed run goes on counting; set when the status is "paused". */
  readonly eventCount?: number | undefined;
  /** Calls that did not stop when they were told to. */
  readonly abandoned?: readonly AbandonedCall[] | undefined;
  /** Set when the run completed without a real end: a limit cut it, or the reply was empty. */
  readonly incomplete?: true | undefined;
  /** Why the store of the runtime does not have this record; absent when it has, and without a store. */
  readonly storeError?: SerializedError | undefined;
  /** The session that the run belongs to. */
  readonly sessionId?: string | undefined;
  /** What the host gave to `run`, as JSON. */
  readonly metadata?: unknown;
}
