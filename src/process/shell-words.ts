/**
 * Reads as much of a shell script as is needed to know whose exit code it ends with.
 *
 * Floor 2 (process). Not a parser: whatever is more than one pipeline of plain commands is refused,
 * and then nobody guesses what an exit code means.
 */

/** The last command of a single pipeline. */
export interface LastCommand {
  readonly words: readonly string[];
  /** More than one command is joined by `|`. */
  readonly piped: boolean;
}

interface Reader {
  words: string[];
  /** The word being read; `undefined` between words, `""` after an empty pair of quotes. */
  word: string | undefined;
  /** The next word is the target of a redirection. */
  redirecting: boolean;
  piped: boolean;
}

/** Finds the last command of `script`; `undefined` when there is a list, a substitution, a group or a negation. */
export function lastCommand(script: string): LastCommand | undefined {
  const text = script.trim();
  const reader: Reader = { words: [], word: undefined, redirecting: false, piped: false };
  let at = 0;
  while (at < text.length) {
    const next = readOne(text, at, reader);
    if (next === undefined) return undefined;
    at = next;
  }
  endWord(reader);
  return reader.words.length === 0 ? undefined : { words: reader.words, piped: reader.piped };
}

/** Reads what starts at `at`; returns where to go on, or `undefined` to refuse. */
function readOne(text: string, at: number, reader: Reader): number | undefined {
  const char = text[at] as string;
  if (char === "'") return readSingle(text, at, reader);
  if (char === '"') return readDouble(text, at, reader);
  if (char === "\\") return readEscape(text, at, reader);
  if (char === " " || char === "\t") return endWord(reader, at + 1);
  if (char === "|") return readPipe(text, at, reader);
  if (char === "<" || char === ">" || char === "&") return readRedirection(text, at, reader);
  if (char === "#" && reader.word === undefined) return comment(text, at);
  if ("\n;()`".includes(char)) return undefined;
  reader.word = (reader.word ?? "") + char;
  return at + 1;
}

function comment(text: string, at: number): number | undefined {
  return text.indexOf("\n", at) < 0 ? text.length : undefined;
}

function readSingle(text: string, at: number, reader: Reader): number | undefined {
  const end = text.indexOf("'", at + 1);
  if (end < 0) return undefined;
  reader.word = (reader.word ?? "") + text.slice(at + 1, end);
  return end + 1;
}

function readDouble(text: string, at: number, reader: Reader): number | undefined {
  let word = reader.word ?? "";
  for (let i = at + 1; i < text.length; i++) {
    const char = text[i] as string;
    if (char === '"') {
      reader.word = word;
      return i + 1;
    }
    if (char === "`" || (char === "$" && text[i + 1] === "(")) return undefined;
    if (char === "\\" && '"\\$`'.includes(text[i + 1] ?? "x")) i++;
    word += text[i];
  }
  return undefined;
}

function readEscape(text: string, at: number, reader: Reader): number {
  const escaped = text[at + 1] ?? "";
  if (escaped !== "\n") reader.word = (reader.word ?? "") + escaped;
  return at + 2;
}

function readPipe(text: string, at: number, reader: Reader): number | undefined {
  endWord(reader);
  if (text[at + 1] === "|" || reader.words.length === 0 || reader.words[0] === "!") return undefined;
  reader.words = [];
  reader.piped = true;
  return text[at + 1] === "&" ? at + 2 : at + 1;
}

/** `2>&1`, `>file`, `&>file`, `<<<word`. A bare `&` ends a command and is refused. */
function readRedirection(text: string, at: number, reader: Reader): number | undefined {
  const operator = /^(?:&>>?|<<<|<>|>>|>\||[<>]&|[<>])(?![<(])/.exec(text.slice(at, at + 4))?.[0];
  if (operator === undefined) return undefined;
  if (/^\d+$/.test(reader.word ?? "")) reader.word = undefined;
  endWord(reader);
  reader.redirecting = true;
  return at + operator.length;
}

/** Puts the word that was read where it belongs, and returns `next`. */
function endWord(reader: Reader, next = 0): number {
  if (reader.word === undefined) return next;
  if (!reader.redirecting) reader.words.push(reader.word);
  reader.redirecting = false;
  reader.word = undefined;
  return next;
}
