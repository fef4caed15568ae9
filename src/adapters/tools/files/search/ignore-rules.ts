/**
 * What .gitignore files leave out, level by level, as git reads them.
 *
 * Wing (adapters). The patterns are matched by the package `ignore`, which is bundled. They come from
 * files that nobody has checked: its matching is linear in stars, but not in `**`, so few of these are taken.
 */
import ignore, { type Ignore } from "ignore";
import { isUnreadable } from "../refusal.ts";
import type { Workspace } from "../workspace.ts";

/** The rules of one .gitignore file. */
export interface IgnoreLevel {
  /** The folder of the file, from the root on, with a "/" at its end; "" for the root. */
  readonly base: string;
  readonly rules: Ignore;
}

const MAX_FILE_BYTES = 512 * 1024;
const MAX_PATTERN_CHARS = 1_000;
/** Patterns with more than this many `**` between other names cost too much on deep paths. */
export const MAX_INNER_GLOBSTARS = 3;

/** The rules of the .gitignore of a folder; `undefined` where there is none that can be read. */
export async function readIgnoreFile(workspace: Workspace, folder: string): Promise<IgnoreLevel | undefined> {
  const base = folder === "." ? "" : `${folder}/`;
  const path = `${base}.gitignore`;
  try {
    const { handle } = await workspace.confinement.open({ op: "read", path });
    try {
      const { size } = await handle.stat();
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(Math.min(size, MAX_FILE_BYTES)), 0, undefined, 0);
      return { base, rules: rulesOf(buffer.toString("utf8", 0, bytesRead)) };
    } finally {
      await handle.close();
    }
  } catch (error) {
    // No rules where the file is a link to the outside, a folder, or not for us to read.
    if (!isUnreadable(error)) throw error;
    return undefined;
  }
}

/** @internal */
export function rulesOf(text: string): Ignore {
  const lines = text.replace(/^\ufeff/, "").split(/\r?\n/);
  return ignore({ ignorecase: false }).add(lines.filter(isTakenPattern));
}

function isTakenPattern(line: string): boolean {
  return line.length <= MAX_PATTERN_CHARS && innerGlobstars(line) <= MAX_INNER_GLOBSTARS;
}

/** How many `**` a pattern has that are neither its first nor its last part. */
export function innerGlobstars(pattern: string): number {
  return pattern
    .split("/")
    .slice(1, -1)
    .filter((part) => /^\*{2,}$/.test(part)).length;
}

/** Whether the levels, the outermost first, leave a path out. A folder ends in "/". */
export function isIgnored(levels: readonly IgnoreLevel[], path: string): boolean {
  let ignored = false;
  for (const level of levels) {
    const { ignored: isOut, unignored } = level.rules.test(path.slice(level.base.length));
    if (isOut) ignored = true;
    else if (unignored) ignored = false;
  }
  return ignored;
}

/**
 * The levels as they count inside of a folder that is looked into: one that leaves the folder itself out was
 * overruled. Its rules still hold for what is in the folder, but not because of the folder.
 */
export function levelsInside(levels: readonly IgnoreLevel[], folder: string): readonly IgnoreLevel[] {
  return levels.map((level) => {
    const path = folder.slice(level.base.length);
    return level.rules.test(`${path}/`).ignored ? overruled(level, path) : level;
  });
}

function overruled({ base, rules }: IgnoreLevel, folder: string): IgnoreLevel {
  const names = folder.split("/").map((name) => name.replace(/[\\*?[\]]/g, "\\$&"));
  const exceptions = names.map((_, depth) => `!/${names.slice(0, depth + 1).join("/")}/`);
  return { base, rules: ignore({ ignorecase: false }).add(rules).add(exceptions) };
}

/** The rules of the folders above one that was asked for, whatever they say about it. */
export async function levelsAbove(workspace: Workspace, folder: string): Promise<readonly IgnoreLevel[]> {
  if (folder === ".") return [];
  const levels: IgnoreLevel[] = [];
  const names = folder.split("/");
  for (let depth = 0; depth < names.length; depth++) {
    const level = await readIgnoreFile(workspace, depth === 0 ? "." : names.slice(0, depth).join("/"));
    if (level !== undefined) levels.push(level);
  }
  return levelsInside(levels, folder);
}
