/**
 * Adds, multiplies and raises: whole numbers exactly, all others as doubles.
 *
 * Wing (tools/calculator). A whole number is a BigInt as long as the operation keeps it whole, bounded
 * in its digits, so that no expression costs more than a moment.
 */
import { assertNever } from "../../../util/assert-never.ts";
import { formatCount } from "../../../util/text.ts";
import { type Refusal, refuseAt } from "./refusal.ts";

export type Operator = "+" | "-" | "*" | "/" | "%" | "**";

export type Value = bigint | number;

/** Whole numbers with more digits are refused. */
export const MAX_DIGITS = 10_000;
const MAX_BITS = Math.ceil(MAX_DIGITS * Math.log2(10));
const LIMIT = 10n ** BigInt(MAX_DIGITS);

/** Reads a literal such as `42`, `.5` or `2.5e3`; one that is whole in value becomes exact. */
export function parseNumber(digits: string, index: number): Value {
  const [mantissa = "", exponentText = "0"] = digits.toLowerCase().split("e");
  const [whole = "", fraction = ""] = mantissa.split(".");
  const significant = fraction.replace(/0+$/, "");
  const shift = Number(exponentText) - significant.length;
  const isZero = !/[1-9]/.test(mantissa);
  if (isZero) return 0n;
  if (shift < 0) return notTooSmall(Number(digits), index);
  if (whole.length + significant.length + shift > MAX_DIGITS) throw tooManyDigits(index);
  return BigInt(whole + significant) * 10n ** BigInt(shift);
}

/** Applies a binary operator. `index` is where the operator stands. */
export function applyOperator(operator: Operator, left: Value, right: Value, index: number): Value {
  switch (operator) {
    case "+":
    case "-":
    case "*":
      return simple(operator, left, right, index);
    case "/":
      return divide(left, right, index);
    case "%":
      return remainder(left, right, index);
    case "**":
      return power(left, right, index);
    default:
      return assertNever(operator);
  }
}

function simple(operator: "+" | "-" | "*", left: Value, right: Value, index: number): Value {
  if (typeof left === "bigint" && typeof right === "bigint") {
    if (operator === "+") return bounded(left + right, index);
    if (operator === "-") return bounded(left - right, index);
    if (bitLength(left) + bitLength(right) - 1 > MAX_BITS) throw tooManyDigits(index);
    return bounded(left * right, index);
  }
  const [a, b] = [toDouble(left, index), toDouble(right, index)];
  return settle(operator === "+" ? a + b : operator === "-" ? a - b : a * b, index);
}

function divide(left: Value, right: Value, index: number): Value {
  if (right === 0n) throw refuseAt(index, "Division by zero");
  if (typeof left === "bigint" && typeof right === "bigint") {
    return left % right === 0n ? left / right : divideExactly(left, right, index);
  }
  const [a, b] = [toDouble(left, index), toDouble(right, index)];
  return settle(a / b, index);
}

/** Divides whole numbers of any size, where doubles of them would overflow: 20 digits, then one rounding. */
function divideExactly(left: bigint, right: bigint, index: number): Value {
  const magnitude = (bitLength(left) - bitLength(right)) * Math.log10(2);
  const shift = Math.max(0, 20 - Math.floor(magnitude));
  const scaled = (left * 10n ** BigInt(shift)) / right;
  return settle(notTooSmall(Number(`${scaled}e-${shift}`), index), index);
}

function remainder(left: Value, right: Value, index: number): Value {
  if (right === 0n) throw refuseAt(index, "Remainder of a division by zero");
  if (typeof left === "bigint" && typeof right === "bigint") return left % right;
  return settle(toDouble(left, index) % toDouble(right, index), index);
}

function power(base: Value, exponent: Value, index: number): Value {
  if (base === 0n && exponent < 0) throw refuseAt(index, "Zero to a negative power is a division by zero");
  if (typeof base === "bigint" && typeof exponent === "bigint") {
    if (exponent >= 0n) return wholePower(base, exponent, index);
    return divide(1n, wholePower(base, -exponent, index), index);
  }
  const result = toDouble(base, index) ** toDouble(exponent, index);
  if (Number.isNaN(result)) throw refuseAt(index, "A negative number to a fractional power has no real result");
  return settle(result, index);
}

function wholePower(base: bigint, exponent: bigint, index: number): bigint {
  if (base === 0n || base === 1n) return exponent === 0n ? 1n : base;
  if (base === -1n) return exponent % 2n === 0n ? 1n : -1n;
  // A number of n bits is at least 2^(n-1): this refuses what is surely too long before computing it.
  if (exponent > MAX_BITS || (bitLength(base) - 1) * Number(exponent) > MAX_BITS) throw tooManyDigits(index);
  return bounded(base ** exponent, index);
}

/** A double that happens to be a whole number is one again, exactly; so zero is always `0n`. */
export function settle(result: number, index: number): Value {
  if (Number.isNaN(result)) throw refuseAt(index, "There is no real result");
  if (!Number.isFinite(result)) throw refuseAt(index, "The result is too large for a decimal number");
  return Number.isSafeInteger(result) ? BigInt(result) : result;
}

/** The nearest double. */
export function toDouble(value: Value, index: number): number {
  const double = Number(value);
  if (!Number.isFinite(double)) throw refuseAt(index, "A number is too large to be used with decimals");
  return double;
}

/** What people and models are shown: exact where whole, else without the noise of the 16th digit. */
export function toShown(value: Value): number | string {
  if (typeof value === "number") return Number(value.toPrecision(15));
  const double = Number(value);
  return Number.isSafeInteger(double) ? double : String(value);
}

function notTooSmall(double: number, index: number): number {
  if (double === 0) throw refuseAt(index, "The result is too close to zero to be shown");
  return double;
}

function bounded(value: bigint, index: number): bigint {
  if (value >= LIMIT || value <= -LIMIT) throw tooManyDigits(index);
  return value;
}

function bitLength(value: bigint): number {
  const hex = (value < 0n ? -value : value).toString(16);
  return hex.length * 4 - (Math.clz32(Number.parseInt(hex.slice(0, 1), 16)) - 28);
}

function tooManyDigits(index: number): Refusal {
  return refuseAt(index, `The result would have more than ${formatCount(MAX_DIGITS)} digits, which is refused`);
}
