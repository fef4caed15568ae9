/**
 * Wraps each kind of foreign code so that its calls can be made to fail.
 *
 * Testing wing. Used by `chaos`.
 */
import type { Effects } from "../contract/effects.ts";
import type { Model, ModelEvent, ModelLike, ModelResponse } from "../contract/model.ts";
import type { Permission, PermissionDecision } from "../contract/permission.ts";
import type { Plugin } from "../contract/plugin.ts";
import type { AnyTool } from "../contract/tool.ts";
import { CUT_JSON, HUGE_TEXT } from "./chaos-faults.ts";

/** How one port's own values look when they are huge, broken or cut. */
export interface PortShape {
  readonly huge?: (() => unknown) | undefined;
  readonly badJson?: (() => unknown) | undefined;
  readonly halfStream?: (() => unknown) | undefined;
}

/** Calls a port, or lets it fail when its turn has come. */
export type Strike = (port: string, call: () => unknown, shape?: PortShape) => unknown;

/** Ports "model:generate", "stream:open", "stream:chunk" and "model:classify". */
export function wrapModel(strike: Strike, given: ModelLike): Model {
  const model: Model =
    typeof given === "function" ? { generate: async (request, context) => given(request, context) } : given;
  const { stream, classifyError } = model;
  return {
    ...(model.name !== undefined && { name: model.name }),
    generate: (request, context) => {
      const call = () => model.generate(request, context);
      return strike("model:generate", call, responseShape(call)) as Promise<ModelResponse>;
    },
    ...(stream !== undefined && {
      stream: (request, context) =>
        strike("stream:open", () => chunks(strike, stream.call(model, request, context))) as AsyncIterable<ModelEvent>,
    }),
    ...(classifyError !== undefined && {
      classifyError: (error) =>
        strike("model:classify", () => classifyError.call(model, error)) as ReturnType<typeof classifyError>,
    }),
  };
}

function responseShape(call: () => Promise<ModelResponse>): PortShape {
  return {
    huge: () => ({ content: HUGE_TEXT, toolCalls: [], finishReason: "stop" }),
    badJson: async () => {
      const response = await call();
      return { ...response, toolCalls: response.toolCalls.map((asked) => ({ ...asked, arguments: CUT_JSON })) };
    },
    halfStream: () => ({ content: "half an ans", toolCalls: [], finishReason: "length" }),
  };
}

/** The iterator by hand, so that each `next` is a call of its own. */
function chunks(strike: Strike, stream: AsyncIterable<ModelEvent>): AsyncIterable<ModelEvent> {
  const over = { done: true, value: undefined } as const;
  const shape: PortShape = {
    huge: () => ({ done: false, value: { type: "text", text: HUGE_TEXT } }),
    badJson: () => ({ done: false, value: { type: "toolCall", index: 0, arguments: CUT_JSON } }),
    halfStream: () => over,
  };
  return {
    [Symbol.asyncIterator]() {
      const iterator = stream[Symbol.asyncIterator]();
      return {
        next: () => strike("stream:chunk", () => iterator.next(), shape) as Promise<IteratorResult<ModelEvent>>,
        return: () => strike("stream:return", () => iterator.return?.() ?? over) as Promise<IteratorResult<ModelEvent>>,
      };
    },
  };
}

/** Port "tool:execute". */
export function wrapTool(strike: Strike, tool: AnyTool): AnyTool {
  return { ...tool, execute: (args, context) => strike("tool:execute", () => tool.execute(args, context)) };
}

/** Port "permission:check". */
export function wrapPermission(strike: Strike, permission: Permission): Permission {
  const shape: PortShape = { huge: () => ({ decision: "allow", reason: HUGE_TEXT }) };
  return (call, context) =>
    strike(
      "permission:check",
      () => (typeof permission === "function" ? permission(call, context) : permission.check(call, context)),
      shape,
    ) as PermissionDecision;
}

/** Ports "plugin:wrapModel", "plugin:wrapTool" and "plugin:onEvent". */
export function wrapPlugin(strike: Strike, plugin: Plugin): Plugin {
  const { wrapModel: aroundModel, wrapTool: aroundTool, onEvent } = plugin;
  return {
    name: plugin.name,
    ...(aroundModel !== undefined && {
      wrapModel: (request, next, context) =>
        strike("plugin:wrapModel", () => aroundModel.call(plugin, request, next, context)) as ReturnType<
          typeof aroundModel
        >,
    }),
    ...(aroundTool !== undefined && {
      wrapTool: (call, next, context) =>
        strike("plugin:wrapTool", () => aroundTool.call(plugin, call, next, context)) as ReturnType<typeof aroundTool>,
    }),
    ...(onEvent !== undefined && {
      onEvent: (event) => strike("plugin:onEvent", () => onEvent.call(plugin, event)) as undefined,
    }),
  };
}

/** Ports "effects:step", "effects:now" and "effects:id". */
export function wrapEffects(strike: Strike, effects: Effects): Effects {
  return {
    step: <T>(key: string, run: () => Promise<T>) => strike("effects:step", () => effects.step(key, run)) as Promise<T>,
    now: () => strike("effects:now", () => effects.now()) as number,
    id: () => strike("effects:id", () => effects.id()) as string,
  };
}
