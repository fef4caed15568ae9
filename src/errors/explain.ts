/**
 * Explains a failure or a run in two to five plain lines: who failed, what was tried, what to do next.
 *
 * Floor 1 (errors).
 */

import { clipEnd } from "../util/text.ts";
import { toHarnessError } from "./adopt.ts";
import { definitionOf, ERROR_CODES, UNKNOWN_CODES } from "./codes.ts";
import { deserializeError } from "./deserialize.ts";
import { ENGLISH, type ExplainText } from "./explain-text.ts";
import type { AnyHarnessError } from "./harness-error.ts";
import { isErrorKind } from "./kinds.ts";
import { errorMessage } from "./message.ts";
import { read } from "./read.ts";

/** What is read of a run. Every `AgentRun` has this form. */
export interface ExplainableRun {
  readonly status: string;
  readonly stopReason?: string | undefined;
  readonly error?: string | undefined;
  readonly errorKind?: string | undefined;
  readonly errorCode?: string | undefined;
  readonly errorDetail?: unknown;
  readonly incomplete?: boolean | undefined;
  readonly iterations?: number | undefined;
  readonly usage?:
    | { readonly inputTokens?: number | undefined; readonly outputTokens?: number | undefined }
    | undefined;
}

/**
 * Explains an error, or its JSON, in two to four lines without secrets.
 *
 * @example
 * console.error(explainError(error));
 * // The model call failed: The provider does not accept the credentials. (MODEL_AUTH)
 * // It said: 401 Incorrect API key provided: [redacted]
 * // Next: Set a valid API key for this provider and this base URL.
 */
export function explainError(error: unknown): string {
  return explainFailure(revive(error), ENGLISH).join("\n");
}

/** Explains how a run ended, in two to five lines without secrets. */
export function explainRun(run: ExplainableRun): string {
  const failed = run.status === "failed" || run.status === "aborted";
  const [next, ...lines] = (failed ? explainFailure(failureOf(run), ENGLISH) : explainEnd(run, ENGLISH)).toReversed();
  const used = ENGLISH.used(run.iterations, tokensOf(run));
  return [...lines.toReversed(), used, next].filter((line) => line !== undefined).join("\n");
}

const MAX_LINE_CHARS = 400;

function explainFailure(error: AnyHarnessError, text: ExplainText): string[] {
  const { title, advice } = definitionOf(error.code) ?? ERROR_CODES[UNKNOWN_CODES[error.kind]];
  const said = clipEnd(errorMessage(error).replace(/\s+/g, " ").trim(), MAX_LINE_CHARS);
  const tried = [
    error.attempts === undefined ? undefined : text.attempts(error.attempts),
    error.retryAfterMs === undefined ? undefined : text.asked(Math.ceil(error.retryAfterMs / 1000)),
    error.retryState === undefined ? undefined : text.stopped[error.retryState],
  ].filter((sentence) => sentence !== undefined);
  return [
    text.failed(text.who[error.kind], title, error.code),
    text.said(said),
    ...(tried.length === 0 ? [] : [tried.join(" ")]),
    text.next(advice),
  ];
}

function explainEnd({ status, stopReason, incomplete }: ExplainableRun, text: ExplainText): string[] {
  if (status === "paused") return [text.paused, text.next(text.nextPaused)];
  if (incomplete !== true) return [text.completed, text.next(text.nextCompleted)];
  const reason = stopReason === undefined ? [] : [text.stoppedBy(stopReason)];
  return [text.incomplete, ...reason, text.next(text.nextIncomplete)];
}

function revive(error: unknown): AnyHarnessError {
  return toHarnessError(isErrorKind(read(error, "kind")) ? deserializeError(error) : error);
}

function failureOf({ status, error, errorKind, errorCode, errorDetail }: ExplainableRun): AnyHarnessError {
  if (isErrorKind(read(errorDetail, "kind"))) return revive(errorDetail);
  const fallbackCode = status === "aborted" ? "RUN_ABORTED" : undefined;
  return revive({ kind: errorKind ?? "runtime", code: errorCode ?? fallbackCode, message: error });
}

function tokensOf({ usage }: ExplainableRun): number | undefined {
  const { inputTokens, outputTokens } = usage ?? {};
  return inputTokens === undefined && outputTokens === undefined ? undefined : (inputTokens ?? 0) + (outputTokens ?? 0);
}
