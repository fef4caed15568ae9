/** A folder to be confined to, beside others that are not to be reached. */
import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createConfinement } from "../../src/process/confine.ts";
import type { Confinement } from "../../src/process/confine-types.ts";

export interface ConfinedFolder {
  /** Holds the root, and what is outside of it. */
  readonly base: string;
  readonly root: string;
  readonly confinement: Confinement;
}

/** Whoever makes it removes `base`. */
export function makeConfinedFolder(): ConfinedFolder {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "harness-confine-")));
  const root = join(base, "proj");
  mkdirSync(join(root, "sub"), { recursive: true });
  mkdirSync(join(base, "proj-evil"));
  mkdirSync(join(base, "out"));
  writeFileSync(join(base, "out", "secret.txt"), "secret");
  writeFileSync(join(root, "a.txt"), "inside");
  return { base, root, confinement: createConfinement({ roots: [root] }) };
}
