/**
 * One call into code that is not ours, raced against its deadline and the end of the run.
 *
 * Floor 5 (runtime). The call is told to stop by its signal, whose reason is the typed error; it then
 * has a grace period, after which nobody waits for it any more. What it does later is dropped: its
 * value is never used, its rejection never felt.
 */
import type { AbandonedCall } from "../contract/run.ts";
import { type HarnessError, RuntimeError } from "../errors/index.ts";

/** How a call into foreign code ended. */
export type Outcome<T> =
  | { readonly status: "returned"; readonly value: T }
  | { readonly status: "threw"; readonly error: unknown }
  | { readonly status: "stopped"; readonly reason: HarnessError };

/** What is called, for the record, and how long it may take. */
export interface CallSpec {
  /** How the call is named if it has to be abandoned; `undefined` where that is no news. */
  readonly as: AbandonedCall | undefined;
  /** When it is stopped, in milliseconds since the epoch; `Infinity` for never. */
  readonly deadline: number;
  /** Whose error the timeout is. */
  timeoutError(): HarnessError;
  /** How long it may take to stop; 0 for not at all. */
  readonly graceMs: number;
}

/** What the holder of all running calls does for one of them. */
export interface CallOwner {
  /** The call is over; it need not be watched any longer. */
  release(call: ForeignCall<unknown>): void;
  /** Starts the grace period. */
  setTimer(ms: number, callback: () => void): () => void;
  /** The grace period is over and the call still runs. */
  abandon(as: AbandonedCall): void;
  /** The deadline of a call came nearer. */
  watch(deadline: number): void;
}

/** A running call. */
export class ForeignCall<T> {
  deadline: number;
  #controller: AbortController | undefined;
  #reason: HarnessError | undefined;
  #isOver = false;
  #cancelGrace: (() => void) | undefined;
  #onStop: (() => void) | undefined;
  #outcome: Outcome<T> | undefined;
  #resolve: ((outcome: Outcome<T>) => void) | undefined;

  constructor(
    readonly spec: CallSpec,
    private readonly owner: CallOwner,
  ) {
    this.deadline = spec.deadline;
  }

  /** Made when somebody first reads it: a controller costs more than the rest of the call. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#reason !== undefined) this.#controller.abort(this.#reason);
    }
    return this.#controller.signal;
  }

  /** Whether the call was told to stop, or is over. What it still delivers is to be dropped. */
  get isStopped(): boolean {
    return this.#isOver || this.#reason !== undefined;
  }

  /** @throws HarnessError when the call was told to stop or is over: nothing more may be started for it. */
  checkRunning(): void {
    if (!this.isStopped) return;
    throw (
      this.#reason ?? new RuntimeError("This call is over; nothing more is started for it.", { code: "RUN_ABORTED" })
    );
  }

  /** Moves the deadline; the call showed that it is alive. */
  extendTo(deadline: number): void {
    const isNearer = deadline < this.deadline;
    this.deadline = deadline;
    if (isNearer) this.owner.watch(deadline);
  }

  /** Calls `callback` when the call is told to stop. */
  onStop(callback: () => void): void {
    this.#onStop = callback;
  }

  /** Tells the call to stop. The first reason stands. */
  stop(reason: HarnessError): void {
    if (this.isStopped) return;
    this.#reason = reason;
    this.deadline = Number.POSITIVE_INFINITY;
    // A listener of the host's may throw out of `abort`; in Node it is an uncaught exception of its own.
    this.#controller?.abort(reason);
    this.#onStop?.();
    if (this.#isOver) return;
    if (this.spec.graceMs <= 0) this.#giveUp(reason);
    else this.#cancelGrace = this.owner.setTimer(this.spec.graceMs, () => this.#giveUp(reason));
  }

  /** Takes the end of a call that came back at once, and answers what it counts as. */
  settleNow(outcome: Outcome<T>): Outcome<T> {
    this.#settle(outcome);
    return this.#outcome ?? outcome;
  }

  /** Waits for the end of a call that takes its time. */
  follow(result: PromiseLike<T>): Promise<Outcome<T>> {
    const followed = new Promise<Outcome<T>>((resolve) => {
      if (this.#outcome === undefined) this.#resolve = resolve;
      else resolve(this.#outcome);
    });
    Promise.resolve(result).then(
      (value) => this.#settle({ status: "returned", value }),
      (error: unknown) => this.#settle({ status: "threw", error }),
    );
    return followed;
  }

  /** Takes the call's own end; later ends are dropped. */
  #settle(outcome: Outcome<T>): void {
    if (this.#isOver) return;
    this.#end(this.#reason === undefined ? outcome : { status: "stopped", reason: this.#reason });
  }

  #giveUp(reason: HarnessError): void {
    if (this.#isOver) return;
    if (this.spec.as !== undefined) this.owner.abandon(this.spec.as);
    this.#end({ status: "stopped", reason });
  }

  #end(outcome: Outcome<T>): void {
    this.#isOver = true;
    this.#cancelGrace?.();
    this.owner.release(this as ForeignCall<unknown>);
    this.#outcome = outcome;
    this.#resolve?.(outcome);
  }
}
