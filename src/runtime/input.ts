/**
 * Reads what a run is asked.
 *
 * Floor 5 (runtime). Misuse is a `TypeError` before anything has happened; messages that no provider
 * would take end the run with a `ContextError`, in its record.
 */
import type { AgentContext } from "../context/agent-context.ts";
import { contentText, type Message } from "../contract/message.ts";
import { misuse } from "../util/misuse.ts";
import { cleanText, quoteValue } from "../util/text.ts";

/** What `run` takes: a prompt, messages, or an object with messages. */
export type RunInput = string | readonly Message[] | { readonly messages: readonly Message[] };

/** The messages of an input, and its text for the record. @throws TypeError that says what to write. */
export function readInput(input: RunInput, context: AgentContext): { messages: readonly Message[]; text: string } {
  if (typeof input === "string") {
    if (input.trim() === "")
      throw misuse('The input is empty. Write what the run is to do, for example run("What is 17 + 38?").');
    const content = cleanText(input);
    return { messages: [Object.freeze({ role: "user", content })], text: content };
  }
  const messages: unknown = Array.isArray(input) ? input : (input as { messages?: unknown } | null)?.messages;
  if (!Array.isArray(messages)) {
    throw misuse(`The input must be a string, an array of messages or { messages }, got ${quoteValue(input)}.`);
  }
  if (messages.length === 0 && context.size === 0) {
    throw misuse('The input has no messages. Give at least one, for example { role: "user", content: "…" }.');
  }
  return { messages, text: textOf(messages as readonly Message[]) };
}

function textOf(messages: readonly Message[]): string {
  const last = messages.findLast((message) => message?.role === "user");
  const content = last?.content;
  return typeof content === "string" || Array.isArray(content) ? cleanText(contentText(content)) : "";
}

/**
 * Adds the messages of an input to a context. Calls that were left open, by a crash or a cut, are
 * answered as "unknown", so that the history can be sent.
 *
 * @throws ContextError when a message is malformed or may not stand where it does.
 */
export function addInput(context: AgentContext, messages: readonly Message[]): void {
  for (const message of messages) {
    if (message?.role !== "tool") context.closeOpenCalls(OPEN_CALL);
    context.add(message);
  }
  context.closeOpenCalls(OPEN_CALL);
}

const OPEN_CALL = "No result was recorded for this call; whether it had an effect is unknown.";
