/**
 * What the tools share that look through folders: they only read, page by page, for a bounded time.
 *
 * Wing (adapters). Node only.
 */
import type { JsonSchema } from "../../../../contract/schema.ts";
import type { Tool, ToolResult } from "../../../../contract/tool.ts";
import { formatCount } from "../../../../util/text.ts";
import { answer } from "../answer.ts";
import { asked } from "../options.ts";
import type { Workspace } from "../workspace.ts";
import type { Budget } from "./budget.ts";
import type { Pager, PagerOptions } from "./pager.ts";

/** What a model may give to each of them. */
export interface PageArguments {
  path?: string | undefined;
  offset?: number | undefined;
  limit?: number | undefined;
}

/** How many things a page shows. */
export interface PageLimits {
  readonly standard: number;
  readonly most: number;
}

/** One of the tools. */
export interface SearchTool<Args extends PageArguments> {
  readonly name: string;
  /** Sentences. That it comes page by page is said behind them. */
  readonly description: readonly string[];
  readonly parameters: JsonSchema;
  /** The text that the model reads. */
  readonly search: (workspace: Workspace, args: Args, signal: AbortSignal) => Promise<string>;
}

export function searchToolIn<Args extends PageArguments>(
  workspace: Workspace,
  { name, description, parameters, search }: SearchTool<Args>,
): Tool<Args> {
  const { outputChars, searchMs } = workspace.options;
  const paged = `At most ${formatCount(outputChars)} characters come at a time; the note at the end says how to read on.`;
  return {
    name,
    description: [...description, paged].join(" "),
    parameters,
    access: "read",
    idempotent: true,
    maxResultChars: outputChars,
    timeoutMs: searchMs * 2,
    execute: (args, context): Promise<ToolResult> =>
      answer({ workspace, context, subject: args.path ?? "." }, (signal) => search(workspace, args, signal)),
  };
}

/** The parameters that choose a page of `things`. */
export function pageParameters(things: string, { standard, most }: PageLimits): Record<string, JsonSchema> {
  return {
    offset: { type: "integer", minimum: 0, description: `How many ${things} to pass over. Default 0.` },
    limit: {
      type: "integer",
      minimum: 1,
      maximum: most,
      description: `How many ${things} to show. Default ${standard}, at most ${most}.`,
    },
  };
}

/** Room for the notes below a page. */
const NOTES_CHARS = 500;

/** The page that a model asks for. */
export function pageOf(
  { options }: Workspace,
  args: PageArguments,
  { standard, most }: PageLimits,
): Pick<PagerOptions, "offset" | "limit" | "maxChars"> {
  return {
    offset: asked(args.offset, 0, Number.MAX_SAFE_INTEGER, 0),
    limit: asked(args.limit, standard, most),
    maxChars: options.outputChars - NOTES_CHARS,
  };
}

/** A page as text; `none` is what is said where nothing was found. */
export function pageText(pager: Pager, budget: Budget, none: string): string {
  const notes = [pager.found === 0 ? none : pager.note(), ...budget.notes()];
  return [...pager.shown, ...notes.map((note) => `[${note}]`)].join("\n");
}
