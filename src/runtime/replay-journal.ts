/**
 * The journal of a replay: knows what every effect of a recorded run gave.
 *
 * Floor 5 (runtime). Nothing is written. What is to be done anew is not known, so that it is done.
 */
import type { AgentRun, AgentStep, ErrorStep, ModelStep, PermissionStep, ToolStep } from "../contract/run.ts";
import {
  deserializeError,
  type HarnessError,
  PermissionError,
  serializeError,
  toHarnessError,
} from "../errors/index.ts";
import type { ModelOutcome } from "./ask-model.ts";
import type { Decided } from "./decide.ts";
import type { ToolOutcome } from "./execute-tool.ts";
import type { RunJournal } from "./journal.ts";

/** What is done anew in a replay, instead of being taken from the record. */
export interface LiveParts {
  /** Whether a tool is executed again. */
  readonly executes: (tool: string) => boolean;
  /** Whether the gate judges again. What an approver answered is always taken from the record. */
  readonly judges: boolean;
}

/** Answers the effects of one recorded run. */
export class ReplayJournal implements RunJournal {
  readonly isClosing = false;
  readonly #models: readonly ModelStep[];
  readonly #tools: ReadonlyMap<string, ToolStep>;
  readonly #decisions: ReadonlyMap<string, PermissionStep>;
  readonly #failure: ErrorStep | undefined;
  /** How many effects the record holds that were not asked for yet. */
  #left: number;
  #turns = 0;

  constructor(
    private readonly run: AgentRun,
    private readonly live: LiveParts,
    private readonly stop: (reason: HarnessError) => void,
  ) {
    const { steps } = run;
    this.#models = steps.filter((step) => step.type === "model");
    this.#tools = new Map(steps.filter((step) => step.type === "tool").map((step) => [step.call.id, step]));
    // A call that waited for its approval was judged twice; the last word counts.
    this.#decisions = new Map(steps.filter((step) => step.type === "permission").map((step) => [step.callId, step]));
    this.#failure = steps.find((step) => step.type === "error");
    this.#left = this.#models.length + steps.filter(wasExecuted).length;
  }

  known(key: string): { readonly value: unknown } | undefined {
    const [, type, callId = ""] = /^\d+\/([a-z]+)\/?(.*)$/su.exec(key) ?? [];
    const value = type === "model" ? this.#model() : type === "tool" ? this.#tool(callId) : this.#decided(callId);
    return value && { value };
  }

  async open(): Promise<void> {}

  inFlightSince(): undefined {
    return undefined;
  }

  stands(): boolean {
    return false;
  }

  async start(): Promise<void> {}

  async end(key: string): Promise<void> {
    if (key.includes("/tool/")) this.#took();
  }

  async claim(): Promise<boolean> {
    return true;
  }

  async close(run: AgentRun): Promise<AgentRun> {
    return run;
  }

  #model(): ModelOutcome | undefined {
    const step = this.#models[this.#turns++];
    if (step === undefined) return this.#failedModel();
    const { response, attempts, model, failures = [], startedAt, durationMs } = step;
    const isLast = this.#turns === this.#models.length && this.#failure?.attempts === undefined;
    const wasted = isLast ? this.#wasted() : [];
    this.#took();
    return { ok: true, response, attempts, model, failures, startedAt, durationMs, wasted };
  }

  /** The model call that the recorded run ended with; `undefined` when it made none. */
  #failedModel(): ModelOutcome | undefined {
    const failure = this.#failure;
    if (failure?.attempts === undefined) return undefined;
    const { detail, retryState = "not_retryable", partialText = "", attempts, failures = [] } = failure;
    const times = { startedAt: failure.startedAt, durationMs: 0 };
    const model = this.#models.at(-1)?.model ?? "model";
    this.#stopLikeTheRecord();
    return {
      ok: false,
      error: detail,
      retryState,
      partialText,
      attempts,
      failures,
      wasted: this.#wasted(),
      model,
      ...times,
    };
  }

  #decided(callId: string): Decided | undefined {
    const step = this.#decisions.get(callId);
    if (step === undefined || (this.live.judges && step.by !== "approver" && step.decision !== "ask")) return undefined;
    const { decision, by, reason, startedAt, durationMs } = step;
    const said = { decision, by, ...(reason !== undefined && { reason }), startedAt, durationMs };
    if (decision === "allow") return said;
    if (decision === "deny") return { ...said, error: this.#denial(callId) };
    return { ...said, pending: this.run.pending?.find((question) => question.callId === callId) };
  }

  #denial(callId: string): Decided["error"] {
    const result = this.#tools.get(callId)?.result;
    if (result?.ok === false && result.detail !== undefined) return result.detail;
    return serializeError(new PermissionError("Denied.", { code: "PERMISSION_DENIED" }));
  }

  #tool(callId: string): ToolOutcome | undefined {
    const step = this.#tools.get(callId);
    if (step === undefined || this.live.executes(step.call.name)) return undefined;
    const { result, attempts, failures = [], startedAt, durationMs } = step;
    if (wasExecuted(step)) this.#took();
    return { result, attempts, failures, startedAt, durationMs };
  }

  #wasted(): ModelOutcome["wasted"] {
    const { wasted } = this.run.usage;
    return wasted === undefined ? [] : [wasted];
  }

  /** A run that was stopped when nothing more was recorded is stopped there again. */
  #took(): void {
    if (--this.#left === 0 && this.#failure?.attempts === undefined) this.#stopLikeTheRecord();
  }

  #stopLikeTheRecord(): void {
    const stopReason = this.#failure?.stopReason;
    if (stopReason !== "aborted" && stopReason !== "timeout") return;
    this.stop(toHarnessError(deserializeError(this.#failure?.detail), "runtime"));
  }
}

function wasExecuted(step: AgentStep): step is ToolStep {
  return step.type === "tool" && step.attempts > 0;
}
