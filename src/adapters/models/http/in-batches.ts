/**
 * Gives events one by one from a source that has them in batches.
 *
 * Wing adapters (models, shared base). By hand instead of by an async generator: that waits three times for
 * each event, which was most of what an adapter cost per chunk, and while it waits it cannot be left.
 */
import type { ModelEvent } from "../../../contract/model.ts";

/** Where the events come from. */
export interface BatchSource {
  /** The next events, at least one; `undefined` after the last. Not called again after that, or after a failure. */
  next(): Promise<readonly ModelEvent[] | undefined>;
  /** Gives up what is left, if anything is; a `next` that is waiting settles. May be called more than once. */
  cancel(): void;
}

/** The batch of a source that heard something, but nothing that belongs to the answer. */
export const HEARTBEAT: readonly ModelEvent[] = Object.freeze([Object.freeze({ type: "heartbeat" } as const)]);

type Step = IteratorResult<ModelEvent, undefined>;

const OVER: Step = Object.freeze({ done: true, value: undefined });

/**
 * Can be read once, and left at any time.
 *
 * @param open - Called when the first event is asked for.
 * @param adopt - Turns what `open` or the source threw into what the reader gets.
 */
export function inBatches(
  open: () => Promise<BatchSource>,
  adopt: (error: unknown) => unknown,
): AsyncIterableIterator<ModelEvent, undefined> {
  return new Events(open, adopt);
}

class Events implements AsyncIterableIterator<ModelEvent, undefined> {
  #source: BatchSource | undefined;
  #batch: readonly ModelEvent[] = [];
  #at = 0;
  #isOver = false;
  #waiting: Promise<Step> | undefined;

  constructor(
    private readonly open: () => Promise<BatchSource>,
    private readonly adopt: (error: unknown) => unknown,
  ) {}

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<Step> {
    // Whoever asks while another waits, takes what comes after that one.
    if (this.#waiting !== undefined) return this.#waiting.then(this.#next, this.#next);
    const value = this.#batch[this.#at++];
    if (value !== undefined) return Promise.resolve({ done: false, value });
    if (this.#isOver) return Promise.resolve(OVER);
    this.#waiting = this.#pull();
    return this.#waiting;
  }

  return(): Promise<Step> {
    this.#end();
    return Promise.resolve(OVER);
  }

  readonly #next = () => this.next();

  async #pull(): Promise<Step> {
    try {
      this.#source ??= await this.open();
      const batch = this.#isOver ? undefined : await this.#source.next();
      const value = this.#isOver ? undefined : batch?.[0];
      if (batch === undefined || value === undefined) return this.#end();
      this.#batch = batch;
      this.#at = 1;
      return { done: false, value };
    } catch (error) {
      // Nobody wants to know how a stream failed that was left.
      if (this.#isOver) return OVER;
      this.#end();
      throw this.adopt(error);
    } finally {
      this.#waiting = undefined;
    }
  }

  #end(): Step {
    this.#isOver = true;
    this.#batch = [];
    this.#source?.cancel();
    return OVER;
  }
}
