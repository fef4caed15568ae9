/**
 * The functions and constants an expression may name.
 *
 * Wing (tools/calculator). `log` is to base 10 and angles are radians, as the tool's description says.
 */
import { settle, toDouble, type Value } from "./arithmetic.ts";
import { refuseAt } from "./refusal.ts";

interface MathFunction {
  readonly minArguments: number;
  readonly maxArguments: number;
  apply(values: readonly Value[], index: number): Value;
}

export const CONSTANTS: ReadonlyMap<string, Value> = new Map([
  ["pi", Math.PI],
  ["π", Math.PI],
  ["e", Math.E],
]);

const unlimited = Number.POSITIVE_INFINITY;

export const FUNCTIONS: ReadonlyMap<string, MathFunction> = new Map([
  ["sqrt", onDouble(Math.sqrt, (x) => x >= 0, "The square root of a negative number is not real")],
  ["ln", onDouble(Math.log, (x) => x > 0, "A logarithm needs a number above zero")],
  ["log", onDouble(Math.log10, (x) => x > 0, "A logarithm needs a number above zero")],
  ["exp", onDouble(Math.exp)],
  ["sin", onDouble(Math.sin)],
  ["cos", onDouble(Math.cos)],
  ["tan", onDouble(Math.tan)],
  ["abs", { minArguments: 1, maxArguments: 1, apply: ([x = 0n]) => (x < 0 ? -x : x) }],
  ["floor", onFraction(Math.floor)],
  ["ceil", onFraction(Math.ceil)],
  ["round", { minArguments: 1, maxArguments: 2, apply: round }],
  ["min", { minArguments: 1, maxArguments: unlimited, apply: (values) => pick(values, (a, b) => b < a) }],
  ["max", { minArguments: 1, maxArguments: unlimited, apply: (values) => pick(values, (a, b) => b > a) }],
]);

function pick(values: readonly Value[], isBetter: (best: Value, value: Value) => boolean): Value {
  return values.reduce((best, value) => (isBetter(best, value) ? value : best));
}

function onDouble(compute: (x: number) => number, accepts = (_: number) => true, refusal = ""): MathFunction {
  return {
    minArguments: 1,
    maxArguments: 1,
    apply([value = 0n], index) {
      const x = toDouble(value, index);
      if (!accepts(x)) throw refuseAt(index, refusal);
      return settle(compute(x), index);
    },
  };
}

function onFraction(compute: (x: number) => number): MathFunction {
  return {
    minArguments: 1,
    maxArguments: 1,
    apply: ([value = 0n], index) => (typeof value === "bigint" ? value : settle(compute(value), index)),
  };
}

/** Rounds half away from zero, as people do; `Math.round(-2.5)` would be -2. */
function round([value = 0n, places = 0n]: readonly Value[], index: number): Value {
  if (typeof places !== "bigint" || places < 0n || places > 15n) {
    throw refuseAt(index, "round(x, places) takes whole places from 0 to 15");
  }
  if (typeof value === "bigint") return value;
  const scale = 10 ** Number(places);
  // 1.005 * 100 is 100.49999999999999: the 15 digits that are shown decide, not the noise behind them.
  const scaled = Number((Math.abs(value) * scale).toPrecision(15));
  return settle((Math.sign(value) * Math.round(scaled)) / scale, index);
}
