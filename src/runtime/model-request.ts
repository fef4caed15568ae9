/**
 * Makes the request of one model call.
 *
 * Floor 5 (runtime).
 */
import type { AgentContext } from "../context/agent-context.ts";
import type { Message } from "../contract/message.ts";
import type { ModelRequest, ToolDefinition } from "../contract/model.ts";
import type { Draft } from "../util/draft.ts";
import type { RunScope } from "./run-scope.ts";

/** Longer histories are copied when they are first read: up to here a copy costs less than a getter. */
const LONG_HISTORY = 500;

/** The request of this moment: neither does it grow with the run, nor does the record change with it. */
export function requestOf({ context, before, options, settings }: RunScope): ModelRequest {
  const tools = options.registry.list();
  const { size } = context;
  const request: Draft<ModelRequest> =
    size < LONG_HISTORY
      ? { messages: context.copyAfter(before, size), tools }
      : longRequest({ context, before, size, messages: undefined }, tools);
  if (settings !== undefined) request.settings = settings;
  return request;
}

/** What the messages of a request are copied from, and the copy once it was made. */
interface Source {
  readonly context: AgentContext;
  readonly before: readonly Message[];
  readonly size: number;
  messages: readonly Message[] | undefined;
}

const SOURCE = Symbol("source");

interface LongRequest extends Draft<ModelRequest> {
  readonly [SOURCE]: Source;
}

/**
 * The getter is the request's own, so that the messages come along when a model or a plugin spreads it, and the same
 * for all requests, so that V8 sees objects of one shape: a getter made for each costs five times as much.
 */
const MESSAGES: PropertyDescriptor & ThisType<LongRequest> = {
  enumerable: true,
  configurable: true,
  get() {
    const source = this[SOURCE];
    source.messages ??= source.context.copyAfter(source.before, source.size);
    return source.messages;
  },
  set(messages: readonly Message[]) {
    this[SOURCE].messages = messages;
  },
};

function longRequest(source: Source, tools: readonly ToolDefinition[]): Draft<ModelRequest> {
  const request = { tools } as LongRequest;
  Object.defineProperty(request, SOURCE, { value: source });
  Object.defineProperty(request, "messages", MESSAGES);
  return request;
}
