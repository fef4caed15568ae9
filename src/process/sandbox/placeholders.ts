/**
 * Keeps names from being created: puts something empty there for as long as sandboxed commands run.
 *
 * Floor 2 (process). A mount needs something to be mounted on. It must stay until the last command is
 * over that relies on it, in whatever process: what is removed outside loses its mount inside. So all
 * who use a workspace are written down in one file, under a lock.
 */
import {
  closeSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { threadId } from "node:worker_threads";
import { errnoOf } from "../classify.ts";
import { sandboxFailure } from "./failure.ts";
import { isSameProcess, type ProcessIdentity, thisProcess } from "./process-identity.ts";
import { withWorkspaceLock } from "./workspace-lock.ts";

/** What stands where nothing may be created. */
export interface Placeholder {
  readonly path: string;
  readonly type: "file" | "directory";
}

/** Placeholders that stay until they are released. */
export interface HeldPlaceholders {
  readonly placeholders: readonly Placeholder[];
  /** Something empty of each type that nobody writes, to be mounted over them. */
  readonly empty: Readonly<Record<Placeholder["type"], string>>;
  /** Removes them, unless somebody else still needs them or something was put there. */
  release(): void;
}

interface State {
  readonly holders: readonly Holder[];
  /** As in the options: with a `/` at the end for a directory. */
  readonly names: readonly string[];
}

interface Holder extends ProcessIdentity {
  readonly id: string;
}

/** One command's claim. */
interface Hold {
  readonly workspace: string;
  readonly names: readonly string[];
  readonly holder: Holder;
}

let nextId = 0;

/**
 * Holds a place for each of `names` that is absent at the top of `workspace`.
 *
 * @param names - With a `/` at the end: a directory.
 * @throws ToolError with TOOL_SANDBOX_FAILED when a name is a link, which nothing can be mounted on, or when
 * the workspace cannot be written.
 */
export function holdPlaceholders(workspace: string, names: readonly string[]): HeldPlaceholders {
  const hold: Hold = { workspace, names, holder: { ...thisProcess(), id: `${threadId}-${nextId++}` } };
  const { empty, held } = withWorkspaceLock(workspace, (folder) => {
    try {
      return take(folder, hold);
    } catch (error) {
      giveBack(folder, hold);
      throw error;
    }
  });
  return {
    placeholders: held.map((name) => ({ path: pathOf(workspace, name), type: typeOf(name) })),
    empty,
    release: () => withWorkspaceLock(workspace, (folder) => giveBack(folder, hold)),
  };
}

function take(folder: string, { workspace, names, holder }: Hold) {
  const before = readState(folder);
  const missing = names.filter((name) => isAbsent(pathOf(workspace, name)));
  const holders = [...before.holders.filter(isSameProcess), holder];
  // Written before anything is created, so that nothing is left behind that nobody knows of.
  const state: State = { holders, names: [...new Set([...before.names, ...missing])] };
  writeState(folder, state);
  for (const name of missing) create(workspace, name);
  return { empty: createEmpty(folder), held: state.names.filter((name) => !isAbsent(pathOf(workspace, name))) };
}

function giveBack(folder: string, { workspace, holder }: Hold): void {
  const { pid, startedAt, id } = holder;
  const { holders, names } = readState(folder);
  const isUs = (other: Holder) => other.pid === pid && other.startedAt === startedAt && other.id === id;
  const others = holders.filter((other) => !isUs(other) && isSameProcess(other));
  if (others.length > 0) {
    writeState(folder, { holders: others, names });
    return;
  }
  for (const name of names) remove(pathOf(workspace, name), typeOf(name));
  const own = [stateFile(folder), ...Object.values(emptiesIn(folder))];
  for (const path of own) rmSync(path, { force: true, recursive: true });
}

/** @throws ToolError when it is a link: it could be replaced, and nothing can be mounted on it. */
function isAbsent(path: string): boolean {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats?.isSymbolicLink() !== true) return stats === undefined;
  throw sandboxFailure(
    `${path} is a link, and a sandbox cannot keep a link from being replaced. Put the file itself there, or leave its name out of absentNames.`,
  );
}

function create(workspace: string, name: string): void {
  const path = pathOf(workspace, name);
  try {
    if (typeOf(name) === "directory") mkdirSync(path);
    else closeSync(openSync(path, "wx"));
  } catch (error) {
    if (errnoOf(error) === "EEXIST") return;
    throw sandboxFailure(`${path} cannot be kept from being created (${errnoOf(error)}).`, error);
  }
}

/** Only what is still empty: what somebody has written there meanwhile is theirs. */
function remove(path: string, type: Placeholder["type"]): void {
  try {
    if (type === "directory") rmdirSync(path);
    else if (lstatSync(path).size === 0) unlinkSync(path);
  } catch {
    // Not empty, or gone.
  }
}

function typeOf(name: string): Placeholder["type"] {
  return name.endsWith("/") ? "directory" : "file";
}

function pathOf(workspace: string, name: string): string {
  return join(workspace, name.replace(/\/$/, ""));
}

function createEmpty(folder: string): HeldPlaceholders["empty"] {
  const empty = emptiesIn(folder);
  writeFileSync(empty.file, "", { mode: 0o600 });
  mkdirSync(empty.directory, { recursive: true, mode: 0o700 });
  return empty;
}

function emptiesIn(folder: string): HeldPlaceholders["empty"] {
  return { file: join(folder, "empty-file"), directory: join(folder, "empty-directory") };
}

const stateFile = (folder: string) => join(folder, "state.json");

function readState(folder: string): State {
  try {
    return JSON.parse(readFileSync(stateFile(folder), "utf8")) as State;
  } catch {
    // Nobody has been here.
    return { holders: [], names: [] };
  }
}

function writeState(folder: string, state: State): void {
  const draft = `${stateFile(folder)}.new`;
  writeFileSync(draft, JSON.stringify(state), { mode: 0o600 });
  renameSync(draft, stateFile(folder));
}
