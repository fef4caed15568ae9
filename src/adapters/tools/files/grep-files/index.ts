/**
 * The grepFiles tool: files by what is in them.
 *
 * Wing (adapters). Node only.
 */
import type { JsonSchema } from "../../../../contract/schema.ts";
import type { Tool } from "../../../../contract/tool.ts";
import { formatCount } from "../../../../util/text.ts";
import { pageParameters, searchToolIn } from "../search/search-tool.ts";
import type { Workspace } from "../workspace.ts";
import { type GrepFilesArguments, grep } from "./grep.ts";
import { LIMITS, MAX_CONTEXT } from "./limits.ts";
import { SEARCHED_CHARS } from "./search-file.ts";

export type { GrepFilesArguments } from "./grep.ts";

export function grepFilesIn(workspace: Workspace): Tool<GrepFilesArguments> {
  return searchToolIn(workspace, {
    name: "grepFiles",
    description: [
      "Finds lines in the files of the workspace and returns them with their numbers, file by file.",
      "The pattern is a regular expression of JavaScript, matched against each line by itself; set literal to search for a text as it is.",
      "Binary files, what .gitignore files leave out, protected names and links are passed over.",
      `Of a line the first ${formatCount(SEARCHED_CHARS)} characters are searched.`,
    ],
    parameters: PARAMETERS,
    search: grep,
  });
}

const PARAMETERS: JsonSchema = {
  type: "object",
  properties: {
    pattern: { type: "string", description: "The regular expression, or the text with literal." },
    path: {
      type: "string",
      description: "The folder or file to search, relative to the workspace. Default all of it.",
    },
    glob: { type: "string", description: 'Only files whose path fits this glob: "*.ts", "src/**/*.{js,jsx}".' },
    literal: { type: "boolean", description: "Take the pattern as it is, not as a regular expression. Default false." },
    ignoreCase: { type: "boolean", description: "Take upper and lower case as equal. Default false." },
    context: {
      type: "integer",
      minimum: 0,
      maximum: MAX_CONTEXT,
      description: `How many lines to show before and after each match. Default 0, at most ${MAX_CONTEXT}.`,
    },
    output: {
      type: "string",
      enum: ["lines", "files"],
      description: 'The matching lines, or only the files with the number of their matching lines. Default "lines".',
    },
    includeIgnored: { type: "boolean", description: "Also search what .gitignore files leave out. Default false." },
    ...pageParameters("matches (or files)", LIMITS),
  },
  required: ["pattern"],
  additionalProperties: false,
};
