/**
 * A model that says what its script says.
 *
 * Testing wing. Each model call takes the next turn of the script; every call is remembered.
 */
import type { ToolCall } from "../contract/message.ts";
import type { Model, ModelCallContext, ModelEvent, ModelRequest, ModelResponse } from "../contract/model.ts";
import { misuse } from "../util/misuse.ts";

/** What a turn may leave out. */
export type ScriptedResponse = {
  readonly [Field in keyof ModelResponse]?: ModelResponse[Field] | undefined;
};

/**
 * One turn: text, a response, a thrown value, or a function that gives one of these, now or later.
 * An `Error` is thrown; throw other values from a function.
 */
export type ScriptedTurn =
  | string
  | ScriptedResponse
  | Error
  | ((request: ModelRequest, context: ModelCallContext) => unknown);

/** A model with a memory of what it was asked. */
export interface ScriptedModel extends Model {
  readonly name: string;
  /** What the model was asked, one entry a call, with its own copy of the list of messages. */
  readonly requests: readonly ModelRequest[];
}

/** How a scripted model behaves beside its script. */
export interface ScriptedModelOptions {
  /** @defaultValue "scripted" */
  readonly name?: string | undefined;
  /** Whether the last turn is said again and again when the script is over. @defaultValue false */
  readonly repeatLast?: boolean | undefined;
  /** Whether the model can stream; its text then comes in pieces of this many characters. */
  readonly chunkSize?: number | undefined;
}

/**
 * Makes a model of a script. A call beyond its end throws an error that says so.
 *
 * @example
 * const model = scriptedModel([callTool("add", { a: 1, b: 2 }), "The sum is 3."]);
 */
export function scriptedModel(script: readonly ScriptedTurn[], options: ScriptedModelOptions = {}): ScriptedModel {
  if (!Array.isArray(script) || script.length === 0) throw misuse("scriptedModel needs a list with at least one turn.");
  const requests: ModelRequest[] = [];
  const generate = async (request: ModelRequest, context: ModelCallContext): Promise<ModelResponse> => {
    const index = requests.push({ ...request, messages: [...request.messages] }) - 1;
    const turn = script[index] ?? (options.repeatLast === true ? script.at(-1) : undefined);
    if (turn === undefined) {
      throw new TypeError(
        `The script has ${script.length} turns, this is call ${index + 1}. Add a turn, or set repeatLast.`,
      );
    }
    return respond(turn, request, context);
  };
  const { chunkSize } = options;
  return {
    name: options.name ?? "scripted",
    requests,
    generate,
    ...(chunkSize !== undefined && {
      stream: (request, context) => inPieces(() => generate(request, context), chunkSize),
    }),
  };
}

/** A turn that asks for one tool call. */
export function callTool(name: string, args: unknown = {}, id = ""): ModelResponse {
  return callTools({ id, name, arguments: args });
}

/** A turn that asks for several tool calls at once. */
export function callTools(...toolCalls: readonly ToolCall[]): ModelResponse {
  return { content: "", toolCalls, finishReason: "toolCalls" };
}

async function respond(turn: ScriptedTurn, request: ModelRequest, context: ModelCallContext): Promise<ModelResponse> {
  const said: unknown = typeof turn === "function" ? await turn(request, context) : turn;
  if (said instanceof Error) throw said;
  if (typeof said === "string") return { content: said, toolCalls: [], finishReason: "stop" };
  if (typeof said !== "object" || said === null) return said as ModelResponse;
  const { toolCalls } = said as ScriptedResponse;
  const finishReason = Array.isArray(toolCalls) && toolCalls.length > 0 ? "toolCalls" : "stop";
  return { content: "", toolCalls: [], finishReason, ...said };
}

async function* inPieces(answer: () => Promise<ModelResponse>, size: number): AsyncGenerator<ModelEvent> {
  const { content, toolCalls, finishReason, usage, reasoning = [], model, requestId } = await answer();
  for (const block of reasoning) yield { type: "reasoning", ...block };
  for (let at = 0; at < content.length; at += size) yield { type: "text", text: content.slice(at, at + size) };
  for (const [index, call] of toolCalls.entries()) {
    const text = typeof call.arguments === "string" ? call.arguments : JSON.stringify(call.arguments);
    yield { type: "toolCall", index, id: call.id, name: call.name, arguments: text };
  }
  if (usage !== undefined) yield { type: "usage", usage };
  yield { type: "finish", finishReason: finishReason ?? "stop", model, requestId };
}
