/**
 * Picks one page out of things that are found one by one, and says how to get the next.
 *
 * Wing (adapters). Pure.
 */
import { formatCount } from "../../../../util/text.ts";

export interface PagerOptions {
  /** How many are passed over. */
  readonly offset: number;
  /** How many are shown. */
  readonly limit: number;
  /** Room for them, in characters. */
  readonly maxChars: number;
  /** What one of them is called: "entry". */
  readonly noun: string;
  /** What several are called: "entries". */
  readonly plural: string;
}

export interface Pager {
  /** What to do with the next one. After "stop" nothing more needs to be found. */
  next(): "skip" | "show" | "stop";
  /** Shows the one for which `next` said so. `false`: there was no room for it. */
  show(text: string): boolean;
  readonly shown: readonly string[];
  /** How many there are, as far as it has been looked. */
  readonly found: number;
  /** Which ones are shown, and how to get more. */
  note(): string;
}

export function createPager({ offset, limit, maxChars, noun, plural }: PagerOptions): Pager {
  const shown: string[] = [];
  let found = 0;
  let chars = 0;
  let isMore = false;
  return {
    shown,
    get found() {
      return found;
    },
    next() {
      if (found < offset) {
        found++;
        return "skip";
      }
      if (isMore || shown.length >= limit) isMore = true;
      else found++;
      return isMore ? "stop" : "show";
    },
    show(text) {
      chars += text.length + 1;
      // The first one always has its place: a page without anything would be asked for again and again.
      if (chars > maxChars && shown.length > 0) {
        isMore = true;
        found--;
        return false;
      }
      shown.push(text);
      return true;
    },
    note() {
      const last = offset + shown.length;
      if (shown.length === 0) return `there are only ${formatCount(found)} ${plural}; offset ${offset} is too large`;
      const range = `${plural} ${formatCount(offset + 1)}-${formatCount(last)}`;
      if (isMore) return `${range}; there are more: read on with offset: ${last}`;
      if (offset > 0) return `${range} of ${formatCount(found)}`;
      return found === 1 ? `1 ${noun}` : `${formatCount(found)} ${plural}`;
    },
  };
}
