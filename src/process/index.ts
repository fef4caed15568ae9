/**
 * `harness-kit/process`: run a command and be told, in one union, every way it can end.
 *
 * Floor 2 (process). Node only.
 *
 * @module harness-kit/process
 */
export { DEFAULT_MAX_CHARS, type DescribeOptions, describeProcess } from "./describe.ts";
export { filterEnvironment } from "./environment.ts";
export { type ExitMeaning, exitMeaning } from "./exit-meaning.ts";
export { findShell, type Shell, type ShellHost, shellAt } from "./find-shell.ts";
export type { AsyncProcessOptions, OutputChunk, ProcessOptions } from "./options.ts";
export {
  type BackgroundOutcome,
  type CaptureInfo,
  type Completed,
  type CompletedBase,
  type CompletedCode,
  isExitFailure,
  isSpawnFailure,
  type NotStarted,
  type NotStartedCode,
  type ProcessBase,
  type ProcessCode,
  type ProcessCommand,
  type ProcessFailure,
  type ProcessResult,
  type Terminated,
  type TerminatedCode,
  type TerminationReason,
} from "./result.ts";
export { runProcess } from "./run-process.ts";
export { runProcessSync } from "./run-process-sync.ts";
export { type BubblewrapSandbox, bubblewrapSandbox } from "./sandbox/bubblewrap.ts";
export { ABSENT_NAMES, type BubblewrapOptions } from "./sandbox/bubblewrap-options.ts";
export type {
  Containment,
  Sandbox,
  SandboxCheck,
  SandboxedCommand,
  SandboxGuarantees,
  SpawnSpec,
  WrapperControl,
  WrapperEnd,
  WrapperOutcome,
} from "./sandbox/types.ts";
export { type ProcessErrorCode, processErrorCode, toToolError } from "./to-tool-error.ts";
