/**
 * Checks single options: each mistake is one sentence that says what to write instead.
 *
 * Floor 5 (runtime).
 */
import type { Model, ModelLike } from "../contract/model.ts";
import { misuse } from "../util/misuse.ts";
import { quoteValue } from "../util/text.ts";

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

/** A grace period: finite, because a run must settle whatever it waits for. */
export function grace(given: number | undefined, fallback: number): number {
  const value = given ?? fallback;
  if (Number.isFinite(value) && value >= 0) return value;
  throw misuse(`graceMs must be a finite number of milliseconds from 0 up, got ${quoteValue(value)}.`);
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

/** A signal, or nothing. */
export function checkSignal(option: string, value: AbortSignal | undefined): AbortSignal | undefined {
  if (value === undefined) return undefined;
  if (
    typeof value === "object" &&
    value !== null &&
    typeof value.aborted === "boolean" &&
    typeof value.addEventListener === "function"
  ) {
    return value;
  }
  throw misuse(
    `${option} must be an AbortSignal, got ${quoteValue(value)}. Pass controller.signal, not the controller.`,
  );
}
