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
  #isOver = false;
  #isRead = false;
  #wakeReader: (() => void) | undefined;
  #wakeWriters: (() => void)[] = [];

  /** Adds an event. */
  readonly push = (event: AgentEvent): void => {
    if (this.#isOver) return;
    this.#events.push(event);
    this.#wakeReader?.();
  };

  /** A promise to wait for when a reading consumer is far behind. */
  readonly ready = (): Promise<void> | undefined => {
    if (!this.#isRead || this.#isOver || this.#events.length < HIGH_WATER) return undefined;
    return new Promise((resolve) => this.#wakeWriters.push(resolve));
  };

  /** No further event comes. */
  close(): void {
    this.#isOver = true;
    this.#wakeReader?.();
    this.#release();
  }

  /** Nobody reads any more: drops what waits. */
  leave(): void {
    this.#events = [];
    this.close();
  }

  /** The events in order; ends after the last one. */
  async *read(): AsyncGenerator<AgentEvent, void, undefined> {
    this.#isRead = true;
    for (;;) {
      const batch = this.#events;
      this.#events = [];
      this.#release();
      yield* batch;
      if (this.#events.length > 0) continue;
      if (this.#isOver) return;
      await new Promise<void>((resolve) => {
        this.#wakeReader = resolve;
      });
      this.#wakeReader = undefined;
    }
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
    async *[Symbol.asyncIterator]() {
      if (isTaken) throw new TypeError("The events of a run can be read once. Use runtime.on for a second listener.");
      isTaken = true;
      let isWhole = false;
      try {
        yield* queue.read();
        isWhole = true;
        await result;
      } finally {
        if (!isWhole) {
          queue.leave();
          if (onLeave === "abort") abort("The consumer of the stream left.");
        }
      }
    },
  };
}
