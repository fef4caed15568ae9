/**
 * Follows a path as the kernel would, link by link, also where its end does not exist yet.
 *
 * Floor 2 (process). `realpath` stops at the first name that is absent, and would not see that a
 * dangling link leads outside; a lexical `..` would not see that a link was passed before it.
 */
import { lstatSync, readlinkSync } from "node:fs";
import { dirname, isAbsolute, join, parse, relative, resolve, sep } from "node:path";
import { errnoOf } from "./classify.ts";

/** Links followed before a path counts as a loop, as in Linux. */
const MAX_LINKS = 40;

/** Where a path leads, or why that cannot be told. */
export type Resolved =
  | { readonly ok: true; readonly path: string; readonly exists: boolean }
  | { readonly ok: false; readonly reason: string };

/** Resolves `path` against the absolute directory `base`. Never throws. */
export function resolvePath(base: string, path: string): Resolved {
  const whole = isAbsolute(path) ? path : `${base}${sep}${path}`;
  const { root } = parse(resolve(whole));
  const pending = split(whole.slice(parse(whole).root.length)).reverse();
  let current = root;
  let absent = 0;
  let links = 0;
  for (let name = pending.pop(); name !== undefined; name = pending.pop()) {
    if (name === "" || name === ".") continue;
    if (name === "..") {
      current = dirname(current);
      absent = Math.max(0, absent - 1);
      continue;
    }
    const next = join(current, name);
    if (absent > 0) {
      absent++;
      current = next;
      continue;
    }
    const entry = look(next);
    if (entry.type === "failed") return { ok: false, reason: `${next} cannot be looked at (${entry.code})` };
    if (entry.type === "link") {
      if (++links > MAX_LINKS) return { ok: false, reason: `${path} leads through too many links` };
      if (isAbsolute(entry.target)) current = parse(resolve(entry.target)).root;
      pending.push(...split(entry.target).reverse());
      continue;
    }
    if (entry.type === "absent") absent = 1;
    current = next;
  }
  return { ok: true, path: current, exists: absent === 0 };
}

/** Whether `path` is `root` or lies below it, compared name by name. Takes resolved paths. */
export function isInside(root: string, path: string): boolean {
  const way = relative(root, path);
  return way === "" || (way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}

/** The names of a path; a backslash parts them too, where the platform says so. */
export function split(path: string, separator = sep): string[] {
  return separator === "\\" ? path.split(/[\\/]/) : path.split("/");
}

type Entry =
  | { readonly type: "present" | "absent" }
  | { readonly type: "link"; readonly target: string }
  | { readonly type: "failed"; readonly code: string };

function look(path: string): Entry {
  try {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (stats === undefined) return { type: "absent" };
    return stats.isSymbolicLink() ? { type: "link", target: readlinkSync(path) } : { type: "present" };
  } catch (error) {
    const code = String(errnoOf(error));
    return code === "ENOTDIR" ? { type: "absent" } : { type: "failed", code };
  }
}
