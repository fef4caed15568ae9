/**
 * The readFile tool: lines of a text file with their numbers, page by page.
 *
 * Wing (adapters). Node only.
 */
import type { JsonSchema } from "../../../../contract/schema.ts";
import type { Tool, ToolResult } from "../../../../contract/tool.ts";
import { formatCount, quoteValue } from "../../../../util/text.ts";
import { type ReadableFile, withFile } from "../access/open-file.ts";
import { answer } from "../answer.ts";
import { asked } from "../options.ts";
import { rejected } from "../refusal.ts";
import type { Workspace } from "../workspace.ts";
import { MAX_LINES, type PageRequest, readPage } from "./page.ts";
import { pageText } from "./page-text.ts";
import { countLines } from "./text-of.ts";

/** What the model gives. */
export interface ReadFileArguments {
  path: string;
  startLine?: number | undefined;
  endLine?: number | undefined;
  startColumn?: number | undefined;
}

export function readFileIn(workspace: Workspace): Tool<ReadFileArguments> {
  const { outputChars } = workspace.options;
  return {
    name: "readFile",
    description: [
      "Reads a text file of the workspace. Every line comes as its number, a tab and its text; numbers and tabs are not part of the file.",
      `At most ${formatCount(MAX_LINES)} lines and ${formatCount(outputChars)} characters come at a time; the note at the end says how to read on.`,
      "Binary files are refused.",
    ].join(" "),
    parameters: PARAMETERS,
    access: "read",
    idempotent: true,
    maxResultChars: outputChars,
    execute: (args, context): Promise<ToolResult> =>
      answer({ workspace, context, subject: args.path }, (signal) =>
        withFile(workspace, args.path, (file) => read(file, args, outputChars, signal)),
      ),
  };
}

const PARAMETERS: JsonSchema = {
  type: "object",
  properties: {
    path: { type: "string", description: "The file, relative to the workspace." },
    startLine: {
      type: "integer",
      description:
        "First line to read, counted from 1; negative counts from the end, -50 reads the last 50. Default 1.",
    },
    endLine: { type: "integer", minimum: 1, description: "Last line to read. Default as many as fit." },
    startColumn: {
      type: "integer",
      minimum: 1,
      description: "First character of each line to show, counted from 1; to read on in a line that is very long.",
    },
  },
  required: ["path"],
  additionalProperties: false,
};

async function read(
  file: ReadableFile,
  args: ReadFileArguments,
  outputChars: number,
  signal: AbortSignal,
): Promise<string> {
  const request = await pageRequest(file, args, outputChars, signal);
  const page = await readPage(file, request, signal);
  return pageText(file, request, page);
}

async function pageRequest(
  file: ReadableFile,
  args: ReadFileArguments,
  outputChars: number,
  signal: AbortSignal,
): Promise<PageRequest> {
  const from = asked(args.startLine, 1, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER);
  const start = from < 0 ? Math.max(1, (await countLines(file, signal)) + 1 + from) : Math.max(1, from);
  const end = asked(args.endLine, Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER);
  if (end < start) {
    throw rejected(`endLine ${end} lies before startLine ${start} in ${quoteValue(file.shown)}. Give a later endLine.`);
  }
  const startColumn = asked(args.startColumn, 1, Number.MAX_SAFE_INTEGER);
  return { start, end, startColumn, outputChars };
}
