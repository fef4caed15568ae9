/**
 * The types of path confinement.
 *
 * Floor 2 (process).
 */
import type { FileHandle } from "node:fs/promises";

/** What is to be done with a path. Everything that is not a reading counts as a writing. */
export type PathOp = "read" | "list" | "write" | "delete";

/** A path and what is to be done with it. */
export interface PathRequest {
  readonly op: PathOp;
  /** Absolute, or relative to `base`. */
  readonly path: string;
  /** Where a relative path starts. @defaultValue the first root */
  readonly base?: string | undefined;
}

/** The answer to a path. `path` is the real one, which is the one to use. */
export type PathVerdict =
  | { readonly decision: "allow"; readonly path: string; readonly root: string; readonly exists: boolean }
  /** `isOutside`: the path is a path like any other, it only leads elsewhere. */
  | { readonly decision: "deny"; readonly reason: string; readonly isOutside: boolean };

/** What `createConfinement` takes. */
export interface ConfinementOptions {
  /** The directories that paths may lie in. One that does not exist yet is taken as it is written. */
  readonly roots: readonly string[];
  /** Names that are neither read nor written; `*` stands for any characters. @defaultValue `PROTECTED_NAMES` */
  readonly protectedNames?: readonly string[] | undefined;
  /** Names that are read but not written. @defaultValue `READ_ONLY_NAMES` */
  readonly readOnlyNames?: readonly string[] | undefined;
}

/** A fixed set of roots. */
export interface Confinement {
  /** The real roots. */
  readonly roots: readonly string[];
  /** Whether a name is refused wherever it stands. */
  isProtected(name: string): boolean;
  /** Decides about a path, as the file system stands now. Never throws. */
  check(request: PathRequest): PathVerdict;
  /**
   * Opens what {@link Confinement.check} allows and makes sure that the descriptor is the file that was allowed,
   * also when a directory was exchanged for a link in between. The caller closes it.
   *
   * @throws PermissionError when the path is not allowed; the system's own error when it cannot be opened.
   */
  open(request: OpenRequest): Promise<OpenedPath>;
  /** Opens the directory of a path, so that it can be created, renamed or removed there. The caller closes it. */
  openPlace(request: PathRequest): Promise<OpenedPlace>;
}

/** How a file is opened: to read, to write from its start, to add at its end, or to create it and nothing else. */
export type OpenFlags = "r" | "r+" | "w" | "a" | "wx";

/** A path to open. */
export interface OpenRequest extends PathRequest {
  /** @defaultValue "r" */
  readonly flags?: OpenFlags | undefined;
}

/** An open file or directory inside the workspace. */
export interface OpenedPath {
  readonly handle: FileHandle;
  /** Its real path. */
  readonly path: string;
}

/** The verified directory of a path. */
export interface OpenedPlace {
  /** Keeps the directory; close it when the work there is done. */
  readonly handle: FileHandle;
  /** The real path of what was asked for. */
  readonly path: string;
  /** The last name of it. */
  readonly name: string;
  /** The path of a name in this very directory, whatever has been renamed meanwhile (Linux). */
  at(name: string): string;
}
