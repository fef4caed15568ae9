/**
 * Understands arithmetic in English and Chinese: "what is 17 * 38?", "帮我算一下 (17+38)*2".
 *
 * Wing (models/local). It only finds the expressions; the calculator tool works them out and judges them.
 */
import { findExpressions } from "./find-expressions.ts";
import type { Intent, Outcome, Reading } from "./intent.ts";
import { toSigns } from "./words.ts";

const ASKS =
  /\b(?:what(?:['’]s| is| are)|calculate|calc|compute|evaluate|work out|solve|how much|how many|result)\b|=|算|等于|多少|求|得几/iu;

export const arithmetic: Intent = {
  tool: "calculator",
  ability: {
    en: "work out arithmetic with the calculator: what is (17 + 38) * 2?",
    zh: "用计算器做算术：帮我算一下 (17+38)*2",
  },
  read(text): Reading {
    const expressions = findExpressions(toSigns(text.replace(/`/g, " ")), ASKS.test(text));
    const wishes = expressions.map((expression) => ({ tool: "calculator", arguments: { expression } }));
    return { wishes, rest: text };
  },
  tell({ wish, text, failed }: Outcome, language): string {
    const expression = String(wish.arguments["expression"]);
    if (!failed) return language === "zh" ? `${expression} = ${text}。` : `${expression} = ${text}.`;
    return language === "zh" ? `算不出 ${expression}：${text}` : `I could not work out ${expression}: ${text}`;
  },
};
