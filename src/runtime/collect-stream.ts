/**
 * Reads a streamed answer to its end and hands its text on while it comes.
 *
 * Floor 5 (runtime).
 */
import type { ModelEvent, ModelResponse } from "../contract/model.ts";
import type { StreamCollector, StreamListener } from "../contract/stream-collector.ts";

/** Who hears of the pieces, and what the reading waits for. */
export interface StreamHooks extends StreamListener {
  /** Called before each event is taken, whatever it is; throws or answers false to end the stream early. */
  mayContinue(): boolean;
  /** A promise to wait for when the consumer is behind. */
  ready(): Promise<void> | undefined;
}

/** Reads a stream to its end. The iterator is closed when the reading ends early. */
export async function collectStream(
  stream: AsyncIterable<ModelEvent> | PromiseLike<AsyncIterable<ModelEvent>>,
  collector: StreamCollector,
  hooks: StreamHooks,
  onIterator: (close: () => void) => void,
): Promise<ModelResponse> {
  // Awaited, because an adapter may need a round trip before its stream is there.
  const iterator = (await stream)[Symbol.asyncIterator]();
  const close = () => void closeQuietly(iterator);
  onIterator(close);
  try {
    for (;;) {
      const next = await iterator.next();
      if (next.done === true) break;
      if (!hooks.mayContinue()) break;
      collector.take(next.value);
      const ready = hooks.ready();
      if (ready !== undefined) await ready;
    }
  } catch (error) {
    close();
    throw error;
  }
  return collector.response();
}

async function closeQuietly(iterator: AsyncIterator<ModelEvent>): Promise<void> {
  try {
    await iterator.return?.();
  } catch {
    // The stream is given up; how its clean-up fails changes nothing.
  }
}
