/**
 * Makes a model of an API over HTTP.
 *
 * Wing adapters (models, shared base). One request per call, no retry, no timer: both are the runtime's.
 */
import type { Model, ModelCallContext, ModelEvent, ModelRequest, ModelResponse } from "../../../contract/model.ts";
import { openTextBody, readRest } from "./body.ts";
import type { Connection } from "./connection.ts";
import type { Api } from "./exchange.ts";
import { adoptFailure } from "./failures.ts";
import { inBatches } from "./in-batches.ts";
import { postJson } from "./post.ts";
import { StreamedAnswer } from "./streamed-answer.ts";
import { namesOf } from "./tool-calls.ts";

/** A model that has a name and can stream. */
export type StreamingModel = Model & Required<Pick<Model, "name" | "stream">>;

/**
 * Every failure is a `ModelError` without secrets, or what the signal was aborted with. A stream that is left
 * early closes its connection.
 */
export function apiModel<Settings extends Connection>(settings: Settings, api: Api<Settings>): StreamingModel {
  return {
    name: settings.name,
    generate: (request, context) => generate({ settings, api, request, context }),
    stream: (request, context) => stream({ settings, api, request, context }),
  };
}

interface Call<Settings extends Connection> {
  readonly settings: Settings;
  readonly api: Api<Settings>;
  readonly request: ModelRequest;
  readonly context: ModelCallContext;
}

async function generate<Settings extends Connection>(call: Call<Settings>): Promise<ModelResponse> {
  const { settings, api, context } = call;
  const { signal } = context;
  try {
    const answer = await ask(call, false);
    return api.readWhole(await readRest(openTextBody(answer.response, signal)), answer);
  } catch (error) {
    throw adoptFailure(error, signal, settings.secrets);
  }
}

function stream<Settings extends Connection>(call: Call<Settings>): AsyncIterableIterator<ModelEvent, undefined> {
  const { settings, api, context } = call;
  const { signal } = context;
  const open = async () => {
    const answer = await ask(call, true);
    return new StreamedAnswer({
      body: openTextBody(answer.response, signal),
      reader: api.openReader(answer),
      readWhole: (text) => api.readWhole(text, answer),
      facts: { secrets: settings.secrets, response: answer.response },
      signal,
    });
  };
  return inBatches(open, (error) => adoptFailure(error, signal, settings.secrets));
}

async function ask<Settings extends Connection>({ settings, api, request, context }: Call<Settings>, stream: boolean) {
  const { url, headers, fetch, secrets } = settings;
  const names = namesOf(request);
  const body = api.requestBody(request, settings, { names, stream });
  const accept = stream ? "text/event-stream, application/json" : "application/json";
  const response = await postJson({ url, headers, fetch, secrets, body, accept, signal: context.signal });
  return { settings, names, response };
}
