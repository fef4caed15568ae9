/** The adapter of docs/models.md, word for word. */
import type { FinishReason, Message, ModelFunction } from "harness-kit";
import { modelErrorFromResponse } from "harness-kit/errors";

const REASONS: Record<string, FinishReason> = {
  stop: "stop",
  tool_calls: "toolCalls",
  length: "length",
  content_filter: "filtered",
};

export function myModel({ baseUrl, apiKey }: { baseUrl: string; apiKey: string }): ModelFunction {
  return async ({ messages, tools, settings }, { signal }) => {
    const wire = new Map(tools.map(({ name }, at) => [name, /^[\w-]{1,64}$/.test(name) ? name : `tool_${at}`]));
    const nameOf = (name: string) => [...wire].find(([, sent]) => sent === name)?.[0] ?? name;
    const response = await fetch(`${baseUrl}/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${apiKey}` },
      body: JSON.stringify({
        model: "my-model",
        messages: messages.map((message) => toWire(message, wire)),
        tools:
          tools.length === 0
            ? undefined
            : tools.map((tool) => ({ type: "function", function: { ...tool, name: wire.get(tool.name) } })),
        max_tokens: settings?.maxOutputTokens,
      }),
      signal,
    });
    const body = await response.text();
    const { choices, usage } = response.ok ? JSON.parse(body) : {};
    if (choices === undefined)
      throw modelErrorFromResponse({ status: response.status, headers: response.headers, body, secrets: [apiKey] });
    const [{ message, finish_reason }] = choices;
    return {
      content: message.content ?? "",
      toolCalls: (message.tool_calls ?? []).map((call: WireCall) => ({
        id: call.id,
        name: nameOf(call.function.name),
        arguments: call.function.arguments,
      })),
      finishReason: REASONS[finish_reason] ?? "other",
      usage: usage && { inputTokens: usage.prompt_tokens, outputTokens: usage.completion_tokens },
    };
  };
}

interface WireCall {
  id: string;
  function: { name: string; arguments: string };
}

function toWire(message: Message, wire: Map<string, string>): object {
  if (message.role === "tool") return { role: "tool", tool_call_id: message.toolCallId, content: message.content };
  if (message.role !== "assistant" || message.toolCalls === undefined)
    return { role: message.role, content: message.content };
  const calls = message.toolCalls.map(({ id, name, arguments: given }) => ({
    id,
    type: "function",
    function: { name: wire.get(name) ?? name, arguments: typeof given === "string" ? given : JSON.stringify(given) },
  }));
  return { role: "assistant", content: message.content, ...(calls.length > 0 && { tool_calls: calls }) };
}
