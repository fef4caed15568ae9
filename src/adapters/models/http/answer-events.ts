/**
 * Writes a whole answer as the events of a stream, for a server that does not stream.
 *
 * Wing adapters (models, shared base).
 */
import type { ModelEvent, ModelResponse } from "../../../contract/model.ts";
import { present } from "./json.ts";
import { argumentsText } from "./tool-calls.ts";

/** The events, "finish" last. */
export function answerEvents(answer: ModelResponse): ModelEvent[] {
  return [
    ...(answer.reasoning ?? []).map((block): ModelEvent => ({ type: "reasoning", ...block })),
    ...(answer.content === "" ? [] : [{ type: "text", text: answer.content } as const]),
    ...answer.toolCalls.map((call, index): ModelEvent => {
      const text = typeof call.arguments === "string" ? call.arguments : argumentsText(call);
      return { type: "toolCall", index, id: call.id, name: call.name, arguments: text };
    }),
    ...(answer.usage === undefined ? [] : [{ type: "usage", usage: answer.usage } as const]),
    {
      type: "finish",
      finishReason: answer.finishReason ?? "other",
      ...present("model", answer.model),
      ...present("requestId", answer.requestId),
    },
  ];
}
