/**
 * The listFiles tool: what is in a folder, and in the folders below it.
 *
 * Wing (adapters). Node only.
 */
import type { JsonSchema } from "../../../../contract/schema.ts";
import type { Tool, ToolResult } from "../../../../contract/tool.ts";
import { formatCount } from "../../../../util/text.ts";
import { findFolder } from "../access/find-place.ts";
import { answer } from "../answer.ts";
import { asked } from "../options.ts";
import { createBudget } from "../search/budget.ts";
import { levelsAbove } from "../search/ignore-rules.ts";
import { createPager } from "../search/pager.ts";
import type { Workspace } from "../workspace.ts";
import { listFolder } from "./list-folder.ts";

/** What the model gives. */
export interface ListFilesArguments {
  path?: string | undefined;
  depth?: number | undefined;
  offset?: number | undefined;
  limit?: number | undefined;
}

const DEFAULT_LIMIT = 200;
const MAX_LIMIT = 2_000;
const MAX_DEPTH = 10;
/** Room for the notes below the list. */
const NOTES_CHARS = 500;

export function listFilesIn(workspace: Workspace): Tool<ListFilesArguments> {
  const { outputChars, searchMs } = workspace.options;
  return {
    name: "listFiles",
    description: [
      "Lists a folder of the workspace, one entry a line with its path from the workspace on: folders end in /, files show their size, links where they lead.",
      "Folders that .gitignore leaves out and protected ones are named but not looked into.",
      `At most ${formatCount(outputChars)} characters come at a time; the note at the end says how to read on.`,
    ].join(" "),
    parameters: PARAMETERS,
    access: "read",
    idempotent: true,
    maxResultChars: outputChars,
    timeoutMs: searchMs * 2,
    execute: (args, context): Promise<ToolResult> =>
      answer({ workspace, context, subject: args.path ?? "." }, (signal) => list(workspace, args, signal)),
  };
}

const PARAMETERS: JsonSchema = {
  type: "object",
  properties: {
    path: { type: "string", description: "The folder, relative to the workspace. Default the workspace itself." },
    depth: {
      type: "integer",
      minimum: 1,
      maximum: MAX_DEPTH,
      description: `How many levels of folders to show. Default 1, at most ${MAX_DEPTH}.`,
    },
    offset: { type: "integer", minimum: 0, description: "How many entries to pass over. Default 0." },
    limit: {
      type: "integer",
      minimum: 1,
      maximum: MAX_LIMIT,
      description: `How many entries to show. Default ${DEFAULT_LIMIT}, at most ${MAX_LIMIT}.`,
    },
  },
  additionalProperties: false,
};

async function list(workspace: Workspace, args: ListFilesArguments, signal: AbortSignal): Promise<string> {
  const { outputChars, searchMs } = workspace.options;
  const folder = await findFolder(workspace, args.path);
  const budget = createBudget(signal, searchMs);
  const pager = createPager({
    offset: asked(args.offset, 0, Number.MAX_SAFE_INTEGER, 0),
    limit: asked(args.limit, DEFAULT_LIMIT, MAX_LIMIT),
    maxChars: outputChars - NOTES_CHARS,
    noun: "entry",
    plural: "entries",
  });
  const levels = await levelsAbove(workspace, folder.shown);
  await listFolder(workspace, { budget, pager, depth: asked(args.depth, 1, MAX_DEPTH) }, folder.shown, levels);
  if (pager.found === 0 && budget.notes().length === 0) return "[the folder is empty]";
  return [...pager.shown, ...[pager.note(), ...budget.notes()].map((note) => `[${note}]`)].join("\n");
}
