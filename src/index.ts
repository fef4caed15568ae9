/**
 * What hosts import from "harness-kit", listed by hand.
 *
 * Floor 6. Imports nothing from `node:` and nothing of `process/`: it runs in browsers and workers, too.
 *
 * @module harness-kit
 */
export { AgentContext } from "./context/agent-context.ts";
export type { ContextSnapshot } from "./context/snapshot.ts";
export { assertWellFormed } from "./context/well-formed.ts";
export type {
  ApprovalDecision,
  ApprovalGate,
  ApprovalRequest,
  Approver,
  Grant,
  PendingApproval,
} from "./contract/approval.ts";
export { defineTool } from "./contract/define-tool.ts";
export type { Effects } from "./contract/effects.ts";
export type {
  AgentEvent,
  CompactionNotice,
  EventBase,
  EventOf,
  EventPayloads,
  EventType,
  Listener,
  RetryNotice,
} from "./contract/event.ts";
export type {
  AssistantMessage,
  ImagePart,
  Message,
  Part,
  Reasoning,
  SystemMessage,
  TextPart,
  ToolCall,
  ToolMessage,
  UserMessage,
} from "./contract/message.ts";
export type {
  ErrorHint,
  FinishReason,
  Model,
  ModelCallContext,
  ModelEvent,
  ModelFunction,
  ModelLike,
  ModelRequest,
  ModelResponse,
  ModelSettings,
  ToolDefinition,
  Usage,
} from "./contract/model.ts";
export type {
  Decision,
  Gate,
  Permission,
  PermissionCheck,
  PermissionContext,
  PermissionDecision,
} from "./contract/permission.ts";
export type { NextModel, NextModelOptions, Plugin, PluginCallContext } from "./contract/plugin.ts";
export {
  type AbandonedCall,
  type AgentRun,
  type AgentStep,
  type ErrorStep,
  type FailedAttempt,
  type FinishStep,
  type ModelStep,
  type PermissionStep,
  RUN_SCHEMA_VERSION,
  type RunStatus,
  type RunUsage,
  STATUS_OF,
  type StepBase,
  type StopReason,
  type ToolStep,
} from "./contract/run.ts";
export type { InferArguments, JsonSchema, SchemaLike } from "./contract/schema.ts";
export {
  JOURNAL_VERSION,
  type JournalEntry,
  type JournalResume,
  type JournalStart,
  type RunQuery,
  type RunSummary,
  SESSION_VERSION,
  type SessionRecord,
  type SessionSummary,
  type Store,
  type StoredJournal,
  type Unlock,
} from "./contract/store.ts";
export type { AnyTool, Tool, ToolAccess, ToolContext, ToolFailure, ToolResult, ToolSuccess } from "./contract/tool.ts";
export {
  ContextError,
  type ErrorCode,
  type ErrorKind,
  errorMessage,
  explainError,
  explainRun,
  HarnessError,
  isHarnessError,
  ModelError,
  PermissionError,
  type RetryState,
  RuntimeError,
  type SerializedError,
  ToolError,
  toHarnessError,
} from "./errors/index.ts";
export { allowAll, allowTools, denyAll } from "./permission/allow-tools.ts";
export { ToolRegistry } from "./registry/tool-registry.ts";
export { createRetryBudget, type RetryBudget, type RetryBudgetOptions } from "./retry/budget.ts";
export { planRetry, type RetryPlan, type RetrySituation } from "./retry/plan.ts";
export { type RetryOptions, type RetryPolicy, type RetryQuestion, resolveRetry } from "./retry/policy.ts";
export { createRuntime, type Runtime } from "./runtime/create-runtime.ts";
export type { RunInput } from "./runtime/input.ts";
export { DEFAULTS, type Fallback, type LimitOptions, type RuntimeOptions } from "./runtime/options.ts";
export { parseRun } from "./runtime/parse-run.ts";
export { type Divergence, type Replay, type ReplayOptions, replayRun } from "./runtime/replay.ts";
export type { ResumeOptions, RunOptions, StreamOptions } from "./runtime/run-options.ts";
export type { OnLeave, RunStream } from "./runtime/run-stream.ts";
export type { Session, SessionOptions, SessionRunOptions } from "./runtime/session.ts";
export { type Clock, systemClock } from "./util/clock.ts";
