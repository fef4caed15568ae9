/**
 * Writes hits as ripgrep does: the file, then its lines, "12:" for a match and "13-" for a line around it.
 *
 * Wing (adapters). Pure.
 */
import { formatCount } from "../../../../util/text.ts";
import { createPager, type Pager, type PagerOptions } from "../search/pager.ts";
import { shownName } from "../search/shown-name.ts";
import type { Hit, HitLine } from "./hits.ts";

export interface Report {
  readonly pager: Pager;
  /** Adds some hits of a file. `false`: nothing more is wanted. */
  add(path: string, hits: readonly Hit[]): boolean;
  /** There are no more hits in this file. `false`: nothing more is wanted. */
  end(path: string): boolean;
}

/** The matching lines. */
export function lineReport(options: Omit<PagerOptions, "noun" | "plural">): Report {
  const pager = createPager({ ...options, noun: "matching line", plural: "matching lines" });
  let shownFile: string | undefined;
  let lastLine = 0;
  const show = (path: string, hit: Hit): boolean => {
    const lines = [...hit.before, hit.match, ...hit.after];
    const first = lines[0]?.number ?? 0;
    const isSame = shownFile === path;
    const head = isSame ? gap(lines.length > 1 && first > lastLine + 1) : heading(path, pager.shown.length > 0);
    lastLine = lines.at(-1)?.number ?? 0;
    shownFile = path;
    return pager.show([...head, ...lines.map((line) => hitLine(line, line === hit.match))].join("\n"));
  };
  return {
    pager,
    add(path, hits) {
      for (const hit of hits) {
        const next = pager.next();
        if (next === "stop" || (next === "show" && !show(path, hit))) return false;
      }
      return true;
    },
    end: () => true,
  };
}

/** The files that have matching lines, and how many. */
export function fileReport(options: Omit<PagerOptions, "noun" | "plural">): Report {
  const pager = createPager({ ...options, noun: "matching file", plural: "matching files" });
  let count = 0;
  return {
    pager,
    add(_path, hits) {
      count += hits.length;
      return true;
    },
    end(path) {
      const text = `${shownName(path)}: ${formatCount(count)}`;
      const hasHits = count > 0;
      count = 0;
      if (!hasHits) return true;
      const next = pager.next();
      return next === "skip" || (next === "show" && pager.show(text));
    },
  };
}

function heading(path: string, isLater: boolean): string[] {
  return isLater ? ["", shownName(path)] : [shownName(path)];
}

function gap(isGap: boolean): string[] {
  return isGap ? ["--"] : [];
}

function hitLine({ number, text }: HitLine, isMatch: boolean): string {
  return `${number}${isMatch ? ":" : "-"}${text}`;
}
