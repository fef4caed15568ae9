/**
 * Checks single options: each mistake is one sentence that says what to write instead.
 *
 * Floor 5 (runtime).
 */
import type { Model, ModelLike } from "../contract/model.ts";
import type { Permission } from "../contract/permission.ts";
import type { Plugin } from "../contract/plugin.ts";
import type { Store } from "../contract/store.ts";
import { isAbortSignal } from "../util/abort.ts";
import { misuse } from "../util/misuse.ts";
import { cleanText, quoteValue } from "../util/text.ts";

/** Makes a model of a function, and refuses what is neither. */
export function toModel(option: string, model: ModelLike): Model {
  if (typeof model === "function") {
    const generate: Model["generate"] = async (request, context) => model(request, context);
    return { name: model.name === "" ? "model" : model.name, generate };
  }
  if (typeof model === "object" && model !== null && typeof model.generate === "function") return model;
  throw misuse(
    `${option} must be a model: an object with generate(request, context), or a function. Got ${quoteValue(model)}. ` +
      'Write for example createRuntime({ model: openaiModel({ model: "gpt-5", apiKey }) }).',
  );
}

/** A whole number from 1 up, or Infinity (also written as 0) for no limit. */
export function wholeNumber(option: string, given: number | undefined, fallback: number): number {
  const value = given ?? fallback;
  if (value === 0) return Number.POSITIVE_INFINITY;
  if (value === Number.POSITIVE_INFINITY || (Number.isInteger(value) && value >= 1)) return value;
  throw misuse(
    `${option} must be a whole number from 1 up, got ${quoteValue(value)}. Leave it out for the default of ${fallback}.`,
  );
}

/** A length in milliseconds; 0 and Infinity mean no limit. */
export function milliseconds(option: string, given: number | undefined, fallback: number): number {
  const value = given ?? fallback;
  if (typeof value !== "number" || !(value >= 0)) {
    throw misuse(
      `${option} must be a number of milliseconds from 0 up (0 for no limit), got ${quoteValue(value)}. ` +
        `Leave it out for the default of ${fallback}.`,
    );
  }
  return value === 0 ? Number.POSITIVE_INFINITY : value;
}

/** A length of time that is finite, because a run must settle whatever it waits for. */
export function finite(option: string, given: number | undefined, fallback: number, least = 0): number {
  const value = given ?? fallback;
  if (Number.isFinite(value) && value >= least) return value;
  throw misuse(`${option} must be a finite number of milliseconds from ${least} up, got ${quoteValue(value)}.`);
}

/** A bound that may be any number from 0 up; 0 means no limit. */
export function limit(option: string, given: number | undefined, fallback: number): number {
  const value = given ?? fallback;
  if (typeof value !== "number" || !(value >= 0)) {
    throw misuse(`${option} must be a number from 0 up (0 for no limit), got ${quoteValue(value)}.`);
  }
  return value === 0 ? Number.POSITIVE_INFINITY : value;
}

/** A list, or nothing. */
export function checkList<T>(option: string, value: readonly T[] | undefined): readonly T[] {
  if (value === undefined) return [];
  if (Array.isArray(value)) return value;
  throw misuse(`${option} must be an array, got ${quoteValue(value)}. Write ${option}: [ … ].`);
}

/** A function, or nothing. */
export function checkFunction<T>(option: string, value: T | undefined): T | undefined {
  if (value === undefined || typeof value === "function") return value;
  throw misuse(`${option} must be a function, got ${quoteValue(value)}.`);
}

/** Text, or nothing. */
export function checkText(option: string, value: string | undefined): string | undefined {
  if (value === undefined || typeof value === "string") return value === undefined ? value : cleanText(value);
  throw misuse(`${option} must be a string, got ${quoteValue(value)}.`);
}

/** An object with these methods, or nothing. */
export function checkMethods<T extends object>(
  option: string,
  value: T | undefined,
  methods: readonly (keyof T & string)[],
): T | undefined {
  if (value === undefined) return value;
  const lacks = (name: keyof T & string) => typeof value[name] !== "function";
  if (typeof value === "object" && value !== null && !methods.some(lacks)) return value;
  throw misuse(
    `${option} must be an object with ${methods.map((name) => `${name}()`).join(", ")}, got ${quoteValue(value)}.`,
  );
}

const STORE_METHODS = [
  ...(["append", "readJournal", "saveRun", "loadRun", "listRuns", "deleteRun", "claim", "lock"] as const),
  ...(["saveSession", "loadSession", "listSessions", "deleteSession"] as const),
];

/** A store, or nothing. */
export function checkStore(value: Store | undefined): Store | undefined {
  return checkMethods("store", value, STORE_METHODS);
}

/** A gate, a function that decides, or nothing. */
export function checkPermission(value: Permission | undefined): Permission | undefined {
  if (value === undefined || typeof value === "function") return value;
  if (typeof value === "object" && value !== null && typeof value.check === "function") return value;
  throw misuse(
    `permission must be a gate or a function that decides, got ${quoteValue(value)}. Write for example permission: allowTools("bash").`,
  );
}

/** Plugins with names and with functions where they have any. */
export function checkPlugins(value: readonly Plugin[] | undefined): readonly Plugin[] {
  const plugins = checkList("plugins", value);
  plugins.forEach((plugin, index) => {
    const isNamed = typeof plugin === "object" && plugin !== null && typeof plugin.name === "string";
    if (!isNamed) throw misuse(`plugins[${index}] must be an object with a name, got ${quoteValue(plugin)}.`);
    for (const hook of ["wrapModel", "wrapTool", "onEvent"] as const)
      checkFunction(`plugins[${index}].${hook}`, plugin[hook]);
  });
  return plugins;
}

/** A signal, or nothing. */
export function checkSignal(option: string, value: AbortSignal | undefined): AbortSignal | undefined {
  if (value === undefined || isAbortSignal(value)) return value;
  throw misuse(
    `${option} must be an AbortSignal, got ${quoteValue(value)}. Pass controller.signal, not the controller.`,
  );
}
