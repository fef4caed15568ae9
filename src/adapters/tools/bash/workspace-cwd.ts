/**
 * Keeps the working directory that a model asks for inside the workspace.
 *
 * Wing (adapters). Order, not security: the command itself can go anywhere. The gate and a sandbox
 * decide what it may do.
 */
import { realpathSync } from "node:fs";
import { resolve } from "node:path";
import { isInside } from "../../../process/confine-resolve.ts";

/** Where a command runs, or why not. */
export type WorkspaceCwd =
  | { readonly ok: true; readonly cwd: string }
  | { readonly ok: false; readonly reason: string };

/** Resolves `asked` against the workspace. A directory that does not exist is let through, for the start to say so. */
export function workspaceCwd(root: string, asked: string | undefined): WorkspaceCwd {
  if (asked === undefined || asked === "") return { ok: true, cwd: root };
  const cwd = resolve(root, asked);
  const real = realPath(cwd);
  if (real === undefined || isInside(realPath(root) ?? root, real)) return { ok: true, cwd };
  return { ok: false, reason: `working directory ${cwd} is outside of the workspace ${root}` };
}

function realPath(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}
