/**
 * The listFiles tool: what is in a folder, and in the folders below it.
 *
 * Wing (adapters). Node only.
 */
import type { JsonSchema } from "../../../../contract/schema.ts";
import type { Tool } from "../../../../contract/tool.ts";
import { findFolder } from "../access/find-place.ts";
import { asked } from "../options.ts";
import { createBudget } from "../search/budget.ts";
import { levelsAbove } from "../search/ignore-rules.ts";
import { createPager } from "../search/pager.ts";
import { type PageArguments, pageOf, pageParameters, pageText, searchToolIn } from "../search/search-tool.ts";
import type { Workspace } from "../workspace.ts";
import { listFolder } from "./list-folder.ts";

/** What the model gives. */
export interface ListFilesArguments extends PageArguments {
  depth?: number | undefined;
}

const LIMITS = { standard: 200, most: 2_000 };
const MAX_DEPTH = 10;

export function listFilesIn(workspace: Workspace): Tool<ListFilesArguments> {
  return searchToolIn(workspace, {
    name: "listFiles",
    description: [
      "Lists a folder of the workspace, one entry a line with its path from the workspace on: folders end in /, files show their size, links where they lead.",
      "Folders that .gitignore leaves out and protected ones are named but not looked into.",
    ],
    parameters: PARAMETERS,
    search: list,
  });
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
    ...pageParameters("entries", LIMITS),
  },
  additionalProperties: false,
};

async function list(workspace: Workspace, args: ListFilesArguments, signal: AbortSignal): Promise<string> {
  const folder = await findFolder(workspace, args.path);
  const budget = createBudget(signal, workspace.options.searchMs);
  const pager = createPager({ ...pageOf(workspace, args, LIMITS), noun: "entry", plural: "entries" });
  const levels = await levelsAbove(workspace, folder.shown);
  await listFolder(workspace, { budget, pager, depth: asked(args.depth, 1, MAX_DEPTH) }, folder.shown, levels);
  if (pager.found === 0 && budget.notes().length === 0) return "[the folder is empty]";
  // Where the time ran out before the first entry, the note of the page is what there is to say.
  return pageText(pager, budget, pager.note());
}
