import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { evaluate } from "../../../src/adapters/tools/calculator/evaluate.ts";
import { calculator } from "../../../src/adapters/tools/calculator/index.ts";
import type { ToolContext } from "../../../src/contract/tool.ts";

/** The value of an expression; fails the test where there is none. */
function resultOf(expression: string): number | string {
  const evaluation = evaluate(expression);
  if (!evaluation.ok) throw new Error(`${expression}: ${evaluation.problem}`);
  return evaluation.value;
}

/** Why an expression has no value; fails the test where it has one. */
function problemOf(expression: string): string {
  const evaluation = evaluate(expression);
  if (evaluation.ok) throw new Error(`${expression} = ${evaluation.value}`);
  return evaluation.problem;
}

const context: ToolContext = {
  signal: new AbortController().signal,
  runId: "run",
  callId: "call",
  attempt: 1,
  deadline: Number.POSITIVE_INFINITY,
  idempotencyKey: "run/call",
  report: () => undefined,
};

describe("the calculator's values", () => {
  it.each([
    ["2**3", 8],
    ["2^3", 8],
    ["(1+2)*3", 9],
    ["17 * 38", 646],
    ["2 + 3 * 4", 14],
    ["2 * 3 + 4", 10],
    ["10 - 4 - 3", 3],
    ["100 / 10 / 2", 5],
    ["2 ** 3 ** 2", 512],
    ["-2 ** 2", -4],
    ["2 ** -1", 0.5],
    ["(-2) ** 3", -8],
    ["--3", 3],
    ["2 - -3", 5],
    ["+4", 4],
    ["7 % 3", 1],
    ["-7 % 3", -1],
    ["7 / 2", 3.5],
    ["6 / 3", 2],
    [".5 + 1.", 1.5],
    ["1e3", 1000],
    ["2.5e3", 2500],
    ["1.5e-3", 0.0015],
    ["5.0 / 2", 2.5],
    ["0 * -1", 0],
    ["0 ** 0", 1],
  ])("works out %s", (expression, value) => {
    expect(resultOf(expression)).toBe(value);
  });

  it.each([
    ["sqrt(16)", 4],
    ["sqrt(3)", 1.73205080756888],
    ["abs(-3)", 3],
    ["abs(-0.5)", 0.5],
    ["round(2.5)", 3],
    ["round(-2.5)", -3],
    ["round(1.005, 2)", 1.01],
    ["floor(-1.5)", -2],
    ["ceil(1.2)", 2],
    ["min(3, 1, 2)", 1],
    ["max(1,234)", 234],
    ["max((1,234), 5)", 1234],
    ["ln(e)", 1],
    ["log(1000)", 3],
    ["exp(0)", 1],
    ["sin(0)", 0],
    ["cos(PI)", -1],
    ["tan(0)", 0],
    ["2 * pi", 6.28318530717959],
  ])("knows functions and constants: %s", (expression, value) => {
    expect(resultOf(expression)).toBe(value);
  });

  it.each([
    ["17 × 38", 646],
    ["7 ÷ 2", 3.5],
    ["5 − 3", 2],
    ["（１＋２）＊３", 9],
    ["2·π", 6.28318530717959],
    ["1,234,567 + 1", 1_234_568],
  ])("reads signs as people type them: %s", (expression, value) => {
    expect(resultOf(expression)).toBe(value);
  });

  it.each([
    ["0.1 + 0.2", 0.3],
    ["0.1 * 3", 0.3],
    ["1.1 * 1.1", 1.21],
    ["0.5 + 0.5", 1],
  ])("shows no noise of binary fractions: %s", (expression, value) => {
    expect(resultOf(expression)).toBe(value);
  });

  it("keeps whole numbers exact at any size", () => {
    expect(resultOf("2 ** 100")).toBe("1267650600228229401496703205376");
    expect(resultOf("12345678901234567890 * 98765432109876543210")).toBe("1219326311370217952237463801111263526900");
    expect(resultOf("10**30 + 1 - 10**30")).toBe(1);
    expect(resultOf("1e20 + 1")).toBe("100000000000000000001");
  });

  it("divides whole numbers that are too large for doubles", () => {
    expect(resultOf("10**400 / (3 * 10**399)")).toBe(3.33333333333333);
    expect(resultOf("1 / 3")).toBe(0.333333333333333);
  });

  it("gives a whole number as digits only beyond the safe range", () => {
    expect(resultOf("2**53 - 1")).toBe(9007199254740991);
    expect(resultOf("2**53")).toBe("9007199254740992");
    expect(resultOf("-2**53")).toBe("-9007199254740992");
  });
});

