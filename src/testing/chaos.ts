/**
 * Makes models, tools, gates, listeners, plugins and effects fail at any point of a run.
 *
 * Testing wing. All wrapped ports share one counter: raise `at` from 1 until nothing fires any more, and
 * every await of the run has failed once.
 */
import type { Effects } from "../contract/effects.ts";
import type { Model, ModelLike } from "../contract/model.ts";
import type { Permission } from "../contract/permission.ts";
import type { Plugin } from "../contract/plugin.ts";
import type { AnyTool } from "../contract/tool.ts";
import { type Clock, systemClock } from "../util/clock.ts";
import { misuse } from "../util/misuse.ts";
import { CUT_JSON, carryOut, FAULTS, type FaultName, HUGE_TEXT } from "./chaos-faults.ts";
import { type Strike, wrapEffects, wrapModel, wrapPermission, wrapPlugin, wrapTool } from "./chaos-ports.ts";

/** Which calls go wrong, and how. */
export interface ChaosPlan {
  /** The calls that fail, counted from 1 over all wrapped ports. 0 fails none and only counts. */
  readonly at: number | readonly number[];
  /** How they fail. */
  readonly fault: FaultName;
  /** Counts, and fails, only calls of ports whose name begins like this: "model", "tool", "stream:chunk". */
  readonly port?: string | undefined;
  /** What "late" waits by. @defaultValue the real clock */
  readonly clock?: Clock | undefined;
  /** How late "late" is, in milliseconds. @defaultValue 3_600_000 */
  readonly lateMs?: number | undefined;
}

/** A call that was made to fail. */
export interface FiredFault {
  readonly port: string;
  readonly at: number;
}

/** Wrappers that share one plan. What they return behaves like what they got, until its turn comes. */
export interface Chaos {
  /** How many calls were counted. */
  readonly calls: number;
  /** The calls that failed so far. */
  readonly fired: readonly FiredFault[];
  /** Wraps a model; each chunk of a stream is a call of its own. */
  model(model: ModelLike): Model;
  /** Wraps a tool. */
  tool(tool: AnyTool): AnyTool;
  /** Wraps a gate, or the function that decides. */
  permission(permission: Permission): Permission;
  /** Wraps what a plugin has of `wrapModel`, `wrapTool` and `onEvent`. */
  plugin(plugin: Plugin): Plugin;
  /** Wraps the effects seam. */
  effects(effects: Effects): Effects;
  /** Wraps any function: a listener, `price`, `shouldRetry`, … */
  call<Given extends readonly unknown[], Value>(
    port: string,
    call: (...given: Given) => Value,
  ): (...given: Given) => Value;
}

/**
 * Makes wrappers that fail by a plan.
 *
 * @throws TypeError when the fault has no such name.
 * @example
 * for (let at = 1; ; at++) {
 *   const storm = chaos({ at, fault: "throwNull" });
 *   const runtime = createRuntime({ model: storm.model(model), tools: [storm.tool(add)] });
 *   const run = await runtime.run("Add 1 and 2.");
 *   assertRunInvariants(run);
 *   if (storm.fired.length === 0) break;
 * }
 */
export function chaos(plan: ChaosPlan): Chaos {
  if (!FAULTS.includes(plan.fault)) {
    throw misuse(`There is no fault "${String(plan.fault)}". Write one of ${FAULTS.join(", ")}.`);
  }
  const fired: FiredFault[] = [];
  let calls = 0;
  const strike: Strike = (port, call, shape = {}) => {
    if (plan.port !== undefined && !port.startsWith(plan.port)) return call();
    const at = ++calls;
    if (!isHit(plan.at, at)) return call();
    fired.push({ port, at });
    return carryOut(plan.fault, {
      call,
      huge: shape.huge ?? (() => HUGE_TEXT),
      badJson: shape.badJson ?? (() => CUT_JSON),
      halfStream: shape.halfStream ?? (() => undefined),
      clock: plan.clock ?? systemClock,
      lateMs: plan.lateMs ?? 3_600_000,
    });
  };
  return {
    get calls() {
      return calls;
    },
    fired,
    model: (model) => wrapModel(strike, model),
    tool: (tool) => wrapTool(strike, tool),
    permission: (permission) => wrapPermission(strike, permission),
    plugin: (plugin) => wrapPlugin(strike, plugin),
    effects: (effects) => wrapEffects(strike, effects),
    call:
      (port, call) =>
      (...given) =>
        strike(port, () => call(...given)) as ReturnType<typeof call>,
  };
}

function isHit(planned: ChaosPlan["at"], at: number): boolean {
  return typeof planned === "number" ? planned === at : planned.includes(at);
}
