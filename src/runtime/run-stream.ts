/**
 * A run as an async iterable of its events.
 *
 * Floor 5 (runtime). No event is lost: what the consumer has not taken waits in a queue. A consumer that
 * reads but falls behind slows the model's stream down; one that never reads does not hold the run up.
 */
import type { AgentEvent } from "../contract/event.ts";
import type { AgentRun } from "../contract/run.ts";

/** What `runtime.stream` gives: the events as they happen, and the record at the end. */
export interface RunStream extends AsyncIterable<AgentEvent> {
  /** The record. Rejects only for misuse, like `run`. */
  readonly result: Promise<AgentRun>;
  /** Ends the run; the stream then gives its last events. */
  abort(reason?: unknown): void;
}

/** What a consumer that leaves early does to the run. */
export type OnLeave = "abort" | "continue";

/** Events that may wait before the model's stream is slowed down. */
const HIGH_WATER = 256;

/** Keeps events until they are taken. */
export class EventQueue {
  #events: AgentEvent[] = [];
  /** How many of `#events` were taken. */
  #taken = 0;
  #isOver = false;
  #isRead = false;
  #wakeReaders: (() => void)[] = [];
  #wakeWriters: (() => void)[] = [];

  /** Adds an event. */
  readonly push = (event: AgentEvent): void => {
    if (this.#isOver) return;
    this.#events.push(event);
    this.#wakeReaders.shift()?.();
  };

  /** A promise to wait for when a reading consumer is far behind. */
  readonly ready = (): Promise<void> | undefined => {
    if (!this.#isRead || this.#isOver || this.#events.length - this.#taken < HIGH_WATER) return undefined;
    return new Promise((resolve) => this.#wakeWriters.push(resolve));
  };

  /** No further event comes. */
  close(): void {
    this.#isOver = true;
    for (const wake of this.#wakeReaders.splice(0)) wake();
    this.#release();
  }

  /** Nobody reads any more: drops what waits. */
  leave(): void {
    this.#events = [];
    this.#taken = 0;
    this.close();
  }

  /** The next event; `undefined` after the last one. */
  async take(): Promise<AgentEvent | undefined> {
    this.#isRead = true;
    for (;;) {
      const event = this.#events[this.#taken];
      if (event !== undefined) {
        this.#taken++;
        if (this.#taken === this.#events.length) this.#startAgain();
        return event;
      }
      if (this.#isOver) return undefined;
      await new Promise<void>((resolve) => this.#wakeReaders.push(resolve));
    }
  }

  #startAgain(): void {
    this.#events = [];
    this.#taken = 0;
    this.#release();
  }

  #release(): void {
    for (const wake of this.#wakeWriters.splice(0)) wake();
  }
}

/** Makes the stream of a run that is about to start. */
export function openStream(
  start: (queue: EventQueue) => { readonly result: Promise<AgentRun>; abort(reason: unknown): void },
  onLeave: OnLeave,
): RunStream {
  const queue = new EventQueue();
  const { result, abort } = start(queue);
  const close = () => queue.close();
  result.then(close, close);
  let isTaken = false;
  return {
    result,
    abort: (reason) => abort(reason),
    [Symbol.asyncIterator]() {
      if (isTaken) throw new TypeError("The events of a run can be read once. Use runtime.on for a second listener.");
      isTaken = true;
      return readEvents(queue, result, () => {
        queue.leave();
        if (onLeave === "abort") abort("The consumer of the stream left.");
      });
    },
  };
}

/** By hand, not a generator: one would hold `return()` back until the next event comes, which may never be. */
function readEvents(queue: EventQueue, result: Promise<AgentRun>, leave: () => void): AsyncIterator<AgentEvent> {
  const done = { done: true, value: undefined } as const;
  let isOver = false;
  return {
    async next() {
      if (isOver) return done;
      const event = await queue.take();
      if (event !== undefined) return { done: false, value: event };
      if (!isOver) await result;
      isOver = true;
      return done;
    },
    async return() {
      if (!isOver) leave();
      isOver = true;
      return done;
    },
  };
}
