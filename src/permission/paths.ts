/**
 * Decides about one path: the pure form of the confinement.
 *
 * Floor 4 (permission). Node only.
 */
import { createConfinement } from "../process/confine.ts";
import type { PathOp } from "../process/confine-types.ts";
import type { Verdict } from "./verdict.ts";

/** What {@link checkPath} takes. */
export interface PathQuestion {
  /** The directory that the path must lie in. */
  readonly root: string;
  readonly op: PathOp;
  /** Absolute, or relative to the root. */
  readonly path: string;
}

/**
 * Decides whether a path may be read or written, as the file system stands now: links are followed, also
 * where the end of the path does not exist yet. Reads nothing but directory entries.
 *
 * @example
 * checkPath({ root: "/srv/project", op: "write", path: ".git/hooks/pre-commit" }); // { decision: "deny", reason: … }
 */
export function checkPath({ root, op, path }: PathQuestion): Verdict {
  const verdict = createConfinement({ roots: [root] }).check({ op, path });
  if (verdict.decision === "allow") return { decision: "allow", reason: "inside of the root" };
  return { decision: "deny", reason: verdict.reason };
}
