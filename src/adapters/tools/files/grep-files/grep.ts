/**
 * One search: the files, their hits, the page.
 *
 * Wing (adapters). Node only.
 */
import { letGo } from "../../../../util/let-go.ts";
import { quoteValue } from "../../../../util/text.ts";
import { findPlace, type Place } from "../access/find-place.ts";
import { asked } from "../options.ts";
import { createBudget } from "../search/budget.ts";
import { compileGlob } from "../search/glob.ts";
import { type PageArguments, pageOf, pageText } from "../search/search-tool.ts";
import type { Workspace } from "../workspace.ts";
import { candidates } from "./candidates.ts";
import type { Hit } from "./hits.ts";
import { LIMITS, MAX_CONTEXT } from "./limits.ts";
import { compileMatcher, type Query } from "./matcher.ts";
import { fileReport, lineReport, type Report } from "./report.ts";
import { createPrefilter } from "./ripgrep.ts";
import { type FileSearch, searchFile, searchQuietly } from "./search-file.ts";

/** What the model gives. */
export interface GrepFilesArguments extends PageArguments {
  pattern: string;
  glob?: string | undefined;
  literal?: boolean | undefined;
  ignoreCase?: boolean | undefined;
  context?: number | undefined;
  output?: "lines" | "files" | undefined;
  includeIgnored?: boolean | undefined;
}

export async function grep(workspace: Workspace, args: GrepFilesArguments, signal: AbortSignal): Promise<string> {
  const query = { pattern: args.pattern, isLiteral: args.literal === true, ignoreCase: args.ignoreCase === true };
  const matcher = compileMatcher(query);
  const place = await findPlace(workspace, args.path);
  const budget = createBudget(signal, workspace.options.searchMs);
  const report = createReport(workspace, args);
  const context = args.output === "files" ? 0 : asked(args.context, 0, MAX_CONTEXT, 0);
  const search = { matcher, context, budget };
  if (place.type === "file") await reportFile(report, start(place.shown, searchFile(workspace, place.path, search)));
  else await searchFolder(workspace, report, search, await filesToSearch(workspace, args, query, place, search));
  return pageText(report.pager, budget, `no line matches ${quoteValue(args.pattern)} in ${quoteValue(place.shown)}`);
}

function createReport(workspace: Workspace, args: GrepFilesArguments): Report {
  const page = pageOf(workspace, args, LIMITS);
  return args.output === "files" ? fileReport(page) : lineReport(page);
}

async function filesToSearch(
  workspace: Workspace,
  args: GrepFilesArguments,
  query: Query,
  place: Place,
  { budget }: FileSearch,
): Promise<AsyncGenerator<readonly string[]>> {
  const glob = args.glob === undefined || args.glob === "" ? undefined : compileGlob(args.glob, place.path);
  const prefilter = await createPrefilter(workspace, query);
  const includeIgnored = args.includeIgnored === true;
  return candidates(workspace, { folder: place.shown, includeIgnored, budget, glob, prefilter });
}

/** Files that are opened side by side; they are told in their order, one piece in memory of each. */
const SIDE_BY_SIDE = 8;

async function searchFolder(
  workspace: Workspace,
  report: Report,
  search: FileSearch,
  batches: AsyncGenerator<readonly string[]>,
): Promise<void> {
  for await (const files of batches) {
    for (let done = 0; done < files.length; done += SIDE_BY_SIDE) {
      if (!search.budget.mayGoOn()) return;
      const group = files.slice(done, done + SIDE_BY_SIDE);
      const running = group.map((file) => start(file, searchQuietly(workspace, file, search)));
      try {
        for (const each of running) if (!(await reportFile(report, each))) return;
      } finally {
        await Promise.all(running.map(({ hits }) => hits.return(undefined)));
      }
    }
  }
}

interface Running {
  readonly file: string;
  readonly hits: AsyncGenerator<readonly Hit[]>;
  /** The first piece, read before it is asked for. */
  readonly first: Promise<IteratorResult<readonly Hit[]>>;
}

function start(file: string, hits: AsyncGenerator<readonly Hit[]>): Running {
  const first = hits.next();
  // A file before it may end the search; then nobody asks how this one went.
  letGo(first);
  return { file, hits, first };
}

/** `false`: nothing more is wanted. */
async function reportFile(report: Report, { file, hits, first }: Running): Promise<boolean> {
  for (let piece = await first; piece.done !== true; piece = await hits.next()) {
    if (!report.add(file, piece.value)) return false;
  }
  return report.end(file);
}
