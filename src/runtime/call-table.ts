/**
 * All foreign calls that a run is waiting for, and the one timer that watches their deadlines.
 *
 * Floor 5 (runtime). One timer per run instead of one per call: a call only stores its deadline, and the
 * timer is armed at the nearest one. It may fire early, when the call it was armed for is long over; then
 * it arms itself again.
 */
import type { AbandonedCall } from "../contract/run.ts";
import { type HarnessError, RuntimeError } from "../errors/index.ts";
import { type Clock, MAX_TIMER_MS } from "../util/clock.ts";
import { type CallSpec, ForeignCall, type Outcome } from "./foreign-call.ts";

/** What the table tells the run. */
export interface TableEvents {
  /** The run's own deadline has passed. */
  onDeadline(): void;
  onAbandoned(call: AbandonedCall): void;
}

/** The running calls of one run. */
export class CallTable {
  /** Few at a time, and the last one started often ends first: a list costs less than a set. */
  readonly #calls: ForeignCall<unknown>[] = [];
  /** The time, if nobody's code but ours has run since it was read. */
  #seenAt: number | undefined;
  #armedAt = Number.POSITIVE_INFINITY;
  #cancelTimer: (() => void) | undefined;
  #wasArmed = false;
  #stopReason: HarnessError | undefined;
  #holds = 0;
  #heldSince = 0;
  #heldDeadline = 0;

  constructor(
    private readonly clock: Clock,
    private runDeadline: number,
    /** When the timer is to fire at first: most runs then arm one timer, for their model calls and their tools. */
    private readonly firstLookMs: number,
    private readonly events: TableEvents,
  ) {}

  /** When the run ends at the latest, in milliseconds since the epoch. */
  get deadline(): number {
    return this.runDeadline;
  }

  /** The time now. */
  now(): number {
    this.#seenAt = this.clock.now();
    return this.#seenAt;
  }

  /**
   * The time as good as now, for the loop itself: it passes only while others work, and reading it costs more than
   * most of what the loop does.
   */
  recentNow(): number {
    return this.#calls.length === 0 ? (this.#seenAt ?? this.now()) : this.now();
  }

  /** Stops the run's clock until the returned function is called; several may hold it at once. */
  suspendDeadline(): () => void {
    if (this.#holds++ === 0) {
      this.#heldSince = this.clock.now();
      this.#heldDeadline = this.runDeadline;
      this.runDeadline = Number.POSITIVE_INFINITY;
    }
    return () => {
      if (--this.#holds > 0) return;
      this.runDeadline = this.#heldDeadline + (this.clock.now() - this.#heldSince);
      this.#watch(this.runDeadline);
    };
  }

  /**
   * Runs `start` and answers how it ended: at once, where it came back at once. Never throws, never rejects. Once
   * the run was stopped, nothing is started.
   *
   * @param start - Gets `spec` as well, so that it need not be a function of its own for each call.
   */
  race<T, Spec extends CallSpec = CallSpec>(
    spec: Spec,
    start: (call: ForeignCall<T>, spec: Spec) => T | PromiseLike<T>,
  ): Outcome<T> | Promise<Outcome<T>> {
    const reason = this.#stopReason;
    if (reason !== undefined) return { status: "stopped", reason };
    const call = new ForeignCall<T>(spec, this.#owner);
    this.#calls.push(call as ForeignCall<unknown>);
    this.#watch(Math.min(call.deadline, this.runDeadline));
    try {
      const result = start(call, spec);
      this.#seenAt = undefined;
      return isThenable(result) ? call.follow(result) : call.settleNow({ status: "returned", value: result });
    } catch (error) {
      return call.settleNow({ status: "threw", error });
    }
  }

  /** Waits; ends early, without an error, when the run is stopped. */
  async sleep(ms: number): Promise<void> {
    let cancel: (() => void) | undefined;
    await this.race(
      SLEEP,
      () =>
        new Promise<void>((wake) => {
          cancel = this.clock.setTimer(ms, wake);
        }),
    );
    cancel?.();
  }

  /** Tells every running call to stop, and starts none any more. */
  stopAll(reason: HarnessError): void {
    this.#stopReason ??= reason;
    for (const call of [...this.#calls]) call.stop(reason);
  }

  /** Takes the timer off. What still runs is told to stop, and nothing is started any more. */
  close(): void {
    this.stopAll(runOver());
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    this.#armedAt = Number.NEGATIVE_INFINITY;
  }

  readonly #owner = {
    release: (call: ForeignCall<unknown>): void => {
      this.#seenAt = undefined;
      if (this.#calls.at(-1) === call) this.#calls.pop();
      else this.#calls.splice(this.#calls.indexOf(call), 1);
    },
    setTimer: (ms: number, callback: () => void): (() => void) => this.clock.setTimer(ms, callback),
    abandon: (call: AbandonedCall): void => {
      this.events.onAbandoned(call);
    },
    watch: (deadline: number): void => this.#watch(deadline),
  };

  #watch(deadline: number): void {
    if (deadline >= this.#armedAt) return;
    this.#cancelTimer?.();
    const now = this.clock.now();
    this.#armedAt = this.#wasArmed ? deadline : Math.min(deadline, now + this.firstLookMs);
    this.#wasArmed = true;
    const wait = Math.min(this.#armedAt - now, MAX_TIMER_MS);
    this.#cancelTimer = this.clock.setTimer(wait, () => this.#onTimer());
  }

  #onTimer(): void {
    this.#armedAt = Number.POSITIVE_INFINITY;
    this.#cancelTimer = undefined;
    const now = this.clock.now();
    if (now >= this.runDeadline && this.#stopReason === undefined) this.events.onDeadline();
    let nearest = this.#stopReason === undefined ? this.runDeadline : Number.POSITIVE_INFINITY;
    for (const call of [...this.#calls]) {
      if (now >= call.deadline) call.stop(call.spec.timeoutError());
      else nearest = Math.min(nearest, call.deadline);
    }
    this.#watch(nearest);
  }
}

let over: HarnessError | undefined;

/** One error for all runs that are over: making one for each would cost more than the rest of the closing. */
function runOver(): HarnessError {
  over ??= new RuntimeError("The run is over.", { code: "RUN_ABORTED" });
  return over;
}

const SLEEP: CallSpec = {
  as: undefined,
  deadline: Number.POSITIVE_INFINITY,
  timeoutError: () => {
    throw new TypeError("A sleep has no deadline.");
  },
  graceMs: 0,
};

function isThenable<T>(value: T | PromiseLike<T>): value is PromiseLike<T> {
  return (typeof value === "object" || typeof value === "function") && value !== null && "then" in value;
}
