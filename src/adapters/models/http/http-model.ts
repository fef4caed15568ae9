/**
 * Makes a model of an API that this package does not know, from functions that say how it words things.
 *
 * Wing adapters (models/http): for hosts who write an adapter. What is the same for every API is done here, so
 * that theirs is about names of fields and nothing else.
 */
import type { Model, ModelEvent, ModelRequest, ModelResponse } from "../../../contract/model.ts";
import { misuse } from "../../../util/misuse.ts";
import { quoteValue } from "../../../util/text.ts";
import { apiModel } from "./api-model.ts";
import { type Connection, type ConnectionOptions, resolveConnection } from "./connection.ts";
import { isRecord, writeJson } from "./json.ts";
import { readWorded, WordedReader, type Wording } from "./worded.ts";
import { wordedRequest } from "./worded-request.ts";

/**
 * What {@link httpModel} takes: where the API is, and how it words things.
 *
 * @typeParam Answer - The JSON document of a whole answer, as the API describes it.
 * @typeParam Event - The JSON of one server-sent event, as the API describes it.
 */
export interface HttpModelOptions<Answer = unknown, Event = unknown> extends ConnectionOptions {
  /** Where the API lives. */
  readonly baseUrl: string;
  /** Appended to `baseUrl`, for example "/chat/completions". */
  readonly path: string;
  /**
   * Writes the body of a request. Names of tools are such as providers take, arguments of calls are JSON text,
   * empty lists of calls are left out; members that are `undefined` are not sent.
   */
  readonly toBody: (request: ModelRequest, how: { readonly model: string; readonly stream: boolean }) => object;
  /** Reads a whole answer. Names of tools are turned back. What it throws makes the answer a bad response. */
  readonly toResponse: (answer: Answer) => ModelResponse;
  /**
   * Reads one event of a stream. The answer is whole with its "finish", which is held back until the stream ends.
   * Left out, the model does not stream.
   */
  readonly toEvents?: ((event: Event) => Iterable<ModelEvent>) | undefined;
}

/**
 * A model of your own, over HTTP.
 *
 * The key goes out as `authorization: Bearer …`; an API that wants it elsewhere gets it by `headers`. Every failure
 * is a `ModelError`, or what the signal was aborted with; nothing malformed passes as an answer; one request per
 * call, and no retry.
 *
 * @throws TypeError when an option is not valid, saying what to write instead.
 * @see docs/models.md for one with tools, in twenty lines
 * @example
 * const model = httpModel({
 *   ...{ model: "m", baseUrl: "https://models.example.com/api", apiKey, path: "/talk" },
 *   toBody: ({ messages }) => ({ messages }),
 *   toResponse: ({ text }: { text: string }) => ({ content: text, toolCalls: [] }),
 * });
 */
export function httpModel<Answer, Event = unknown>(options: HttpModelOptions<Answer, Event>): Model {
  const connection = resolveOptions(options);
  const { toBody, toResponse, toEvents } = options;
  const wording: Wording = {
    toResponse: toResponse as (answer: unknown) => ModelResponse,
    toEvents: (toEvents ?? (() => [])) as (event: unknown) => Iterable<ModelEvent>,
  };
  const { name, generate, stream } = apiModel(connection, {
    requestBody: (request, { model, extraBody }, { names, stream: isStream }) =>
      writeJson({ ...toBody(wordedRequest(request, names), { model, stream: isStream }), ...extraBody }),
    readWhole: (text, context) => readWorded(text, wording, context),
    openReader: (context) => new WordedReader(wording, context),
  });
  return toEvents === undefined ? { name, generate } : { name, generate, stream };
}

const OWNER = "httpModel";

function resolveOptions(options: HttpModelOptions<never, never>): Connection {
  const { baseUrl, path, toBody, toResponse, toEvents } = (isRecord(options) ? options : {}) as typeof options;
  const connection = resolveConnection(
    {
      owner: OWNER,
      example: "my-model",
      label: "http",
      baseUrl: "http://localhost",
      path: () => (typeof path === "string" ? path : ""),
      headers: (key): Record<string, string> => (key === undefined ? {} : { authorization: `Bearer ${key}` }),
    },
    options,
  );
  if (baseUrl === undefined) throw misuse(`${OWNER} needs \`baseUrl\`, where the API lives.`);
  if (typeof path !== "string" || !path.startsWith("/")) {
    throw misuse(`${OWNER} needs \`path\`, such as "/chat/completions", got ${quoteValue(path)}.`);
  }
  const functions = { toBody, toResponse, ...(toEvents !== undefined && { toEvents }) };
  for (const [name, value] of Object.entries(functions)) {
    if (typeof value !== "function") throw misuse(`${OWNER} needs \`${name}\`, a function, got ${quoteValue(value)}.`);
  }
  return connection;
}
