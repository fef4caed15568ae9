/**
 * What one command of a bubblewrap sandbox sees.
 *
 * Floor 2 (process). Put together anew for each command, since the one before may have changed the workspace.
 */
import { existsSync, realpathSync } from "node:fs";
import { homedir } from "node:os";
import { isAbsolute, resolve } from "node:path";
import { nameList } from "../confine-names.ts";
import { isInside } from "../confine-resolve.ts";
import type { BubblewrapSettings } from "./bubblewrap-options.ts";
import { sandboxFailure } from "./failure.ts";
import type { Mount } from "./mounts.ts";
import { type HeldPlaceholders, holdPlaceholders } from "./placeholders.ts";
import { findProtected, type ProtectedPath } from "./protected-paths.ts";
import { covered } from "./system-view.ts";
import { LOCK_BASE } from "./workspace-lock.ts";

/** What a command sees, until it is released. */
export interface BubblewrapView {
  readonly mounts: readonly Mount[];
  /** To be called when the command is over. */
  release(): void;
}

/** What all commands of a sandbox have in common. */
export interface BubblewrapScene {
  readonly settings: BubblewrapSettings;
  /** The part of the machine that all of them see. */
  readonly system: readonly Mount[];
}

/**
 * Puts together what a command with this environment sees.
 *
 * @throws ToolError with TOOL_SANDBOX_FAILED when something cannot be shown, or cannot be protected.
 */
export function openView(scene: BubblewrapScene, home: string | undefined): BubblewrapView {
  const held = holdPlaceholders(scene.settings.workspace, scene.settings.absentNames);
  try {
    return { mounts: mountsOf(scene, home ?? homedir(), held), release: held.release };
  } catch (error) {
    held.release();
    throw error;
  }
}

function mountsOf({ settings, system }: BubblewrapScene, home: string, held: HeldPlaceholders): Mount[] {
  const isHeld = new Set(held.placeholders.map(({ path }) => path));
  const shown: Mount[] = [
    ...system.filter(({ type, path }) => type !== "covered" || existsSync(path)),
    ...homeMounts(home, settings.workspace),
    ...settings.readable.map((path): Mount => ({ type: "readOnly", path: existing("readable", path) })),
    ...settings.writable.map((path): Mount => ({ type: "writable", path: existing("writable", path) })),
    { type: "writable", path: settings.workspace },
  ];
  return [
    ...shown,
    ...hiddenMounts([...settings.hidden, LOCK_BASE], shown),
    ...findProtected(scanOf(settings))
      .filter(({ path }) => !isHeld.has(path))
      .map(protectedMount),
    ...held.placeholders.map(({ path, type }): Mount => ({ type: "covered", path, source: held.empty[type] })),
  ];
}

/** What is protected by its name right now. */
export function scanOf({ workspace, protectedNames, readOnlyNames, scanDepth }: BubblewrapSettings) {
  return { workspace, isHidden: nameList(protectedNames), isReadOnly: nameList(readOnlyNames), depth: scanDepth };
}

function protectedMount({ path, access, type }: ProtectedPath): Mount {
  if (access === "readOnly") return { type: "readOnly", path };
  return type === "directory" ? { type: "emptyDirectory", path } : { type: "covered", path, source: "/dev/null" };
}

/** Programs write to their home directory: there they may, and it is gone afterwards. */
export function homeMounts(home: string, workspace: string): Mount[] {
  const path = resolve(home);
  const isTaken = [workspace, "/usr", "/etc", "/opt", "/proc", "/dev"].some((folder) => isInside(folder, path));
  return !isAbsolute(home) || path === "/" || isTaken ? [] : [{ type: "scratch", path }];
}

/** The real path: under a second name nothing would be protected. */
function existing(option: string, path: string): string {
  try {
    return realpathSync(path);
  } catch (error) {
    throw sandboxFailure(`bubblewrapSandbox: ${option} names ${path}, which does not exist.`, error);
  }
}

/** Only what would be seen needs to be hidden. */
function hiddenMounts(paths: readonly string[], shown: readonly Mount[]): Mount[] {
  const places = shown.filter(({ type }) => type === "readOnly" || type === "writable");
  return paths
    .filter((path) => existsSync(path))
    .map((path) => realpathSync(path))
    .filter((path) => places.some((place) => isInside(place.path, path) || isInside(path, place.path)))
    .map(covered);
}
