/** The pages that a reader opens, and how these tests read them. */
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** The folder of the package, with a slash at its end. */
export const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** All pages, by their path from the root. */
export const PAGES: readonly string[] = ["", "docs/"].flatMap((folder) =>
  readdirSync(`${ROOT}${folder}`)
    .filter((name) => name.endsWith(".md"))
    .map((name) => `${folder}${name}`),
);

/** The text of a file of the package. */
export function textOf(path: string): string {
  return readFileSync(`${ROOT}${path}`, "utf8");
}

/** One fenced block: what stands behind its fence, where it begins, what is in it. */
export interface Block {
  readonly info: string;
  /** The line of the opening fence, from 1. */
  readonly line: number;
  readonly text: string;
}

/** The fenced blocks of a page, in order. */
export function blocksOf(page: string): Block[] {
  const fenced = page.matchAll(/^```(.*)\n([\s\S]*?)^```$/gm);
  return [...fenced].map(({ 1: info = "", 2: text = "", index }) => ({
    info,
    line: page.slice(0, index).split("\n").length,
    text,
  }));
}

/** The page with its fenced blocks emptied, line for line. */
export function withoutBlocks(page: string): string {
  return page.replace(/^```.*\n[\s\S]*?^```$/gm, (block) => block.replace(/[^\n]/g, ""));
}
