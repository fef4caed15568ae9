/**
 * Records what a model answers, and answers from the recording later: a real conversation as a test.
 *
 * Testing wing (Node). One JSON line a call. Requests are kept as a checksum and their last message, not
 * as a whole: enough to notice that a replay asks something else.
 */
import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { contentText } from "../contract/message.ts";
import {
  type Model,
  type ModelCallContext,
  type ModelLike,
  type ModelRequest,
  type ModelResponse,
  nameOf,
} from "../contract/model.ts";
import { deserializeError, ModelError, type SerializedError, serializeError, toHarnessError } from "../errors/index.ts";
import { crc32 } from "../util/checksum.ts";
import { canonicalJson, toJson } from "../util/json.ts";
import { misuse } from "../util/misuse.ts";
import { clipEnd, quoteValue } from "../util/text.ts";

/** One recorded call. */
interface RecordedCall {
  /** CRC-32 of the request's messages, tool names and settings. */
  readonly request: string;
  /** The start of the last message, for people. */
  readonly asked: string;
  readonly response?: ModelResponse;
  readonly error?: SerializedError;
}

/**
 * Wraps a model and writes every answer and every failure to `file`, which is emptied first. The
 * recording holds the model's answers in full: do not commit what is secret in them.
 */
export function recordModel(model: ModelLike, file: string): Model {
  writeFileSync(file, "");
  const inner: Model =
    typeof model === "function" ? { generate: async (request, context) => model(request, context) } : model;
  const generate = async (request: ModelRequest, context: ModelCallContext): Promise<ModelResponse> => {
    const about = describe(request);
    try {
      const response = await inner.generate(request, context);
      append(file, { ...about, response: toJson(response) as unknown as ModelResponse });
      return response;
    } catch (error) {
      append(file, { ...about, error: serializeError(toHarnessError(error, "model")) });
      throw error;
    }
  };
  return { name: nameOf(inner), generate };
}

/**
 * Answers from a recording, call by call, failures included.
 *
 * @throws TypeError when the file is no recording. A call that differs from the recorded one, or that
 * comes after the last one, fails with MODEL_INVALID_REQUEST and says what was expected.
 */
export function replayModel(file: string): Model {
  const calls = readRecording(file);
  let next = 0;
  const generate = async (request: ModelRequest): Promise<ModelResponse> => {
    const index = next++;
    const recorded = calls[index];
    const about = describe(request);
    if (recorded === undefined)
      throw differs(`The recording ${file} ends after ${calls.length} calls; this is call ${index + 1}.`);
    if (recorded.request !== about.request) {
      throw differs(
        `Call ${index + 1} differs from the recording ${file}: it recorded a request that ends in ${quoteValue(recorded.asked)}, ` +
          `this one ends in ${quoteValue(about.asked)}. Record it again if the change is right.`,
      );
    }
    if (recorded.error !== undefined) throw deserializeError(recorded.error);
    return recorded.response as ModelResponse;
  };
  return { name: "replay", generate };
}

function append(file: string, call: RecordedCall): void {
  appendFileSync(file, `${JSON.stringify(call)}\n`);
}

function describe({ messages, tools, settings }: ModelRequest): Pick<RecordedCall, "request" | "asked"> {
  const content = messages.at(-1)?.content ?? "";
  const facts = { messages, tools: tools.map((tool) => tool.name), settings: settings ?? null };
  return { request: crc32(canonicalJson(toJson(facts))), asked: clipEnd(contentText(content), 200) };
}

function readRecording(file: string): RecordedCall[] {
  const lines = readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line !== "");
  return lines.map((line, index) => {
    try {
      const call = JSON.parse(line) as RecordedCall;
      if (typeof call.request === "string" && (call.response !== undefined || call.error !== undefined)) return call;
    } catch {
      // Told below, with its place.
    }
    throw misuse(`Line ${index + 1} of ${file} is no recorded call. Record the file again with recordModel.`);
  });
}

function differs(message: string): ModelError {
  return new ModelError(message, { code: "MODEL_INVALID_REQUEST" });
}
