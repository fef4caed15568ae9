/**
 * Creates the folders above a path, each below a verified descriptor of the one before.
 *
 * Wing (adapters). Node only.
 */
import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { systemCode } from "../refusal.ts";
import type { Workspace } from "../workspace.ts";

/**
 * @returns The real paths of the folders that were created, the outermost first.
 * @throws PermissionError when one of them is not allowed; the system's own error.
 */
export async function makeFolders(workspace: Workspace, path: string): Promise<readonly string[]> {
  const created: string[] = [];
  for (const folder of missingFolders(workspace, path)) {
    const place = await workspace.confinement.openPlace({ op: "write", path: folder });
    try {
      await mkdir(place.at(place.name));
      created.push(folder);
    } catch (error) {
      // Somebody else was faster; if it is no folder, the next step says so.
      if (systemCode(error) !== "EEXIST") throw error;
    } finally {
      await place.handle.close();
    }
  }
  return created;
}

function missingFolders(workspace: Workspace, path: string): string[] {
  const missing: string[] = [];
  for (let folder = dirname(path); folder !== workspace.root && dirname(folder) !== folder; folder = dirname(folder)) {
    const verdict = workspace.confinement.check({ op: "list", path: folder });
    if (verdict.decision === "allow" && verdict.exists) break;
    missing.unshift(folder);
  }
  return missing;
}
