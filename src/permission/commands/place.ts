/**
 * Where a command runs, and what its arguments may touch there.
 *
 * Floor 4 (permission). Node only. Every question is answered with why not, or with nothing.
 */
import { type Dirent, readdirSync } from "node:fs";
import { join } from "node:path";
import type { Confinement } from "../../process/confine-types.ts";
import { matchesPieces, type Piece } from "../../process/confine-wildcard.ts";
import type { Argument } from "./words.ts";

/** The place of one command. */
export interface Place {
  readonly confinement: Confinement | undefined;
  /** Where relative paths start. */
  readonly cwd: string | undefined;
  /** Directory entries looked at so far. */
  entries: number;
}

/** Directory entries looked at for one command, its trees and patterns together: a decision is quick. */
const MAX_ENTRIES = 4_000;
const MAX_MATCHES = 200;
const TOO_MANY = "it touches too many files to look at them all";

/** Why an operand may not be read. */
export function refusePath(place: Place, { value, glob }: Argument): string | undefined {
  if (value === "/dev/null") return undefined;
  const { confinement, cwd } = place;
  if (confinement === undefined) return "the policy names no roots for paths";
  const verdict = confinement.check({ op: "read", path: value, base: cwd });
  if (verdict.decision === "deny") return verdict.reason;
  return glob === undefined ? undefined : refuseMatches(place, glob);
}

/** Why an argument that is no path may not stand there: a pattern brings file names along. */
export function refuseText(place: Place, argument: Argument): string | undefined {
  return argument.glob === undefined ? undefined : refusePath(place, argument);
}

/** Why a directory may not be read with everything in it. `skips` says what the program leaves out. */
export function refuseTree(
  place: Place,
  operand: Argument,
  skips: (name: string) => boolean = () => false,
): string | undefined {
  if (operand.glob !== undefined) return "it searches whatever a pattern matches";
  const refused = refusePath(place, operand);
  if (refused !== undefined) return refused;
  const pending = [operand.value];
  for (let folder = pending.pop(); folder !== undefined; folder = pending.pop()) {
    const found = readEntries(place, folder);
    if (found === undefined) return TOO_MANY;
    for (const entry of found) {
      if (skips(entry.name)) continue;
      const inner = join(folder, entry.name);
      const reason = refuseEntry(place, entry, inner);
      if (reason !== undefined) return reason;
      if (entry.isDirectory()) pending.push(inner);
    }
  }
  return undefined;
}

/** An entry of a directory that may be read: only its own name and where it leads are new. */
function refuseEntry(place: Place, entry: Dirent, path: string): string | undefined {
  if (entry.isFile() || entry.isDirectory()) {
    return place.confinement?.isProtected(entry.name) === true ? `${path} is a protected name` : undefined;
  }
  return refusePath(place, { value: path });
}

/** What may not be read of what a pattern matches now. */
function refuseMatches(place: Place, glob: readonly Piece[]): string | undefined {
  let found = [glob[0] === "/" ? "/" : ""];
  for (const segment of segmentsOf(glob)) {
    const next: string[] = [];
    for (const folder of found) {
      const reason = extend(place, folder, segment, next);
      if (reason !== undefined) return reason;
    }
    if (next.length > MAX_MATCHES) return TOO_MANY;
    found = next;
  }
  return found.map((path) => refusePath(place, { value: path })).find((reason) => reason !== undefined);
}

function extend(place: Place, folder: string, segment: readonly Piece[], next: string[]): string | undefined {
  if (segment.every((piece) => typeof piece === "string")) {
    next.push(`${folder}${segment.join("")}/`);
    return undefined;
  }
  const base = folder === "" ? "." : folder;
  const refused = refusePath(place, { value: base });
  if (refused !== undefined) return refused;
  const entries = readEntries(place, base);
  if (entries === undefined) return TOO_MANY;
  // Before bash 5.2 `.*` means the parent directory too.
  if (segment[0] === "." && matchesPieces(segment, "..")) return "a pattern matches the parent directory";
  for (const entry of entries) {
    if (entry.name.startsWith(".") && segment[0] !== ".") continue;
    if (!matchesPieces(segment, entry.name)) continue;
    if (folder === "" && entry.name.startsWith("-"))
      return `a pattern matches ${entry.name}, which looks like an option`;
    const reason = refuseEntry(place, entry, `${folder}${entry.name}`);
    if (reason !== undefined) return reason;
    next.push(`${folder}${entry.name}/`);
  }
  return undefined;
}

function segmentsOf(glob: readonly Piece[]): (readonly Piece[])[] {
  const segments: Piece[][] = [[]];
  for (const piece of glob) {
    if (piece === "/") segments.push([]);
    else segments.at(-1)?.push(piece);
  }
  return segments.filter((segment) => segment.length > 0);
}

/** The entries of a directory; none of what is no directory, `undefined` when there have been too many. */
function readEntries(place: Place, path: string): readonly Dirent[] | undefined {
  const verdict = place.confinement?.check({ op: "list", path, base: place.cwd });
  if (verdict?.decision !== "allow") return [];
  try {
    const entries = readdirSync(verdict.path, { withFileTypes: true });
    place.entries += entries.length;
    return place.entries > MAX_ENTRIES ? undefined : entries;
  } catch {
    return [];
  }
}
