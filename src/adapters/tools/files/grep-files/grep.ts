/**
 * One search: the files, their hits, the page.
 *
 * Wing (adapters). Node only.
 */
import { quoteValue } from "../../../../util/text.ts";
import { findPlace, type Place } from "../access/find-place.ts";
import { asked } from "../options.ts";
import { isUnreadable } from "../refusal.ts";
import { type Budget, createBudget } from "../search/budget.ts";
import { compileGlob } from "../search/glob.ts";
import type { Workspace } from "../workspace.ts";
import { candidates } from "./candidates.ts";
import type { Hit } from "./hits.ts";
import { DEFAULT_LIMIT, MAX_CONTEXT, MAX_COUNTED, MAX_LIMIT } from "./limits.ts";
import { compileMatcher, type Query } from "./matcher.ts";
import { fileReport, lineReport, type Report } from "./report.ts";
import { createPrefilter } from "./ripgrep.ts";
import { type FileSearch, searchFile } from "./search-file.ts";

/** What the model gives. */
export interface GrepFilesArguments {
  pattern: string;
  path?: string | undefined;
  glob?: string | undefined;
  literal?: boolean | undefined;
  ignoreCase?: boolean | undefined;
  context?: number | undefined;
  output?: "lines" | "files" | undefined;
  includeIgnored?: boolean | undefined;
  offset?: number | undefined;
  limit?: number | undefined;
}

/** Room for the notes below the hits. */
const NOTES_CHARS = 500;

export async function grep(workspace: Workspace, args: GrepFilesArguments, signal: AbortSignal): Promise<string> {
  const query = { pattern: args.pattern, isLiteral: args.literal === true, ignoreCase: args.ignoreCase === true };
  const matcher = compileMatcher(query);
  const place = await findPlace(workspace, args.path);
  const budget = createBudget(signal, workspace.options.searchMs);
  const { report, search } = plan(workspace, args);
  const run: Search = { report, budget, search: { ...search, matcher, signal } };
  if (place.type === "file") report.add(place.shown, await searchFile(workspace, place.path, run.search));
  else await searchFolder(workspace, run, await filesToSearch(workspace, args, query, place, budget));
  const { pager } = report;
  const none = `no line matches ${quoteValue(args.pattern)} in ${quoteValue(place.shown)}`;
  const notes = [pager.found === 0 ? none : pager.note(), ...budget.notes()];
  return [...pager.shown, ...notes.map((note) => `[${note}]`)].join("\n");
}

interface Search {
  readonly report: Report;
  readonly budget: Budget;
  readonly search: FileSearch;
}

function plan(workspace: Workspace, args: GrepFilesArguments) {
  const offset = asked(args.offset, 0, Number.MAX_SAFE_INTEGER, 0);
  const limit = asked(args.limit, DEFAULT_LIMIT, MAX_LIMIT);
  const options = { offset, limit, maxChars: workspace.options.outputChars - NOTES_CHARS };
  if (args.output === "files") return { report: fileReport(options), search: { context: 0, most: MAX_COUNTED } };
  // One more than can be shown: so it is known whether there are more.
  const search = { context: asked(args.context, 0, MAX_CONTEXT, 0), most: offset + limit + 1 };
  return { report: lineReport(options), search };
}

async function filesToSearch(
  workspace: Workspace,
  args: GrepFilesArguments,
  query: Query,
  place: Place,
  budget: Budget,
): Promise<AsyncGenerator<readonly string[]>> {
  const glob = args.glob === undefined || args.glob === "" ? undefined : compileGlob(args.glob, place.path);
  const prefilter = await createPrefilter(workspace, query);
  const includeIgnored = args.includeIgnored === true;
  return candidates(workspace, { folder: place.shown, includeIgnored, budget, glob, prefilter });
}

/** Files that are read side by side. */
const SIDE_BY_SIDE = 8;

async function searchFolder(
  workspace: Workspace,
  { report, budget, search }: Search,
  batches: AsyncGenerator<readonly string[]>,
): Promise<void> {
  for await (const files of batches) {
    for (let start = 0; start < files.length; start += SIDE_BY_SIDE) {
      if (!budget.mayGoOn()) return;
      const group = files.slice(start, start + SIDE_BY_SIDE);
      const found = await Promise.all(group.map((file) => searchQuietly(workspace, file, search)));
      if (!group.every((file, index) => report.add(file, found[index] ?? []))) return;
    }
  }
}

/** A file that is gone, exchanged or not permitted since it was seen has no hits. */
async function searchQuietly(workspace: Workspace, file: string, search: FileSearch): Promise<readonly Hit[]> {
  try {
    return await searchFile(workspace, file, search);
  } catch (error) {
    if (isUnreadable(error)) return [];
    throw error;
  }
}
