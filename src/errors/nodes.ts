/**
 * Finds the errors inside an error: SDKs wrap what happened up to four deep.
 *
 * Floor 1 (errors).
 */

import { kindOf } from "./brand.ts";
import type { AnyHarnessError } from "./harness-error.ts";
import { isObject, read } from "./read.ts";

/** Where wrappers keep what they wrap. */
const LINKS = ["cause", "lastError", "originalError", "reason"] as const;
const MAX_DEPTH = 8;
const MAX_NODES = 16;

/** The errors inside a value, outermost first. */
export interface Nodes {
  /** Errors that others made. */
  readonly foreign: readonly object[];
  /** Errors of ours. What they wrap is their own business and is not looked into. */
  readonly own: readonly AnyHarnessError[];
}

/** Collects a value and what it wraps, breadth first, each object once. */
export function collectNodes(root: unknown): Nodes {
  const foreign: object[] = [];
  const own: AnyHarnessError[] = [];
  const seen = new Set<unknown>();
  const queue = [{ value: root, depth: 0 }];
  for (const { value, depth } of queue) {
    if (!isObject(value) || seen.has(value) || seen.size >= MAX_NODES || depth > MAX_DEPTH) continue;
    seen.add(value);
    if (kindOf(value) !== undefined) {
      own.push(value as AnyHarnessError);
      continue;
    }
    foreign.push(value);
    for (const link of LINKS) queue.push({ value: read(value, link), depth: depth + 1 });
  }
  return { foreign, own };
}
