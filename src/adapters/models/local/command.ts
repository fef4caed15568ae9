/**
 * Understands "run `ls -la`" and "执行 `uname -a`".
 *
 * Wing (models/local). What is run stands in backticks after a word that asks for it: guessing where a
 * command ends in a sentence would run what nobody asked for.
 */
import type { Intent, Language, Outcome, Reading, Wish } from "./intent.ts";

const VERB = /(?:\b(?:run|execute|exec)\b|执行|运行|跑)/giu;
const REFUSED = /(?:\b(?:don['’]?t|do not|never|must not|without|not to)\s+(?:ever\s+)?|不要|别|勿|禁止|不许|不能)$/iu;
/** Between the verb and its command: a few words such as "the command" or "下面的命令". */
const LEAD_IN = /^[^`.。!！?？;；\n]{0,40}\n?$/u;
/** Between two commands of one wish. */
const CONNECTIVE =
  /^(?:\s|,|;|，|、|；|\band\b|\bthen\b|\balso\b|\brun\b|\bexecute\b|和|以及|然后|接着|再|并|执行|运行)*$/iu;
const SPAN = /```(?:[a-z]*\n)?([\s\S]+?)```|`([^`\n]+)`/gu;
/** Commands that may be typed without backticks, alone in a message. */
const BARE =
  /^\s*(?:please\s+|请)?(?:run|execute|exec|执行|运行)\s*:?\s+((?:ls|pwd|date|whoami|uname|hostname)(?:\s+-[\w-]+)*)\s*[.。!]?\s*$/iu;

interface Span {
  readonly start: number;
  readonly end: number;
  readonly command: string;
}

export const command: Intent = {
  tool: "bash",
  ability: {
    en: "run commands with bash: run `ls -la`",
    zh: "用 bash 执行命令：执行 `uname -a`",
  },
  read(text, language): Reading {
    const spans = readSpans(text);
    const bare = BARE.exec(text)?.[1];
    if (bare !== undefined) return { wishes: [wishFor(bare)], rest: "" };
    const asked = askedFor(text, spans);
    const rest = asked.reduce((left, { start, end }) => blank(left, start, end), text);
    const hint = spans.length === 0 && startsWithVerb(text) ? howToWrite(language) : undefined;
    return { wishes: asked.map((span) => wishFor(span.command)), rest, hint };
  },
  tell: tellOutcome,
};

function wishFor(line: string): Wish {
  return { tool: "bash", arguments: { command: line } };
}

function readSpans(text: string): Span[] {
  return [...text.matchAll(SPAN)].flatMap((match) => {
    const line = (match[1] ?? match[2] ?? "").trim();
    return line === "" ? [] : [{ start: match.index, end: match.index + match[0].length, command: line }];
  });
}

/** The spans that follow a verb, directly or through a chain of "and". */
function askedFor(text: string, spans: readonly Span[]): Span[] {
  const verbs = [...text.matchAll(VERB)].filter(({ index }) => !isInside(index, spans));
  const asked: Span[] = [];
  for (const span of spans) {
    const before = asked.at(-1);
    const chained = before !== undefined && CONNECTIVE.test(text.slice(before.end, span.start));
    const verb = verbs.filter(({ index }) => index < span.start).at(-1);
    if (chained || (verb !== undefined && leadsTo(text, verb.index, verb[0].length, span))) asked.push(span);
  }
  return asked;
}

function leadsTo(text: string, verbStart: number, verbLength: number, span: Span): boolean {
  if (REFUSED.test(text.slice(Math.max(0, verbStart - 24), verbStart))) return false;
  return LEAD_IN.test(text.slice(verbStart + verbLength, span.start));
}

function isInside(index: number, spans: readonly Span[]): boolean {
  return spans.some(({ start, end }) => index >= start && index < end);
}

function blank(text: string, start: number, end: number): string {
  return `${text.slice(0, start)}${" ".repeat(end - start)}${text.slice(end)}`;
}

function startsWithVerb(text: string): boolean {
  return /^\s*(?:please\s+|请(?:你|帮我)?\s*|帮我\s*)?(?:run|execute|exec|执行|运行)(?:\s|:|：|[\p{Script=Han}a-z])/iu.test(
    text,
  );
}

function howToWrite(language: Language): string {
  return language === "zh"
    ? "请把命令放在反引号里，例如：执行 `ls -la`。"
    : "Put the command in backticks, for example: run `ls -la`.";
}

function tellOutcome(outcome: Outcome, language: Language): string {
  const { wish, failed } = outcome;
  const text = outcome.text.trimEnd();
  const line = `\`${String(wish.arguments["command"])}\``;
  // The runtime's refusal names its own way to allow the tool; the person at the command line has another.
  if (failed && text.includes("allowTools(")) return tellRefused(line, text, language);
  if (failed) return language === "zh" ? `${line} 失败了：\n${text}` : `${line} failed:\n${text}`;
  return language === "zh" ? `${line} 的输出：\n${text}` : `${line} gave:\n${text}`;
}

function tellRefused(line: string, text: string, language: Language): string {
  return language === "zh"
    ? `${line} 没有执行，因为 bash 工具未被允许。命令行加上 --allow bash 即可允许。\n${text}`
    : `${line} was not run, because the bash tool is not allowed. On the command line, --allow bash allows it.\n${text}`;
}
