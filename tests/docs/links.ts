/**
 * Finds the links of a page that lead nowhere, without a network.
 *
 * Anchors are made as GitHub makes them: lower case, signs out, spaces to hyphens, a number behind a name
 * that is there already.
 */
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { withoutBlocks } from "./pages.ts";

/** What a link may lead to: the text of a page, and whether there is a file. */
export interface Place {
  read(path: string): string;
  exists(path: string): boolean;
}

/** Names the links of one page that lead nowhere, each with its line. */
export function brokenLinks(path: string, place: Place): string[] {
  const page = withoutBlocks(place.read(path));
  return linksOf(page).flatMap(({ target, line }) => {
    const problem = problemOf(target, path, place);
    return problem === undefined ? [] : [`${path}:${line} ${target}: ${problem}`];
  });
}

interface Link {
  readonly target: string;
  readonly line: number;
}

const INLINE = /\]\(<?([^\s()<>]+(?:\([^\s()]*\))?[^\s()<>]*)>?(?:\s+"[^"]*")?\)/g;
const REFERENCE = /^ {0,3}\[[^\]]+\]:\s+<?([^\s>]+)>?/g;
const HTML = /<(?:a|img)\b[^>]*?\b(?:href|src)="([^"]+)"/g;

function linksOf(page: string): Link[] {
  return page.split("\n").flatMap((text, index) => {
    const prose = text.replace(/`[^`]*`/g, (code) => "`".repeat(code.length));
    const found = [INLINE, REFERENCE, HTML].flatMap((form) => [...prose.matchAll(form)]);
    return found.map(({ 1: target = "" }) => ({ target, line: index + 1 }));
  });
}

const OUTSIDE = /^[a-z][a-z0-9+.-]*:/i;

function problemOf(target: string, from: string, place: Place): string | undefined {
  if (OUTSIDE.test(target)) return undefined;
  const [file = "", anchor] = decodeURIComponent(target).split("#");
  if (file.startsWith("/")) return "is no relative path";
  const path = file === "" ? from : join(dirname(from), file);
  if (path.startsWith("..")) return "leads out of the package";
  if (!place.exists(path)) return "there is no such file";
  if (anchor === undefined) return undefined;
  if (!path.endsWith(".md")) return "only pages have anchors";
  return anchorsOf(place.read(path)).has(anchor) ? undefined : "there is no such heading";
}

/** The anchors of a page. */
export function anchorsOf(page: string): ReadonlySet<string> {
  const anchors = new Set<string>();
  for (const [, heading = ""] of withoutBlocks(page).matchAll(/^ {0,3}#{1,6}\s+(.*?)\s*#*$/gm)) {
    const name = anchorOf(heading);
    let anchor = name;
    for (let count = 1; anchors.has(anchor); count++) anchor = `${name}-${count}`;
    anchors.add(anchor);
  }
  return anchors;
}

function anchorOf(heading: string): string {
  const shown = heading.replace(/!?\[([^\]]*)\]\([^)]*\)/g, "$1").replace(/<[^>]+>/g, "");
  return shown
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, "")
    .replaceAll(" ", "-");
}

/** The files below a folder. */
export function placeOn(root: string, read: (path: string) => string): Place {
  return { read, exists: (path) => existsSync(join(root, path)) };
}
