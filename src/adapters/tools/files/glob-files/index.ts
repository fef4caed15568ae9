/**
 * The globFiles tool: files by their names.
 *
 * Wing (adapters). Node only.
 */
import type { JsonSchema } from "../../../../contract/schema.ts";
import type { Tool } from "../../../../contract/tool.ts";
import { quoteValue } from "../../../../util/text.ts";
import { findFolder } from "../access/find-place.ts";
import { createBudget } from "../search/budget.ts";
import { compileGlob } from "../search/glob.ts";
import { createPager } from "../search/pager.ts";
import { type PageArguments, pageOf, pageParameters, pageText, searchToolIn } from "../search/search-tool.ts";
import { shownName } from "../search/shown-name.ts";
import { walk } from "../search/walk.ts";
import type { Workspace } from "../workspace.ts";

/** What the model gives. */
export interface GlobFilesArguments extends PageArguments {
  pattern: string;
  includeIgnored?: boolean | undefined;
}

const LIMITS = { standard: 200, most: 2_000 };

export function globFilesIn(workspace: Workspace): Tool<GlobFilesArguments> {
  return searchToolIn(workspace, {
    name: "globFiles",
    description: [
      "Finds files by a glob and returns their paths from the workspace on, sorted by name.",
      'A glob without a slash is found in every folder: "*.ts"; one with a slash starts in the folder given as path: "src/**/*.test.{ts,tsx}".',
      "What .gitignore files leave out, protected names and links are passed over.",
    ],
    parameters: PARAMETERS,
    search: find,
  });
}

const PARAMETERS: JsonSchema = {
  type: "object",
  properties: {
    pattern: {
      type: "string",
      description: "The glob: * within a name, ** across folders, ?, [abc], {one,other}. Upper and lower case differ.",
    },
    path: { type: "string", description: "The folder to search, relative to the workspace. Default all of it." },
    includeIgnored: { type: "boolean", description: "Also find what .gitignore files leave out. Default false." },
    ...pageParameters("files", LIMITS),
  },
  required: ["pattern"],
  additionalProperties: false,
};

async function find(workspace: Workspace, args: GlobFilesArguments, signal: AbortSignal): Promise<string> {
  const folder = await findFolder(workspace, args.path);
  const glob = compileGlob(args.pattern, folder.path);
  const budget = createBudget(signal, workspace.options.searchMs);
  const pager = createPager({ ...pageOf(workspace, args, LIMITS), noun: "file", plural: "files" });
  const base = folder.shown === "." ? 0 : folder.shown.length + 1;
  const includeIgnored = args.includeIgnored === true;
  for await (const { path, type } of walk(workspace, { folder: folder.shown, includeIgnored, budget })) {
    if (type !== "file" || !glob(path.slice(base))) continue;
    const next = pager.next();
    if (next === "stop" || (next === "show" && !pager.show(shownName(path)))) break;
  }
  return pageText(pager, budget, `no file fits ${quoteValue(args.pattern)} in ${quoteValue(folder.shown)}`);
}
