/**
 * Understands "read README.md", "search for X in src" and "list files", also "读 README.md", "搜索 X", "列出文件".
 *
 * Wing (models/local). A path is what looks like one, or what stands in quotes; everything else would be a guess.
 */
import type { Intent, Language, Outcome, Reading, Wish } from "./intent.ts";

/** In quotes or backticks anything; bare, words with a dot or a slash in them and a letter. */
const QUOTED = String.raw`[\x60"'“「](?<quoted>[^\x60"'”」\n]+)[\x60"'”」]`;
const BARE_PATH = String.raw`(?<bare>(?=[\w./@+-]*[a-z])(?:\.{1,2}/)*/?[\w@+-]*(?:[./][\w@+-]+)+/?)`;
const PATH = `(?:${QUOTED}|${BARE_PATH})`;
const REFUSED = /(?:\b(?:don['’]?t|do not|never|must not|without|not to)\s+(?:ever\s+)?|不要|别|勿|禁止|不许|不能)$/iu;

const READ = new RegExp(
  String.raw`(?:\b(?:read|show me|show|open|cat|print)\s+(?:me\s+)?(?:the\s+)?(?:file\s+)?|(?:读取|读一下|读|打开|查看|看看|看一下)\s*(?:文件)?\s*)${PATH}`,
  "giu",
);
/** What follows the verb up to "in PATH" or the end of the sentence. */
const SEARCH =
  /(?:\b(?:search|grep|look)(?:\s+(?:the\s+)?files)?\s+for\s+|搜索|查找|搜一下)\s*(?:[`"'“「](?<quoted>[^`"'”」\n]+)[`"'”」]|(?<bare>[^\s`"',.?!，。？！]+))(?:\s+in\s+[`"'“]?(?<where>[\w./@+-]*[\w/@+-])[`"'”]?)?/giu;
/** Chinese names the folder before the verb: 在 src 里搜索 X. */
const SEARCHED_IN = /在\s*[`"'“「]?([\w./@+-]+)[`"'”」]?\s*(?:里|中|下)?(?:面)?\s*$/u;
const LIST =
  /(?:\blist\s+(?:all\s+)?(?:the\s+)?(?:files|folder|directory)(?:\s+(?:in|of)\s+(?:the\s+folder\s+)?[`"'“]?(?<where>[\w./@+-]*[\w/@+-])[`"'”]?)?|列出\s*(?:[`"'“「]?(?<folder>[\w./@+-]+)[`"'”」]?\s*(?:里|中|下)?(?:面)?的?)?\s*(?:所有)?文件)/giu;

/** Reads a file. */
export const fileReading: Intent = {
  tool: "readFile",
  ability: { en: "read a file: read README.md", zh: "读文件：读 README.md" },
  read: (text) =>
    wishesIn(text, READ, ({ quoted, bare }) => ({ tool: "readFile", arguments: { path: quoted ?? bare ?? "" } })),
  tell: (outcome, language) => tell(outcome, language, String(outcome.wish.arguments["path"])),
};

/** Searches files for a text. */
export const fileSearch: Intent = {
  tool: "grepFiles",
  ability: { en: "search files for a text: search for TODO in src", zh: "搜索文件：在 src 里搜索 TODO" },
  read: (text) =>
    wishesIn(text, SEARCH, ({ quoted, bare, where }, before) => {
      const path = where ?? SEARCHED_IN.exec(before)?.[1];
      const pattern = quoted ?? bare ?? "";
      return { tool: "grepFiles", arguments: { pattern, literal: true, ...(path !== undefined && { path }) } };
    }),
  tell: (outcome, language) => tell(outcome, language, `"${String(outcome.wish.arguments["pattern"])}"`),
};

/** Lists a folder. */
export const fileListing: Intent = {
  tool: "listFiles",
  ability: { en: "list files: list files in src", zh: "列出文件：列出 src 里的文件" },
  read: (text) =>
    wishesIn(text, LIST, ({ where, folder }) => {
      const path = where ?? folder;
      return { tool: "listFiles", arguments: path === undefined ? {} : { path } };
    }),
  tell: (outcome, language) => tell(outcome, language, String(outcome.wish.arguments["path"] ?? ".")),
};

type Groups = Readonly<Record<string, string | undefined>>;

/** One wish for each match that was not forbidden; what was used is blanked. */
function wishesIn(text: string, pattern: RegExp, toWish: (groups: Groups, before: string) => Wish): Reading {
  const wishes: Wish[] = [];
  let rest = text;
  for (const match of text.matchAll(pattern)) {
    const before = text.slice(0, match.index);
    if (REFUSED.test(before)) continue;
    wishes.push(toWish(match.groups ?? {}, before));
    rest = rest.slice(0, match.index) + " ".repeat(match[0].length) + rest.slice(match.index + match[0].length);
  }
  return { wishes, rest };
}

function tell({ text, failed }: Outcome, language: Language, subject: string): string {
  if (failed) return language === "zh" ? `${subject} 失败了：${text}` : `${subject} failed: ${text}`;
  return language === "zh" ? `${subject}：\n${text.trimEnd()}` : `${subject}:\n${text.trimEnd()}`;
}
