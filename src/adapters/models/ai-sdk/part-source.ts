/**
 * Waits for what an AI SDK provider gives, under a signal that the provider may ignore.
 *
 * Wing adapters (models/ai-sdk). Several providers end a cancelled stream like a whole one, so that the
 * signal is looked at after every wait.
 */
import { onAbort } from "../../../util/abort.ts";
import { badResponse } from "../http/failures.ts";
import { isRecord } from "../http/json.ts";

/** The parts of a streamed answer. */
export interface PartSource {
  /** The headers of the answer, where the provider tells them. */
  readonly headers: unknown;
  /** The next part, or `undefined` after the last one. Rejects with the signal's reason when it fires. */
  next(): Promise<unknown>;
  /** Gives up the rest. */
  cancel(): void;
}

/** Waits for `pending`, at most until the signal fires; what comes later is dropped. */
export function untilAbort<T>(
  pending: Promise<T>,
  signal: AbortSignal,
  drop: (late: T) => void = () => {},
): Promise<T> {
  return new Promise((resolve, reject) => {
    const stopListening = onAbort(signal, (reason) => {
      reject(reason);
      pending.then(drop, () => {});
    });
    pending.then(resolve, reject).finally(stopListening);
  });
}

/** Opens the stream of a `doStream` result. */
export async function openParts(pending: Promise<unknown>, signal: AbortSignal): Promise<PartSource> {
  const result = await untilAbort(
    pending,
    signal,
    (late) =>
      void streamOf(late)
        ?.cancel()
        .catch(() => {}),
  );
  const stream = streamOf(result);
  if (stream === undefined) throw badResponse("The AI SDK model's doStream gave no stream.");
  const reader = stream.getReader();
  const cancel = () => {
    stopListening();
    reader.cancel(signal.reason).catch(() => {});
  };
  const stopListening = onAbort(signal, cancel);
  const response = isRecord(result) ? result["response"] : undefined;
  return {
    headers: isRecord(response) ? response["headers"] : undefined,
    next: async () => {
      signal.throwIfAborted();
      const { done, value } = await reader.read();
      signal.throwIfAborted();
      return done ? undefined : value;
    },
    cancel,
  };
}

function streamOf(result: unknown): ReadableStream<unknown> | undefined {
  const stream = isRecord(result) ? result["stream"] : undefined;
  const isStream = typeof stream === "object" && stream !== null && "getReader" in stream;
  return isStream ? (stream as ReadableStream<unknown>) : undefined;
}
