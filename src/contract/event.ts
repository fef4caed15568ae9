/**
 * Events: what a run tells while it runs.
 *
 * Floor 3 (contract). Observation only: nothing that a listener does is felt by the run.
 */
import type { ErrorCode, ErrorKind } from "../errors/index.ts";
import type { ApprovalRequest } from "./approval.ts";
import type { ToolCall } from "./message.ts";
import type { ModelResponse } from "./model.ts";
import type { Decision } from "./permission.ts";
import type { AgentStep, RunStatus, StopReason } from "./run.ts";
import type { ToolResult } from "./tool.ts";

/** What a retry tells before its wait. Times are milliseconds. */
export interface RetryNotice {
  /** The try that failed, from 1. */
  readonly attempt: number;
  readonly maxAttempts: number;
  readonly delayMs: number;
  /** What the provider asked for, when it did. */
  readonly retryAfterMs?: number | undefined;
  readonly code: ErrorCode;
  readonly message: string;
  /** What is left of the run's retry budget, in tokens. */
  readonly budgetLeft: number;
}

/** What a plugin tells when it sends less than the whole history. Tokens are estimates. */
export interface CompactionNotice {
  /** An estimate passed its limit, or the model said that its context overflows. */
  readonly reason: "limit" | "overflow";
  /** Messages of the request without this compaction; what an earlier one put together counts as it was sent. */
  readonly messagesBefore: number;
  readonly messagesAfter: number;
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  /** Messages that a summary stands for from now on. */
  readonly summarized: number;
  /** Messages that are left out without a summary. */
  readonly dropped: number;
  /** Tool results of which a part is left out. */
  readonly shortened: number;
  /** Why there is no summary, when one was tried. */
  readonly error?: { readonly kind: ErrorKind; readonly code: ErrorCode; readonly message: string } | undefined;
}

/** The payload of each event, without what every event carries. */
export interface EventPayloads {
  /** `resumed`: the run began in another process, or before a pause. */
  "run:start": { readonly input: string; readonly resumed?: true | undefined };
  "model:start": { readonly messageCount: number; readonly attempt: number; readonly model: string };
  "model:delta": { readonly text: string };
  "model:reasoning": { readonly text: string };
  /** Ends each "model:start", also one whose call failed: then without `response`, with `error`. */
  "model:end": {
    readonly response?: ModelResponse | undefined;
    readonly error?: { readonly kind: ErrorKind; readonly code: ErrorCode; readonly message: string } | undefined;
    readonly durationMs: number;
  };
  "model:retry": RetryNotice;
  /** The model gets less than the whole history; the history and the record stay whole. */
  "context:compacted": CompactionNotice;
  /** Another model of the `fallback` list takes over. */
  "model:fallback": { readonly from: string; readonly to: string; readonly code: ErrorCode };
  "tool:start": { readonly call: ToolCall };
  "tool:progress": { readonly callId: string; readonly data: unknown };
  "tool:retry": RetryNotice & { readonly callId: string };
  "tool:end": { readonly call: ToolCall; readonly result: ToolResult; readonly durationMs: number };
  "tool:abandoned": { readonly callId: string };
  "permission:request": { readonly call: ToolCall; readonly request: ApprovalRequest };
  "permission:decision": {
    readonly callId: string;
    readonly decision: Decision;
    readonly by: string;
    readonly reason?: string | undefined;
  };
  "limit:warning": { readonly limit: string; readonly message: string };
  "run:abort": { readonly reason: string };
  step: { readonly step: AgentStep };
  "listener:error": { readonly error: string; readonly eventType: string };
  "run:end": {
    readonly status: RunStatus;
    readonly stopReason: StopReason;
    readonly answer: string;
    readonly error?: string | undefined;
    readonly errorKind?: ErrorKind | undefined;
    readonly errorCode?: ErrorCode | undefined;
    readonly durationMs: number;
  };
}

/** The name of an event. */
export type EventType = keyof EventPayloads;

/** What every event carries. */
export interface EventBase<Type extends EventType> {
  readonly type: Type;
  readonly runId: string;
  /** Counts from 0 within a run, without gaps. */
  readonly seq: number;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** The event of one type. */
export type EventOf<Type extends EventType> = EventBase<Type> & EventPayloads[Type];

/** Any event. */
export type AgentEvent = { [Type in EventType]: EventOf<Type> }[EventType];

/** Hears events of one type. What it throws or rejects with is reported as "listener:error". */
export type Listener<Type extends EventType> = (event: EventOf<Type>) => unknown;
