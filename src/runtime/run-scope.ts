/**
 * Everything that belongs to one run and to no other.
 *
 * Floor 5 (runtime). `run()` makes one and drops it; the runtime itself holds nothing of a run, so that
 * it can serve thousands at once and an abort never outlives its run.
 */
import type { AgentContext } from "../context/agent-context.ts";
import type { Message } from "../contract/message.ts";
import type { ModelSettings } from "../contract/model.ts";
import type { AbandonedCall, AgentRun } from "../contract/run.ts";
import type { JournalStart } from "../contract/store.ts";
import { type HarnessError, RuntimeError, toHarnessError } from "../errors/index.ts";
import type { EventBus } from "../events/event-bus.ts";
import type { RetryBudget } from "../retry/budget.ts";
import { onAbort } from "../util/abort.ts";
import { letGo } from "../util/let-go.ts";
import { CallTable } from "./call-table.ts";
import type { EarlierQuestion } from "./earlier-question.ts";
import type { JournalOwner, RunJournal } from "./journal.ts";
import type { ResolvedOptions } from "./options.ts";
import { Progress } from "./progress.ts";
import { type EventSink, Recorder } from "./recorder.ts";
import type { StructuredOutput } from "./structured-output.ts";
import { UsageMeter } from "./usage-meter.ts";

/** What `run()` hands over to its scope. */
export interface ScopeInput {
  readonly id: string;
  readonly input: string;
  readonly context: AgentContext;
  readonly system: string | undefined;
  readonly settings: ModelSettings | undefined;
  readonly output: StructuredOutput | undefined;
  readonly metadata: unknown;
  readonly signals: readonly AbortSignal[];
  readonly sink: EventSink | undefined;
  /** Resolves when the consumer of the stream has caught up; at once where there is none. */
  readonly ready: (() => Promise<void> | undefined) | undefined;
  /** What a paused run has done already. */
  readonly earlier?: EarlierRun | undefined;
  /** Whoever writes the run down, or knows it already. */
  readonly journal?: ((owner: JournalOwner) => RunJournal) | undefined;
  readonly sessionId?: string | undefined;
  /** Set when the run began in another process: when it did. */
  readonly startedAt?: number | undefined;
}

/** A paused run that goes on. */
export interface EarlierRun {
  readonly run: AgentRun;
  /** The questions that it waits for, by call id, with their answers. */
  readonly answers: ReadonlyMap<string, EarlierQuestion>;
  /** The questions that were answered by this runtime, so that no answer counts twice. */
  readonly usedAnswers: Set<string>;
}

/** One run in progress. */
export class RunScope {
  readonly id: string;
  readonly input: string;
  readonly context: AgentContext;
  readonly metadata: unknown;
  /** The settings of every model call of this run. */
  readonly settings: ModelSettings | undefined;
  /** The form that the answer must have, when the run asks for one. */
  readonly output: StructuredOutput | undefined;
  readonly startedAt: number;
  readonly recorder: Recorder;
  readonly calls: CallTable;
  readonly budget: RetryBudget;
  readonly usage: UsageMeter;
  readonly progress: Progress;
  readonly abandoned: AbandonedCall[] = [];
  /** Messages before the history: the system prompt, when there is one. */
  readonly before: readonly Message[];
  /** Resolves when a slow consumer of the stream has caught up. */
  readonly ready: (() => Promise<void> | undefined) | undefined;
  /** The questions of the pause that this run comes from, by call id. */
  readonly answers: ReadonlyMap<string, EarlierQuestion>;
  readonly usedAnswers: Set<string>;
  readonly sessionId: string | undefined;
  /** Set when the runtime has a store. */
  readonly journal: RunJournal | undefined;
  /** How many turns were taken. */
  turns: number;
  /** How many tools were called. */
  toolCalls: number;
  #stopReason: HarnessError | undefined;
  /** What of the caller's wishes is written down. */
  readonly storedSettings: Pick<JournalStart, "system" | "settings" | "hasOutput">;
  readonly #isResumed: boolean;
  readonly #signals: readonly AbortSignal[];
  readonly #unsubscribe: (() => void)[] = [];

