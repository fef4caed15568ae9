/** Collects the code that is shown to readers: `@example` blocks in the sources, `ts` blocks on the pages. */
import { readdirSync } from "node:fs";
import { blocksOf, PAGES, ROOT, textOf } from "./pages.ts";

/** One piece of code, and where it stands. */
export interface Example {
  /** File and line, as an editor takes them. */
  readonly place: string;
  readonly code: string;
}

/** The `@example` blocks of all sources. */
export function sourceExamples(): Example[] {
  const files = readdirSync(`${ROOT}src`, { recursive: true, encoding: "utf8" });
  return files.filter((file) => file.endsWith(".ts")).flatMap((file) => examplesIn(`src/${file}`));
}

const COMMENT = /\/\*\*[\s\S]*?\*\//g;
const EXAMPLE = /^@example[ \t]*(.*(?:\n(?!@).*)*)/gm;

function examplesIn(file: string): Example[] {
  const text = textOf(file);
  return [...text.matchAll(COMMENT)].flatMap(({ 0: comment, index }) => {
    const plain = comment.replace(/\*\/$/, "").replace(/^[ \t]*\/?\*+ ?/gm, "");
    return [...plain.matchAll(EXAMPLE)].map((found) => {
      const line = text.slice(0, index).split("\n").length + plain.slice(0, found.index).split("\n").length - 1;
      return { place: `${file}:${line}`, code: withoutFence(found[1] ?? "") };
    });
  });
}

function withoutFence(code: string): string {
  return /```\w*\n([\s\S]*?)```/.exec(code)?.[1] ?? code;
}

/** The `ts` blocks of all pages, apart from those marked `ts no-check`. */
export function pageExamples(): Example[] {
  return pageBlocks("ts");
}

/** The blocks marked `ts no-check`: something else proves them. */
export function uncheckedExamples(): Example[] {
  return pageBlocks("ts no-check");
}

function pageBlocks(info: string): Example[] {
  return PAGES.flatMap((page) =>
    blocksOf(textOf(page))
      .filter((block) => block.info === info)
      .map(({ line, text }) => ({ place: `${page}:${line}`, code: text })),
  );
}
