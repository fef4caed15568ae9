/**
 * Makes a model of any AI SDK provider's language model.
 *
 * Wing adapters (models/ai-sdk). The AI SDK's own loop and retries are not used: `doGenerate` and `doStream`
 * make one request each.
 */
import type { Model, ModelCallContext, ModelEvent, ModelRequest, ModelResponse } from "../../../contract/model.ts";
import { checkHeaders, isCredentialHeader } from "../http/endpoint.ts";
import { adoptFailure } from "../http/failures.ts";
import { type BatchSource, HEARTBEAT, inBatches } from "../http/in-batches.ts";
import { namesOf } from "../http/tool-calls.ts";
import type { AnswerContext } from "./answer.ts";
import { readResult } from "./generate-result.ts";
import { type AiSdkLanguageModel, type CallSettings, checkLanguageModel } from "./language-model.ts";
import { openParts, type PartSource, untilAbort } from "./part-source.ts";
import { createPartReader, type PartReader } from "./stream-parts.ts";
import { toCallOptions } from "./to-call-options.ts";

/** What {@link aiSdkModel} takes beside the model. */
export interface AiSdkModelOptions {
  /** Given to the provider with every call, by its name: `{ openai: { reasoningEffort: "low" } }`. */
  readonly providerOptions?: Readonly<Record<string, Readonly<Record<string, unknown>>>> | undefined;
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string | undefined>> | undefined;
  /** Shown in records and events. @defaultValue "<provider>:<model>", for example "openai.responses:gpt-5" */
  readonly name?: string | undefined;
}

/**
 * A model of an AI SDK provider.
 *
 * Every failure is a `ModelError`, or what the signal was aborted with. What the provider attached to its
 * reasoning, texts and calls is kept in the history and given back.
 *
 * @throws TypeError when `languageModel` is none, or of an unknown version.
 * @example
 * import { openai } from "@ai-sdk/openai";
 * const model = aiSdkModel(openai("gpt-5"));
 */
export function aiSdkModel(
  languageModel: AiSdkLanguageModel,
  options: AiSdkModelOptions = {},
): Model & Required<Pick<Model, "name" | "stream">> {
  const version = checkLanguageModel(languageModel);
  const headers = checkHeaders("aiSdkModel", options.headers ?? {});
  const secrets = Object.keys(headers).flatMap((name) => (isCredentialHeader(name) ? [headers[name] ?? ""] : []));
  const bound: Bound = {
    languageModel,
    secrets,
    settings: { version, provider: languageModel.provider, headers, providerOptions: options.providerOptions },
  };
  return {
    name: options.name ?? `${languageModel.provider}:${languageModel.modelId}`,
    generate: (request, context) => generate(bound, request, context),
    stream: (request, context) => stream(bound, request, context),
  };
}

interface Bound {
  readonly languageModel: AiSdkLanguageModel;
  readonly settings: CallSettings;
  readonly secrets: readonly string[];
}

async function generate(bound: Bound, request: ModelRequest, { signal }: ModelCallContext): Promise<ModelResponse> {
  try {
    const { context, callOptions } = prepare(bound, request, signal);
    const pending = Promise.resolve(bound.languageModel.doGenerate(callOptions));
    return readResult(await untilAbort(pending, signal), context);
  } catch (error) {
    throw adoptFailure(error, signal, bound.secrets);
  }
}

function stream(
  bound: Bound,
  request: ModelRequest,
  { signal }: ModelCallContext,
): AsyncIterableIterator<ModelEvent, undefined> {
  const open = async (): Promise<BatchSource> => {
    const { context, callOptions } = prepare(bound, request, signal);
    const source = await openParts(Promise.resolve(bound.languageModel.doStream(callOptions)), signal);
    return partBatches(source, createPartReader(context, source.headers));
  };
  return inBatches(open, (error) => adoptFailure(error, signal, bound.secrets));
}

/** The events of one part at a time. */
function partBatches(source: PartSource, reader: PartReader): BatchSource {
  let isOver = false;
  return {
    async next() {
      if (isOver) return undefined;
      const part = await source.next();
      isOver = part === undefined;
      const events = isOver ? reader.end() : reader.read(part);
      return events.length === 0 ? HEARTBEAT : events;
    },
    cancel: source.cancel,
  };
}

function prepare({ settings }: Bound, request: ModelRequest, signal: AbortSignal) {
  signal.throwIfAborted();
  const names = namesOf(request);
  const context: AnswerContext = { names, settings };
  // What all versions of the specification agree on; each takes what it knows.
  return { context, callOptions: { ...toCallOptions(request, settings, names), abortSignal: signal } as never };
}
