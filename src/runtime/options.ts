/**
 * The options of a runtime: optional outside, complete and checked inside.
 *
 * Floor 5 (runtime).
 */
import type { Effects } from "../contract/effects.ts";
import type { Model, ModelLike, ModelSettings, Usage } from "../contract/model.ts";
import type { Permission } from "../contract/permission.ts";
import type { Plugin } from "../contract/plugin.ts";
import type { Store } from "../contract/store.ts";
import type { AnyTool } from "../contract/tool.ts";
import type { ErrorCode } from "../errors/index.ts";
import { ToolRegistry } from "../registry/tool-registry.ts";
import { type RetryOptions, type RetryPolicy, resolveRetry } from "../retry/policy.ts";
import { type Clock, systemClock } from "../util/clock.ts";
import { freezeJson, toJson } from "../util/json.ts";
import {
  checkFunction,
  checkList,
  checkMethods,
  checkPermission,
  checkPlugins,
  checkSignal,
  checkStore,
  checkText,
  finite,
  limit,
  milliseconds,
  toModel,
  wholeNumber,
} from "./check-options.ts";

/** A model that takes over when the ones before it failed for good. */
export type Fallback = ModelLike | { readonly model: ModelLike; readonly on: readonly ErrorCode[] };

/** What a run may use up. */
export interface LimitOptions {
  /** Most tool calls. @defaultValue no limit */
  readonly toolCalls?: number | undefined;
  /** Most tokens, input and output together. @defaultValue no limit */
  readonly tokens?: number | undefined;
  /** Most cost in US dollars; needs `price`. @defaultValue no limit */
  readonly costUsd?: number | undefined;
  /** Failed tool calls in a row that end the run. 0: no limit. @defaultValue 5 */
  readonly consecutiveToolFailures?: number | undefined;
  /** How often one call may have one and the same outcome. 0: no limit. @defaultValue 5 */
  readonly identicalCalls?: number | undefined;
}

/** What `createRuntime` takes. Times are milliseconds; 0 and `Infinity` mean no limit. */
export interface RuntimeOptions {
  /** Thinks. An adapter, an object with `generate`, or a bare function. */
  readonly model: ModelLike;
  /** Tools by hand; `tools` are added to it. @defaultValue a new registry */
  readonly registry?: ToolRegistry | undefined;
  readonly tools?: readonly AnyTool[] | undefined;
  /** Instructions to the model, before every history. A run may replace them. */
  readonly system?: string | undefined;
  /** Settings for every model call. */
  readonly settings?: ModelSettings | undefined;
  /** Most turns (model calls) in one run. @defaultValue 20 */
  readonly maxSteps?: number | undefined;
  /** Longest time of a run. @defaultValue 600_000 */
  readonly timeoutMs?: number | undefined;
  /** Longest wait for one model call. @defaultValue 300_000 */
  readonly modelTimeoutMs?: number | undefined;
  /** Longest silence within a streamed answer, its beginning included. @defaultValue 60_000 */
  readonly streamIdleMs?: number | undefined;
  /** Longest time of one tool call where the tool names none. @defaultValue 60_000 */
  readonly toolTimeoutMs?: number | undefined;
  /** How long a call that was told to stop may take to do so, before the run goes on without it. 0: not at all. @defaultValue 100 */
  readonly graceMs?: number | undefined;
  readonly retry?: RetryOptions | undefined;
  readonly limits?: LimitOptions | undefined;
  /** The cost of one model call in US dollars, by your prices. */
  readonly price?: ((usage: Usage, model: string) => number) | undefined;
  /** Most tool calls at a time. @defaultValue 8 */
  readonly concurrency?: number | undefined;
  /** Who decides which calls may run. @defaultValue tools of access "write" and "exec" are refused */
  readonly permission?: Permission | undefined;
  readonly plugins?: readonly Plugin[] | undefined;
  /** Models that take over, in order, when a call failed for good. */
  readonly fallback?: readonly Fallback[] | undefined;
  readonly effects?: Effects | undefined;
  /** Keeps every run as it happens, so that it survives the process: see `resume` and `session`. */
  readonly store?: Store | undefined;
  /** Longest wait for one call of the store; finite. A run that cannot be written down is stopped. @defaultValue 5_000 */
  readonly storeTimeoutMs?: number | undefined;
  /** Time, for tests. @defaultValue the real clock */
  readonly clock?: Clock | undefined;
  /** Jitter, for tests: a number from 0 up to 1. @defaultValue Math.random */
  readonly random?: (() => number) | undefined;
  /** Aborts every run of this runtime. */
  readonly signal?: AbortSignal | undefined;
}