describe("the calculator's refusals", () => {
  it.each([
    ["1+", "A number is missing at the end (at position 3)."],
    ["1/0", "Division by zero (at position 2)."],
    ["1.5/0", "Division by zero (at position 4)."],
    ["5 % 0", "Remainder of a division by zero (at position 3)."],
    ["0 ** -1", "Zero to a negative power is a division by zero (at position 3)."],
    ["(1+2", 'A ")" is missing for the "(" (at position 1).'],
    ["1+2)", 'Found ")" that closes nothing (at position 4).'],
    ["2 3", "An operator is missing before the number 3 (at position 3)."],
    ["2pi", 'An operator is missing before "pi" (at position 2).'],
    ["1,5", 'Found "," outside a function; a decimal sign is "." (at position 2).'],
    ["2 */ 3", 'Expected a number, found "/" (at position 4).'],
    ["()", 'Expected a number, found ")" (at position 2).'],
    ["(1 2)", 'Expected an operator or ")", found the number 2 (at position 4).'],
    ["max(1 2)", 'Expected an operator, "," or ")", found the number 2 (at position 7).'],
    ["max(1, 2", 'A ")" is missing for the "(" (at position 4).'],
    ["max()", 'Expected a number, found ")" (at position 5).'],
    ["sqrt 2", "sqrt needs its value in parentheses, as in sqrt(2) (at position 1)."],
    ["sqrt(1, 2)", "sqrt takes one value, got 2 (at position 1)."],
    ["round(1, 2, 3)", "round takes one or two values, got 3 (at position 1)."],
    ["round(1.5, 0.5)", "round(x, places) takes whole places from 0 to 15 (at position 1)."],
    ["20%", 'A number is missing after "%"; it is the remainder, for 20 percent write 20/100 (at position 3).'],
    ["1+1=", 'Give the expression alone, without "=": found "=" (at position 4).'],
    ["1 + $5", 'Expected a number, an operator or a function, found "$" (at position 5).'],
    ["1 + 😀", 'Expected a number, an operator or a function, found "😀" (at position 5).'],
    ["sqrt(-1)", "The square root of a negative number is not real (at position 1)."],
    ["ln(0)", "A logarithm needs a number above zero (at position 1)."],
    ["(-8) ** 0.5", "A negative number to a fractional power has no real result (at position 6)."],
    ["exp(1000)", "The result is too large for a decimal number (at position 1)."],
    ["10**400 * 1.5", "A number is too large to be used with decimals (at position 9)."],
    ["1e-999", "The result is too close to zero to be shown (at position 1)."],
    ["   ", "The expression is empty. Give one such as (1 + 2) * 3."],
  ])("says of %s what is wrong and where", (expression, problem) => {
    expect(problemOf(expression)).toBe(problem);
  });

  it("names the nearest function and lists the others", () => {
    expect(problemOf("sqr(4)")).toMatch(
      /^Unknown name "sqr": did you mean sqrt\? known are sqrt, ln, .*\(at position 1\)/,
    );
    expect(problemOf("constructor(4)")).toMatch(/^Unknown name "constructor": known are/);
  });

  it.each(["9**9**9", "2**99999999999999999999", "10**10000", "1e10000", "9**9999 * 9**9999", "10**9999 * 10"])(
    "refuses %s for its digits, at once",
    (expression) => {
      const start = performance.now();
      expect(problemOf(expression)).toContain("more than 10,000 digits");
      expect(performance.now() - start).toBeLessThan(500);
    },
  );

  it("takes the longest number that is allowed", () => {
    expect(String(resultOf("10**10000 - 1".replace("10000", "9999"))).length).toBe(9_999);
    expect(String(resultOf("2**33219")).length).toBe(10_000);
  });

  it.each([
    ["parentheses", "(".repeat(5_000)],
    ["powers", `${"2**".repeat(3_000)}1`],
    ["functions", "abs(".repeat(2_000)],
  ])("refuses deep nesting of %s", (_, expression) => {
    expect(problemOf(expression)).toContain("Nested more than 200 levels deep");
  });

  it("refuses an expression that is too long", () => {
    expect(problemOf("1+".repeat(6_000))).toBe("The expression has 12,000 characters; at most 10,000 are taken.");
  });
});

