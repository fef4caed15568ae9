/**
 * What a sandbox shows of the file system, and how bwrap is told.
 *
 * Floor 2 (process). Pure. What is not mounted is not there.
 */

/** One thing that can be seen inside. */
export type Mount =
  /** As it is outside, at the same path. */
  | { readonly type: "readOnly" | "writable"; readonly path: string }
  /** A link, with its target. */
  | { readonly type: "link"; readonly path: string; readonly target: string }
  /** Writable and empty, gone after the command. */
  | { readonly type: "scratch"; readonly path: string }
  /** A directory that looks empty and cannot be changed. */
  | { readonly type: "emptyDirectory"; readonly path: string }
  /** A file that is something else: `/dev/null` cannot even be opened here. */
  | { readonly type: "covered"; readonly path: string; readonly source: string }
  | { readonly type: "proc" | "dev"; readonly path: string };

/**
 * Writes mounts as options of bwrap: what lies above before what lies below, and of two at one path the
 * later one last, which is the one that counts.
 */
export function toBubblewrapOptions(mounts: readonly Mount[]): string[] {
  const ordered = mounts
    .map((mount, index) => ({ mount, index, depth: depthOf(mount.path) }))
    .sort((one, other) => one.depth - other.depth || one.index - other.index)
    .map(({ mount }) => mount);
  const closed = ordered.filter(({ type }) => type === "emptyDirectory").map(({ path }) => path);
  // Closed at the end only: what is mounted inside needs a place first.
  return [...ordered.flatMap(toOptions), ...[...closed, "/"].flatMap((path) => ["--remount-ro", path])];
}

function depthOf(path: string): number {
  return path.split("/").filter((name) => name !== "").length;
}

function toOptions(mount: Mount): string[] {
  switch (mount.type) {
    case "readOnly":
      return ["--ro-bind", mount.path, mount.path];
    case "writable":
      return ["--bind", mount.path, mount.path];
    case "link":
      return ["--symlink", mount.target, mount.path];
    case "scratch":
    case "emptyDirectory":
      return ["--tmpfs", mount.path];
    case "covered":
      return ["--ro-bind", mount.source, mount.path];
    default:
      return [`--${mount.type}`, mount.path];
  }
}
