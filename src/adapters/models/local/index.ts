/**
 * The embedded model: a rule-based demo model, not an LLM.
 *
 * Wing (models). It lets a stranger see a whole run without a key or a network, and plans real tool
 * calls: arithmetic with `calculator`, commands with `bash`.
 *
 * @module harness-kit/models/local
 */
import type { Model, ModelEvent, ModelResponse } from "../../../contract/model.ts";
import { answer } from "./answer.ts";
import { LOCAL_MODEL_LABEL } from "./label.ts";

export { LOCAL_MODEL_LABEL };

/**
 * Makes the embedded model. It is deterministic, works offline, and understands arithmetic and commands
 * in English and Chinese; asked for anything else it says what it can do.
 *
 * @example
 * const runtime = createRuntime({ model: localModel(), tools: [calculator] });
 * const run = await runtime.run("what is 17 * 38?");
 */
export function localModel(): Model {
  return {
    name: LOCAL_MODEL_LABEL,
    async generate(request, { signal }) {
      signal.throwIfAborted();
      return answer(request);
    },
    async *stream(request, { signal }) {
      for (const event of eventsOf(answer(request))) {
        signal.throwIfAborted();
        yield event;
      }
    },
  };
}

function* eventsOf(response: ModelResponse): Generator<ModelEvent> {
  for (const text of piecesOf(response.content)) yield { type: "text", text };
  for (const [index, { id, name, arguments: args }] of response.toolCalls.entries()) {
    yield { type: "toolCall", index, id, name, arguments: JSON.stringify(args) };
  }
  yield { type: "finish", finishReason: response.finishReason ?? "stop" };
}

/** Words with the space behind them, and a few characters at a time where there are no spaces. */
function piecesOf(text: string): readonly string[] {
  return text.match(/[\s\S]{1,8}?(?:\s+|$)|[\s\S]{8}/gu) ?? [];
}
