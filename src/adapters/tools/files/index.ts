/**
 * The file tools, one by one and as the set of a workspace.
 *
 * Wing (adapters). Node only.
 */
import type { AnyTool, Tool } from "../../../contract/tool.ts";
import type { Edit } from "./edit-file/apply-edits.ts";
import { type EditFileArguments, editFileIn } from "./edit-file/index.ts";
import { type GlobFilesArguments, globFilesIn } from "./glob-files/index.ts";
import { type GrepFilesArguments, grepFilesIn } from "./grep-files/index.ts";
import { type ListFilesArguments, listFilesIn } from "./list-files/index.ts";
import type { WorkspaceOptions } from "./options.ts";
import { type ReadFileArguments, readFileIn } from "./read-file/index.ts";
import { createWorkspace } from "./workspace.ts";
import { type WriteFileArguments, writeFileIn } from "./write-file/index.ts";

export type {
  Edit,
  EditFileArguments,
  GlobFilesArguments,
  GrepFilesArguments,
  ListFilesArguments,
  ReadFileArguments,
  WorkspaceOptions,
  WriteFileArguments,
};

/** Options of {@link workspaceTools}. */
export interface WorkspaceToolsOptions extends WorkspaceOptions {
  /** Leave out the tools that write. @defaultValue false */
  readOnly?: boolean | undefined;
}

/**
 * The file tools of one folder: readFile, listFiles, globFiles, grepFiles, writeFile and editFile. None
 * of them leads out of it, whatever paths and links a model makes use of.
 *
 * @param root - The folder, fixed from now on: its real path is taken once.
 * @throws TypeError when the root is no path, or an option is not valid.
 * @example
 * const runtime = createRuntime({ model, tools: workspaceTools("/srv/project"), permission: allowTools("writeFile", "editFile") });
 */
export function workspaceTools(root: string, options: WorkspaceToolsOptions = {}): readonly AnyTool[] {
  const workspace = createWorkspace(root, options);
  const reading = [readFileIn(workspace), listFilesIn(workspace), globFilesIn(workspace), grepFilesIn(workspace)];
  return options.readOnly === true ? reading : [...reading, writeFileIn(workspace), editFileIn(workspace)];
}

/** Reads a text file in numbered lines, page by page. Access "read". @throws TypeError as {@link workspaceTools} */
export function readFile(root: string, options: WorkspaceOptions = {}): Tool<ReadFileArguments> {
  return readFileIn(createWorkspace(root, options));
}

/** Writes a whole text file, atomically. Access "write". @throws TypeError as {@link workspaceTools} */
export function writeFile(root: string, options: WorkspaceOptions = {}): Tool<WriteFileArguments> {
  return writeFileIn(createWorkspace(root, options));
}

/** Replaces exact texts in a file, all or none. Access "write". @throws TypeError as {@link workspaceTools} */
export function editFile(root: string, options: WorkspaceOptions = {}): Tool<EditFileArguments> {
  return editFileIn(createWorkspace(root, options));
}

/** Lists a folder. Access "read". @throws TypeError as {@link workspaceTools} */
export function listFiles(root: string, options: WorkspaceOptions = {}): Tool<ListFilesArguments> {
  return listFilesIn(createWorkspace(root, options));
}

/** Finds files by their names. Access "read". @throws TypeError as {@link workspaceTools} */
export function globFiles(root: string, options: WorkspaceOptions = {}): Tool<GlobFilesArguments> {
  return globFilesIn(createWorkspace(root, options));
}

/** Finds lines by a pattern. Access "read". @throws TypeError as {@link workspaceTools} */
export function grepFiles(root: string, options: WorkspaceOptions = {}): Tool<GrepFilesArguments> {
  return grepFilesIn(createWorkspace(root, options));
}
