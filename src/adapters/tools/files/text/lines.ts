/**
 * Cuts a text that comes in pieces into lines, keeping of each no more than is wanted.
 *
 * Wing (adapters). A file without a single line end must not fill the memory.
 */

/** Which characters of a line are kept. */
export interface LineWindow {
  /** The first one, counted from 0. */
  readonly from: number;
  /** How many from there. */
  readonly most: number;
}

export interface Line {
  /** Counted from 1. */
  readonly number: number;
  /** What is kept of it, without its line end. */
  readonly text: string;
  /** All its characters. */
  readonly length: number;
  readonly end: "\n" | "\r\n" | "";
}

export interface LineSplitter {
  /** The lines that end in the next piece. */
  push(text: string): Line[];
  /** The last line, when it has no line end. */
  end(): Line[];
  /** How much of the unfinished line has been seen. */
  readonly pendingChars: number;
}

export function createLineSplitter(window: LineWindow): LineSplitter {
  let number = 0;
  let kept = "";
  let length = 0;
  let last = "";
  const append = (piece: string) => {
    if (piece === "") return;
    // One more than wanted: it may be the carriage return of the line end.
    kept += piece.slice(Math.max(0, window.from - length), Math.max(0, window.from + window.most + 1 - length));
    length += piece.length;
    last = piece.slice(-1);
  };
  const finish = (newline: "\n" | ""): Line => {
    const isCrlf = newline === "\n" && last === "\r";
    const whole = isCrlf ? length - 1 : length;
    const text = kept.slice(0, Math.max(0, Math.min(window.most, whole - window.from)));
    kept = "";
    length = 0;
    last = "";
    return { number: ++number, text, length: whole, end: isCrlf ? "\r\n" : newline };
  };
  return {
    push(text) {
      const lines: Line[] = [];
      let start = 0;
      for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", start)) {
        append(text.slice(start, at));
        lines.push(finish("\n"));
        start = at + 1;
      }
      append(text.slice(start));
      return lines;
    },
    end: () => (length > 0 ? [finish("")] : []),
    get pendingChars() {
      return length;
    },
  };
}
