/**
 * Carries one model call over HTTP, whole or streamed; what the bytes mean is the adapter's to say.
 *
 * Wing adapters (models, shared base). One request per call, no retry, no timer: both are the runtime's.
 */
import type { ModelEvent, ModelResponse } from "../../../contract/model.ts";
import { openTextBody, readRest } from "./body.ts";
import type { Exchange } from "./exchange.ts";
import { adoptFailure } from "./failures.ts";
import { inBatches } from "./in-batches.ts";
import { postJson } from "./post.ts";
import { StreamedAnswer } from "./streamed-answer.ts";

/** What stops a call, and what its errors must not quote. */
export interface CallGuard {
  readonly signal: AbortSignal;
  readonly secrets: readonly string[];
}

/** Asks for a whole answer. Rejects with a ModelError, or with what the signal was aborted with. */
export async function askWhole(prepare: () => Exchange, { signal, secrets }: CallGuard): Promise<ModelResponse> {
  try {
    const exchange = prepare();
    const response = await postJson({ ...exchange.request, accept: "application/json", signal });
    return exchange.readWhole(await readRest(openTextBody(response, signal)), response);
  } catch (error) {
    throw adoptFailure(error, signal, secrets);
  }
}

/** Asks for a streamed answer. Leaving it early closes the connection. */
export function askStreamed(
  prepare: () => Exchange,
  { signal, secrets }: CallGuard,
): AsyncIterableIterator<ModelEvent, undefined> {
  const open = async (): Promise<StreamedAnswer> => {
    const exchange = prepare();
    const response = await postJson({ ...exchange.request, accept: "text/event-stream, application/json", signal });
    return new StreamedAnswer({ exchange, response, body: openTextBody(response, signal), signal });
  };
  return inBatches(open, (error) => adoptFailure(error, signal, secrets));
}
