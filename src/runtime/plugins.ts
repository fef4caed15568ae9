/**
 * Wraps model and tool calls with the plugins of the host.
 *
 * Floor 5 (runtime). The first plugin is the outermost. An error that a plugin lets through stays what
 * it was; one of its own is RUNTIME_HOOK_THREW.
 */
import type { ToolCall } from "../contract/message.ts";
import type { ModelRequest } from "../contract/model.ts";
import type { NextModel, NextModelOptions, Plugin, PluginCallContext } from "../contract/plugin.ts";
import type { ToolContext, ToolResult } from "../contract/tool.ts";
import { errorMessage, RuntimeError } from "../errors/index.ts";
import { quoteValue } from "../util/text.ts";

type Execute = () => Promise<ToolResult>;

/** The model call with every `wrapModel` around it. */
export function wrapModel(plugins: readonly Plugin[], call: NextModel, context: PluginCallContext): NextModel {
  return plugins.reduceRight<NextModel>((next, plugin) => {
    if (plugin.wrapModel === undefined) return next;
    return (request, outer) => {
      // What an outer plugin asks aside stays aside, whatever the plugins on the way do.
      const inner = remember(async (given: ModelRequest, own?: NextModelOptions) => next(given, { ...outer, ...own }));
      return guardPlugin(plugin, inner, async () => {
        const response = await plugin.wrapModel?.(request, inner.call, context);
        if (typeof response === "object" && response !== null) return response;
        throw new TypeError(`wrapModel gave ${quoteValue(response)}, which is no response. Return what next() gave.`);
      });
    };
  }, call);
}

/** The tool call with every `wrapTool` around it. */
export function wrapTool(plugins: readonly Plugin[], call: ToolCall, execute: Execute, context: ToolContext): Execute {
  return plugins.reduceRight<Execute>((next, plugin) => {
    if (plugin.wrapTool === undefined) return next;
    return () => {
      const inner = remember(async () => next());
      return guardPlugin(plugin, inner, async () => {
        const result = await plugin.wrapTool?.(call, inner.call, context);
        if (typeof result?.ok === "boolean") return result;
        throw new TypeError(`wrapTool gave ${quoteValue(result)}, which is no result. Return what next() gave.`);
      });
    };
  }, execute);
}

interface Remembered<Call> {
  readonly call: Call;
  /** Errors that came from inside, so that one which passes through is told from one of the plugin's own. */
  readonly errors: Set<unknown>;
}

function remember<Arguments extends readonly unknown[], Value>(
  call: (...given: Arguments) => Promise<Value>,
): Remembered<(...given: Arguments) => Promise<Value>> {
  const errors = new Set<unknown>();
  const remembering = (...given: Arguments): Promise<Value> => {
    const result = call(...given);
    // Also keeps the rejection from being unhandled where a plugin does not wait for what it called.
    result.catch((error: unknown) => errors.add(error));
    return result;
  };
  return { call: remembering, errors };
}

async function guardPlugin<Value>(
  plugin: Plugin,
  inner: Remembered<unknown>,
  run: () => Promise<Value>,
): Promise<Value> {
  try {
    return await run();
  } catch (error) {
    if (inner.errors.has(error)) throw error;
    throw new RuntimeError(`The plugin "${plugin.name}" failed: ${errorMessage(error)}`, {
      code: "RUNTIME_HOOK_THREW",
      cause: error,
    });
  }
}