describe("the calculator, whatever it is given", () => {
  it("never throws, and always gives a value or a reason", () => {
    const soup = fc
      .array(
        fc.constantFrom("1", "0", "2.5", "(", ")", "+", "-", "*", "/", "%", "**", "^", ",", "e", "sqrt", "min(", " "),
      )
      .map((parts) => parts.join(""));
    fc.assert(
      fc.property(fc.oneof(soup, fc.string({ unit: "binary" }), fc.string()), (text) => {
        const evaluation = evaluate(text);
        return evaluation.ok
          ? typeof evaluation.value === "string" || Number.isFinite(evaluation.value)
          : evaluation.problem.length > 0;
      }),
      { numRuns: 2_000 },
    );
  });

  it("agrees with JavaScript on doubles", () => {
    /** `size` bounds every value on the way, and so the rounding of the doubles we compare with. */
    type Sum = { readonly text: string; readonly value: number; readonly size: number };
    const leaf = fc.integer({ min: -99, max: 999 }).map((n): Sum => {
      return { text: n < 0 ? `(${n})` : `${n}`, value: n, size: Math.abs(n) };
    });
    const join = ([left, operator, right]: [Sum, string, Sum]): Sum => ({
      text: `(${left.text} ${operator} ${right.text})`,
      value:
        operator === "*"
          ? left.value * right.value
          : operator === "+"
            ? left.value + right.value
            : left.value - right.value,
      size: operator === "*" ? left.size * right.size : left.size + right.size,
    });
    const share = ([left, n]: [Sum, number]): Sum => {
      return { text: `(${left.text} / ${n})`, value: left.value / n, size: left.size / n };
    };
    const { sum } = fc.letrec<{ sum: Sum }>((tie) => ({
      sum: fc.oneof(
        { maxDepth: 4, withCrossShrink: true },
        leaf,
        fc.tuple(tie("sum"), fc.constantFrom("+", "-", "*"), tie("sum")).map(join),
        fc.tuple(tie("sum"), fc.integer({ min: 1, max: 99 })).map(share),
      ),
    }));
    fc.assert(
      fc.property(sum, ({ text, value, size }) => {
        expect(Math.abs(Number(resultOf(text)) - value)).toBeLessThanOrEqual(size * 1e-13);
      }),
      { numRuns: 1_000 },
    );
  });

  it("agrees with BigInt on whole numbers", () => {
    const whole = fc.bigInt({ min: -(10n ** 40n), max: 10n ** 40n });
    fc.assert(
      fc.property(whole, whole, (a, b) => {
        expect(String(resultOf(`${a} + ${b}`))).toBe(String(a + b));
        expect(String(resultOf(`${a} * (${b})`))).toBe(String(a * b));
        if (b !== 0n) expect(String(resultOf(`(${a}) % (${b})`))).toBe(String(a % b));
      }),
    );
  });

  it("groups by precedence as written without parentheses", () => {
    const chain = fc.array(fc.tuple(fc.constantFrom("+", "-", "*"), fc.integer({ min: 0, max: 50 })), {
      maxLength: 12,
    });
    fc.assert(
      fc.property(chain, (rest) => {
        let sum = 0n;
        let product = 7n;
        for (const [operator, number] of rest) {
          if (operator === "*") product *= BigInt(number);
          else {
            sum += product;
            product = operator === "-" ? -BigInt(number) : BigInt(number);
          }
        }
        const text = `7${rest.map(([operator, number]) => ` ${operator} ${number}`).join("")}`;
        expect(String(resultOf(text))).toBe(String(sum + product));
      }),
    );
  });

  it("takes a moment at most for the worst that fits", () => {
    for (const expression of [
      "9**9999%7+".repeat(900),
      `${"1+".repeat(4_999)}1`,
      "9".repeat(10_000),
      "-".repeat(10_000),
    ]) {
      const start = performance.now();
      evaluate(expression);
      expect(performance.now() - start).toBeLessThan(3_000);
    }
  });
});

describe("calculator", () => {
  it("is a harmless tool that may be repeated", () => {
    expect(calculator).toMatchObject({ name: "calculator", access: "none", idempotent: true });
    expect(calculator.parameters).toMatchObject({ type: "object", required: ["expression"] });
  });

  it("answers with the value", () => {
    expect(calculator.execute({ expression: "(17 + 38) * 2" }, context)).toEqual({ ok: true, value: 110 });
  });

  it("answers a bad expression with a failure of kind tool that is not worth repeating", () => {
    expect(calculator.execute({ expression: "1/0" }, context)).toEqual({
      ok: false,
      error: "Division by zero (at position 2).",
      kind: "tool",
      retryable: false,
      code: "TOOL_REJECTED",
    });
  });
});
