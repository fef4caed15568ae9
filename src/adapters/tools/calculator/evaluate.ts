/**
 * Works out an expression by precedence climbing, without `eval` or `Function`.
 *
 * Wing (tools/calculator). Total: any text gives a value or the reason why it has none. It computes
 * while it reads, so a long sum is a loop and only nesting costs stack, which is bounded.
 */
import { formatCount, nearest, quoteValue } from "../../../util/text.ts";
import { applyOperator, type Operator, toShown, type Value } from "./arithmetic.ts";
import { CONSTANTS, FUNCTIONS } from "./functions.ts";
import { Refusal, refuseAt } from "./refusal.ts";
import { type Token, tokenize } from "./tokenize.ts";

/** What an expression came to. A whole number beyond 2^53 is given as its digits. */
export type Evaluation =
  | { readonly ok: true; readonly value: number | string }
  | { readonly ok: false; readonly problem: string };

/** Longest expression, in characters. */
export const MAX_EXPRESSION_CHARS = 10_000;
const MAX_DEPTH = 200;

const PRECEDENCE: Readonly<Record<Operator, number>> = { "+": 1, "-": 1, "*": 2, "/": 2, "%": 2, "**": 3 };

/** Evaluates an expression; never throws. */
export function evaluate(expression: string): Evaluation {
  try {
    if (expression.trim() === "") throw new Refusal("The expression is empty. Give one such as (1 + 2) * 3.");
    if (expression.length > MAX_EXPRESSION_CHARS) throw tooLong(expression.length);
    return { ok: true, value: toShown(new Parser(tokenize(expression)).parse()) };
  } catch (error) {
    if (error instanceof Refusal) return { ok: false, problem: error.message };
    throw error;
  }
}

/** Holds the place in the tokens. */
class Parser {
  private next = 0;
  private depth = 0;

  constructor(private readonly tokens: readonly Token[]) {}

  parse(): Value {
    const value = this.parseOperators(1);
    const token = this.peek();
    if (token.type === "end") return value;
    if (token.type === ")") throw refuseAt(token.index, 'Found ")" that closes nothing');
    if (token.type === ",") throw refuseAt(token.index, 'Found "," outside a function; a decimal sign is "."');
    throw refuseAt(token.index, `An operator is missing before ${describe(token)}`);
  }

  private parseOperators(minPrecedence: number): Value {
    if (++this.depth > MAX_DEPTH) {
      throw refuseAt(this.peek().index, `Nested more than ${MAX_DEPTH} levels deep, which is refused`);
    }
    let left = this.parseSigned();
    for (let token = this.peek(); token.type === "operator"; token = this.peek()) {
      const precedence = PRECEDENCE[token.operator];
      if (precedence < minPrecedence) break;
      this.next++;
      this.refuseLonePercent(token);
      // Powers group from the right: 2**3**2 is 2**9.
      const right = this.parseOperators(token.operator === "**" ? precedence : precedence + 1);
      left = applyOperator(token.operator, left, right, token.index);
    }
    this.depth--;
    return left;
  }

  /** A sign binds weaker than a power: -2**2 is -4. */
  private parseSigned(): Value {
    let isSigned = false;
    let isNegative = false;
    for (let token = this.peek(); isSign(token); token = this.peek()) {
      isSigned = true;
      if (token.type === "operator" && token.operator === "-") isNegative = !isNegative;
      this.next++;
    }
    const value = isSigned ? this.parseOperators(PRECEDENCE["**"]) : this.parseOperand();
    return isNegative ? -value : value;
  }

  private parseOperand(): Value {
    const token = this.peek();
    this.next++;
    switch (token.type) {
      case "number":
        return token.value;
      case "(":
        return this.parseUntilClosed(token.index);
      case "name":
        return this.parseName(token.name, token.index);
      case "end":
        throw refuseAt(token.index, "A number is missing at the end");
      default:
        throw refuseAt(token.index, `Expected a number, found ${describe(token)}`);
    }
  }

  private parseUntilClosed(openIndex: number): Value {
    const value = this.parseOperators(1);
    const token = this.peek();
    this.next++;
    if (token.type === ")") return value;
    if (token.type === "end") throw refuseAt(openIndex, 'A ")" is missing for the "("');
    throw refuseAt(token.index, `Expected an operator or ")", found ${describe(token)}`);
  }

  private parseName(name: string, index: number): Value {
    const constant = CONSTANTS.get(name);
    if (constant !== undefined) return constant;
    const known = FUNCTIONS.get(name);
    if (known === undefined) throw unknownName(name, index);
    const values = this.parseArguments(name, index);
    if (values.length < known.minArguments || values.length > known.maxArguments) {
      const range = known.maxArguments === known.minArguments ? "one value" : "one or two values";
      throw refuseAt(index, `${name} takes ${range}, got ${values.length}`);
    }
    return known.apply(values, index);
  }

  private parseArguments(name: string, index: number): Value[] {
    const open = this.peek();
    if (open.type !== "(") throw refuseAt(index, `${name} needs its value in parentheses, as in ${name}(2)`);
    this.next++;
    const values: Value[] = [];
    for (;;) {
      values.push(this.parseOperators(1));
      const end = this.peek();
      this.next++;
      if (end.type === ")") return values;
      if (end.type === "end") throw refuseAt(open.index, 'A ")" is missing for the "("');
      if (end.type !== ",") throw refuseAt(end.index, `Expected an operator, "," or ")", found ${describe(end)}`);
    }
  }

  private refuseLonePercent(token: Token & { type: "operator" }): void {
    if (token.operator !== "%" || this.peek().type === "number") return;
    if (this.peek().type === "(" || this.peek().type === "name" || isSign(this.peek())) return;
    throw refuseAt(token.index, 'A number is missing after "%"; it is the remainder, for 20 percent write 20/100');
  }

  private peek(): Token {
    return this.tokens[this.next] ?? { type: "end", index: 0 };
  }
}

function isSign(token: Token): boolean {
  return token.type === "operator" && (token.operator === "-" || token.operator === "+");
}

function describe(token: Token): string {
  if (token.type === "number") return `the number ${quoteNumber(token.value)}`;
  if (token.type === "name") return quoteValue(token.name);
  return token.type === "operator" ? `"${token.operator}"` : `"${token.type}"`;
}

function quoteNumber(value: Value): string {
  const digits = String(value);
  return digits.length <= 20 ? digits : `${digits.slice(0, 20)}…`;
}

function unknownName(name: string, index: number): Refusal {
  const names = [...FUNCTIONS.keys(), ...CONSTANTS.keys()];
  const meant = nearest(name, names);
  const hint = meant === undefined ? "" : `did you mean ${meant}? `;
  return refuseAt(index, `Unknown name ${quoteValue(name)}: ${hint}known are ${names.join(", ")}`);
}

function tooLong(length: number): Refusal {
  return new Refusal(
    `The expression has ${formatCount(length)} characters; at most ${formatCount(MAX_EXPRESSION_CHARS)} are taken.`,
  );
}
