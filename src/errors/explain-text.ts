/**
 * The sentences of `explainError` and `explainRun`. Another language is another object of this form.
 *
 * Floor 1 (errors).
 */

import { formatCount } from "../util/text.ts";
import type { ErrorKind, RetryState } from "./kinds.ts";

/** Every sentence that an explanation is made of. */
export interface ExplainText {
  readonly who: Readonly<Record<ErrorKind, string>>;
  failed(who: string, title: string, code: string): string;
  said(message: string): string;
  attempts(count: number): string;
  asked(seconds: number): string;
  readonly stopped: Readonly<Record<RetryState, string>>;
  next(advice: string): string;
  readonly completed: string;
  readonly incomplete: string;
  readonly paused: string;
  used(turns: number | undefined, tokens: number | undefined): string | undefined;
  readonly nextCompleted: string;
  readonly nextIncomplete: string;
  readonly nextPaused: string;
  stoppedBy(reason: string): string;
}

/** The English sentences. */
export const ENGLISH: ExplainText = {
  who: {
    model: "The model call failed",
    tool: "The tool failed",
    runtime: "The run ended early",
    context: "The context failed",
    permission: "The permission gate refused",
  },
  failed: (who, title, code) => `${who}: ${title} (${code})`,
  said: (message) => `It said: ${message}`,
  attempts: (count) => (count === 1 ? "It was tried once." : `It was tried ${formatCount(count)} times.`),
  asked: (seconds) => `The other side asked to wait ${formatCount(seconds)} s.`,
  stopped: {
    not_retryable: "It was not tried again because the same call would fail the same way.",
    attempts_exhausted: "It was not tried again because all attempts were used.",
    budget_exhausted: "It was not tried again because the retry budget of the run was used up.",
    deadline: "It was not tried again because the deadline would have passed during the wait.",
    retry_after_too_long: "It was not tried again because the wait that was asked for is longer than allowed.",
    partially_delivered: "It was not tried again because part of the answer had been shown.",
    aborted: "It was not tried again because the run was stopped.",
  },
  next: (advice) => `Next: ${advice}`,
  completed: "The run is complete.",
  incomplete: "The run ended before its work was done.",
  paused: "The run is paused and waits for a decision.",
  used: (turns, tokens) => {
    const parts = [
      turns === undefined ? undefined : `${formatCount(turns)} ${turns === 1 ? "turn" : "turns"}`,
      tokens === undefined ? undefined : `${formatCount(tokens)} tokens`,
    ].filter((part) => part !== undefined);
    return parts.length === 0 ? undefined : `It used ${parts.join(" and ")}.`;
  },
  nextCompleted: "Read the answer.",
  nextIncomplete: "Raise the limit, or run again with the history of this run.",
  nextPaused: "Decide what is pending, then resume the run.",
  stoppedBy: (reason) => `It stopped because of: ${reason}.`,
};
