/**
 * The globFiles tool: files by their names.
 *
 * Wing (adapters). Node only.
 */
import type { JsonSchema } from "../../../../contract/schema.ts";
import type { Tool, ToolResult } from "../../../../contract/tool.ts";
import { formatCount, quoteValue } from "../../../../util/text.ts";
import { findFolder } from "../access/find-place.ts";
import { answer } from "../answer.ts";
import { asked } from "../options.ts";
import { createBudget } from "../search/budget.ts";
import { compileGlob } from "../search/glob.ts";
import { createPager } from "../search/pager.ts";
import { shownName } from "../search/shown-name.ts";
import { walk } from "../search/walk.ts";
import type { Workspace } from "../workspace.ts";

/** What the model gives. */
export interface GlobFilesArguments {
  pattern: string;
  path?: string | undefined;
  includeIgnored?: boolean | undefined;
  offset?: number | undefined;
  limit?: number | undefined;
}

const DEFAULT_LIMIT = 200;
const MAX_LIMIT = 2_000;
/** Room for the notes below the list. */
const NOTES_CHARS = 500;

export function globFilesIn(workspace: Workspace): Tool<GlobFilesArguments> {
  const { outputChars, searchMs } = workspace.options;
  return {
    name: "globFiles",
    description: [
      "Finds files by a glob and returns their paths from the workspace on, sorted by name.",
      'A glob without a slash is found in every folder: "*.ts"; one with a slash starts in the folder given as path: "src/**/*.test.{ts,tsx}".',
      "What .gitignore files leave out, protected names and links are passed over.",
      `At most ${formatCount(outputChars)} characters come at a time; the note at the end says how to read on.`,
    ].join(" "),
    parameters: PARAMETERS,
    access: "read",
    idempotent: true,
    maxResultChars: outputChars,
    timeoutMs: searchMs * 2,
    execute: (args, context): Promise<ToolResult> =>
      answer({ workspace, context, subject: args.path ?? "." }, (signal) => find(workspace, args, signal)),
  };
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
    offset: { type: "integer", minimum: 0, description: "How many files to pass over. Default 0." },
    limit: {
      type: "integer",
      minimum: 1,
      maximum: MAX_LIMIT,
      description: `How many files to show. Default ${DEFAULT_LIMIT}, at most ${MAX_LIMIT}.`,
    },
  },
  required: ["pattern"],
  additionalProperties: false,
};

async function find(workspace: Workspace, args: GlobFilesArguments, signal: AbortSignal): Promise<string> {
  const { outputChars, searchMs } = workspace.options;
  const folder = await findFolder(workspace, args.path);
  const glob = compileGlob(args.pattern, folder.path);
  const budget = createBudget(signal, searchMs);
  const pager = createPager({
    offset: asked(args.offset, 0, Number.MAX_SAFE_INTEGER, 0),
    limit: asked(args.limit, DEFAULT_LIMIT, MAX_LIMIT),
    maxChars: outputChars - NOTES_CHARS,
    noun: "file",
    plural: "files",
  });
  const base = folder.shown === "." ? 0 : folder.shown.length + 1;
  const includeIgnored = args.includeIgnored === true;
  for await (const { path, type } of walk(workspace, { folder: folder.shown, includeIgnored, budget })) {
    if (type !== "file" || !glob(path.slice(base))) continue;
    const next = pager.next();
    if (next === "stop" || (next === "show" && !pager.show(shownName(path)))) break;
  }
  const none = `no file fits ${quoteValue(args.pattern)} in ${quoteValue(folder.shown)}`;
  const notes = [pager.found === 0 ? none : pager.note(), ...budget.notes()];
  return [...pager.shown, ...notes.map((note) => `[${note}]`)].join("\n");
}