  constructor(
    readonly options: ResolvedOptions,
    bus: EventBus,
    given: ScopeInput,
  ) {
    this.id = given.id;
    this.input = given.input;
    this.context = given.context;
    this.metadata = given.metadata;
    this.output = given.output;
    this.settings = given.output === undefined ? given.settings : given.output.settings(given.settings);
    this.ready = given.ready;
    const earlier = given.earlier?.run;
    this.answers = given.earlier?.answers ?? new Map();
    this.usedAnswers = given.earlier?.usedAnswers ?? new Set();
    this.turns = earlier?.iterations ?? 0;
    this.toolCalls = earlier?.steps.filter((step) => step.type === "tool").length ?? 0;
    this.sessionId = given.sessionId;
    this.storedSettings = {
      ...(given.system !== undefined && { system: given.system }),
      ...(given.settings !== undefined && { settings: given.settings }),
      ...(given.output !== undefined && { hasOutput: true as const }),
    };
    this.#isResumed = given.startedAt !== undefined;
    this.startedAt = given.startedAt ?? this.now();
    const told = earlier && { steps: earlier.steps, seq: earlier.eventCount ?? 0 };
    this.recorder = new Recorder(given.id, bus, { sink: given.sink, clock: options.clock, earlier: told });
    this.budget = options.retry.openBudget();
    this.usage = new UsageMeter(options.price, earlier?.usage);
    this.progress = new Progress(options.limits);
    this.before = given.system === undefined ? [] : [Object.freeze({ role: "system", content: given.system })];
    const firstLookMs = Math.min(options.modelTimeoutMs, options.toolTimeoutMs);
    this.calls = new CallTable(options.clock, options.clock.now() + options.timeoutMs, firstLookMs, {
      onDeadline: () => this.stopAtDeadline(),
      onAbandoned: (call) => this.#onAbandoned(call),
    });
    this.#signals = given.signals;
    this.journal = given.journal?.(this);
  }

  /** Whether anybody wants to see the effects of this run: without, an effect is run as it is. */
  get hasSeam(): boolean {
    return this.journal !== undefined || this.options.effects !== undefined;
  }

  /** How long a call may take to stop. */
  get graceMs(): number {
    return this.options.graceMs;
  }

  /** Tells that the run starts, and listens to the caller's signals from then on. */
  begin(): void {
    this.recorder.emit("run:start", { input: this.input, ...(this.#isResumed && { resumed: true as const }) });
    for (const signal of this.#signals) this.#follow(signal);
  }

  /** Why the run was told to stop; `undefined` while it goes on. */
  get stopReason(): HarnessError | undefined {
    return this.#stopReason;
  }

  /**
   * The time of the record, in milliseconds since the epoch. Read by the loop only, in a fixed order, so
   * that a replay gets the same times. Effects that fail to say so are replaced by the clock.
   */
  now(): number {
    const { effects, clock } = this.options;
    if (effects === undefined) return clock.now();
    try {
      const now: unknown = effects.now();
      if (typeof now === "number" && Number.isFinite(now)) return now;
      letGo(now);
      return clock.now();
    } catch {
      return clock.now();
    }
  }

  /** The time of timers, events and whatever happens inside an effect. */
  clockNow(): number {
    return this.calls.now();
  }

  /** The same where only the loop itself has worked since the last call into other code; hosts that look on may take their time. */
  recentNow(): number {
    return this.recorder.isHeard || this.hasSeam ? this.calls.now() : this.calls.recentNow();
  }

  /** Ends the run: the first reason stands, every running call is told, nothing is started any more. */
  stop(reason: HarnessError): void {
    if (this.#stopReason !== undefined) return;
    this.#stopReason = reason;
    if (reason.code === "RUN_ABORTED") this.recorder.emit("run:abort", { reason: reason.message });
    this.calls.stopAll(reason);
  }

  /** Ends the run at its deadline, also where the timer had no chance to fire. */
  stopAtDeadline(): void {
    this.stop(runTimeout(this.options.timeoutMs));
  }

  /** Ends the run because somebody asked for it. */
  abort(reason: unknown): void {
    this.stop(abortError(reason));
  }

  /** Lets go of signals and timers. */
  close(): void {
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
    this.calls.close();
  }

  #follow(signal: AbortSignal): void {
    if (signal.aborted) this.abort(signal.reason);
    else this.#unsubscribe.push(onAbort(signal, (reason) => this.abort(reason)));
  }

  #onAbandoned(call: AbandonedCall): void {
    this.abandoned.push(Object.freeze(call));
    if (call.callId !== undefined) this.recorder.emit("tool:abandoned", { callId: call.callId });
  }
}

function runTimeout(timeoutMs: number): RuntimeError {
  const message = `The run did not end within ${timeoutMs} ms and was stopped. Raise timeoutMs, or give the run a smaller task.`;
  return new RuntimeError(message, { code: "RUN_TIMEOUT" });
}

/** An abort reason of any kind as RUN_ABORTED, also when it is an error of ours from another run. */
function abortError(reason: unknown): HarnessError {
  const adopted = toHarnessError(reason, "runtime", { signal: AbortSignal.abort(reason) });
  return adopted.code === "RUN_ABORTED"
    ? adopted
    : new RuntimeError(adopted.message, { code: "RUN_ABORTED", cause: reason });
}
