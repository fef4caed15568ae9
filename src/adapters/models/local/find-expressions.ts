/**
 * Finds the arithmetic expressions in a text: the longest runs of numbers, signs and functions.
 *
 * Wing (models/local). Where the text asks for a result, a broken expression counts too, so that the
 * calculator can say what is wrong with it.
 */

const FUNCTION = String.raw`(?:sqrt|abs|round|floor|ceil|min|max|ln|log|exp|sin|cos|tan)(?=\s*\()`;
const TOKEN = new RegExp(
  [
    String.raw`(?<number>(?:\d{1,3}(?:,\d{3})+(?![\d,])(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+)(?:e[-+]?\d+)?(?![\w]|\.\d|:\d))`,
    String.raw`(?<constant>(?:pi|π|e)(?![\w]))`,
    `(?<function>${FUNCTION})`,
    String.raw`(?<operator>\*\*|[-+*/%^])`,
    String.raw`(?<open>\()|(?<close>\))|(?<comma>,)`,
  ].join("|"),
  "iuy",
);

/** Where a run may begin: not within a word, a path, a time or a number. */
const START = /(?<![\w.:/\\-])(?:[(\d.π-]|(?:pi|sqrt|abs|round|floor|ceil|min|max|ln|log|exp|sin|cos|tan)\b)/giu;

/** A date is no subtraction. */
const DATE = /\b\d{4}-\d{2}-\d{2}\b/g;

interface Run {
  readonly text: string;
  readonly end: number;
  readonly isComplete: boolean;
  /** Has something to work out: an operator after a number, or a function. */
  readonly hasWork: boolean;
  /** Has a sign that is only ever arithmetic: `3 - 4` and `3/4` may be a range or a date. */
  readonly isPlain: boolean;
}

/**
 * Lists the expressions of a text with plain signs, each as it stands there.
 *
 * @param asked - Whether the text asks for a result; otherwise only what is surely arithmetic counts.
 */
export function findExpressions(text: string, asked: boolean): string[] {
  const whole = readRun(text, text.search(/\S|$/));
  if (whole.hasWork && /^[\s?.!。？！]*$/.test(text.slice(whole.end))) return [whole.text];
  const source = text.replace(DATE, (date) => " ".repeat(date.length));
  const found: string[] = [];
  START.lastIndex = 0;
  for (let start = START.exec(source); start !== null; start = START.exec(source)) {
    const run = readRun(source, start.index);
    if (run.hasWork && (asked || (run.isComplete && run.isPlain))) found.push(run.text);
    START.lastIndex = Math.max(run.end, start.index + 1);
  }
  return found;
}

function readRun(text: string, start: number): Run {
  const lists: boolean[] = [];
  let [end, index, needsOperand, hasWork, isPlain, wasFunction] = [start, start, true, false, false, false];
  for (;;) {
    index += /^\s*/.exec(text.slice(index, index + 40))?.[0].length ?? 0;
    TOKEN.lastIndex = index;
    const match = TOKEN.exec(text);
    const kind = match === null ? undefined : kindOf(match);
    if (match === null || kind === undefined || !fits(kind, needsOperand, end === start, lists, text.slice(index)))
      break;
    if (kind === "operator" && !needsOperand) {
      hasWork = true;
      isPlain ||= !/^[-/]$/.test(match[0]);
    }
    if (kind === "function") [hasWork, isPlain] = [true, true];
    if (kind === "open") lists.push(wasFunction);
    if (kind === "close") lists.pop();
    wasFunction = kind === "function";
    needsOperand = kind !== "number" && kind !== "constant" && kind !== "close";
    index += match[0].length;
    end = index;
  }
  return { text: text.slice(start, end), end, isComplete: !needsOperand && lists.length === 0, hasWork, isPlain };
}

type TokenKind = "number" | "constant" | "function" | "operator" | "open" | "close" | "comma";

function kindOf(match: RegExpExecArray): TokenKind | undefined {
  return Object.entries(match.groups ?? {}).find(([, value]) => value !== undefined)?.[0] as TokenKind | undefined;
}

/** Whether a token goes on with the run. Two operators in a row do: the calculator says what is wrong. */
function fits(
  kind: TokenKind,
  needsOperand: boolean,
  isFirst: boolean,
  lists: readonly boolean[],
  ahead: string,
): boolean {
  switch (kind) {
    case "operator":
      return !isFirst || ahead.startsWith("-");
    case "comma":
      return !needsOperand && lists.at(-1) === true;
    case "close":
      // One that closes nothing ends a bracketed remark, unless the arithmetic goes on behind it.
      return lists.length > 0 || (!needsOperand && /^\)\s*[-+*/%^]/.test(ahead));
    default:
      return needsOperand;
  }
}