/** A fallback with its conditions filled in; without codes it takes over after any model failure. */
export interface ResolvedFallback {
  readonly model: Model;
  readonly on: ReadonlySet<string> | undefined;
}

/** Options with every value filled in. No limit is `Infinity`. */
export interface ResolvedOptions {
  readonly model: Model;
  readonly registry: ToolRegistry;
  readonly system: string | undefined;
  readonly settings: ModelSettings | undefined;
  readonly maxSteps: number;
  readonly timeoutMs: number;
  readonly modelTimeoutMs: number;
  readonly streamIdleMs: number;
  readonly toolTimeoutMs: number;
  readonly graceMs: number;
  readonly retry: RetryPolicy;
  readonly limits: Readonly<Record<keyof LimitOptions, number>>;
  readonly price: RuntimeOptions["price"];
  readonly concurrency: number;
  readonly permission: Permission | undefined;
  readonly plugins: readonly Plugin[];
  readonly fallback: readonly ResolvedFallback[];
  readonly effects: Effects | undefined;
  readonly store: Store | undefined;
  readonly storeTimeoutMs: number;
  readonly clock: Clock;
  readonly random: () => number;
  readonly signal: AbortSignal | undefined;
}

/** What a runtime takes where an option is left out. Times are milliseconds. */
export const DEFAULTS = {
  maxSteps: 20,
  timeoutMs: 600_000,
  modelTimeoutMs: 300_000,
  streamIdleMs: 60_000,
  toolTimeoutMs: 60_000,
  graceMs: 100,
  storeTimeoutMs: 5_000,
  concurrency: 8,
  consecutiveToolFailures: 5,
  identicalCalls: 5,
} as const;

/** Fills in and checks the options. @throws TypeError that names the wrong option and what to write. */
export function resolveOptions(options: RuntimeOptions): ResolvedOptions {
  const { limits = {} } = options;
  const registry = options.registry ?? new ToolRegistry();
  for (const tool of checkList("tools", options.tools)) registry.register(tool);
  return {
    model: toModel("model", options.model),
    registry,
    system: checkText("system", options.system),
    settings: options.settings && (freezeJson(toJson(options.settings)) as ModelSettings),
    maxSteps: wholeNumber("maxSteps", options.maxSteps, DEFAULTS.maxSteps),
    timeoutMs: milliseconds("timeoutMs", options.timeoutMs, DEFAULTS.timeoutMs),
    modelTimeoutMs: milliseconds("modelTimeoutMs", options.modelTimeoutMs, DEFAULTS.modelTimeoutMs),
    streamIdleMs: milliseconds("streamIdleMs", options.streamIdleMs, DEFAULTS.streamIdleMs),
    toolTimeoutMs: milliseconds("toolTimeoutMs", options.toolTimeoutMs, DEFAULTS.toolTimeoutMs),
    graceMs: finite("graceMs", options.graceMs, DEFAULTS.graceMs),
    retry: resolveRetry(options.retry),
    limits: {
      toolCalls: limit("limits.toolCalls", limits.toolCalls, Number.POSITIVE_INFINITY),
      tokens: limit("limits.tokens", limits.tokens, Number.POSITIVE_INFINITY),
      costUsd: limit("limits.costUsd", limits.costUsd, Number.POSITIVE_INFINITY),
      consecutiveToolFailures: limit(
        "limits.consecutiveToolFailures",
        limits.consecutiveToolFailures,
        DEFAULTS.consecutiveToolFailures,
      ),
      identicalCalls: limit("limits.identicalCalls", limits.identicalCalls, DEFAULTS.identicalCalls),
    },
    price: checkFunction("price", options.price),
    concurrency: wholeNumber("concurrency", options.concurrency, DEFAULTS.concurrency),
    permission: checkPermission(options.permission),
    plugins: checkPlugins(options.plugins),
    fallback: checkList("fallback", options.fallback).map(resolveFallback),
    effects: checkMethods("effects", options.effects, ["step", "now", "id"]),
    store: checkStore(options.store),
    storeTimeoutMs: finite("storeTimeoutMs", options.storeTimeoutMs, DEFAULTS.storeTimeoutMs, 1),
    clock: checkMethods("clock", options.clock, ["now", "setTimer"]) ?? systemClock,
    random: checkFunction("random", options.random) ?? Math.random,
    signal: checkSignal("signal", options.signal),
  };
}

function resolveFallback(fallback: Fallback, index: number): ResolvedFallback {
  const name = `fallback[${index}]`;
  if (typeof fallback === "object" && fallback !== null && "on" in fallback) {
    return { model: toModel(`${name}.model`, fallback.model), on: new Set(checkList(`${name}.on`, fallback.on)) };
  }
  return { model: toModel(name, fallback), on: undefined };
}
