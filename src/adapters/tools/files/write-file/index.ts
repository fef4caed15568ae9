/**
 * The writeFile tool: a whole file, new or instead of an old one.
 *
 * Wing (adapters). Node only.
 */
import type { JsonSchema } from "../../../../contract/schema.ts";
import type { Tool, ToolResult } from "../../../../contract/tool.ts";
import { formatCount } from "../../../../util/text.ts";
import { withPathLock } from "../access/path-lock.ts";
import { answer } from "../answer.ts";
import { rejected } from "../refusal.ts";
import type { Workspace } from "../workspace.ts";
import { checkContent, checkTarget } from "./check-target.ts";
import { writeWhole } from "./write-whole.ts";

/** What the model gives. */
export interface WriteFileArguments {
  path: string;
  content: string;
}

export function writeFileIn(workspace: Workspace): Tool<WriteFileArguments> {
  const { outputChars, maxFileBytes } = workspace.options;
  return {
    name: "writeFile",
    description: [
      "Writes a whole text file as UTF-8, creating it and the folders above it, or overwriting what was there; the answer says which.",
      "The content is written exactly as given. To change a part of a file use editFile.",
      `At most ${formatCount(maxFileBytes)} bytes.`,
    ].join(" "),
    parameters: PARAMETERS,
    access: "write",
    maxResultChars: outputChars,
    execute: (args, context): Promise<ToolResult> =>
      answer({ workspace, context, subject: args.path }, (signal) => write(workspace, args, signal)),
  };
}

const PARAMETERS: JsonSchema = {
  type: "object",
  properties: {
    path: { type: "string", description: "The file, relative to the workspace." },
    content: { type: "string", description: "The whole new content, with its line ends." },
  },
  required: ["path", "content"],
  additionalProperties: false,
};

async function write(
  workspace: Workspace,
  { path, content }: WriteFileArguments,
  signal: AbortSignal,
): Promise<string> {
  if (/(?:^|[\\/])\.?$/.test(path))
    throw rejected(`${JSON.stringify(path)} names a folder. Give the name of a file in it.`);
  const bytes = checkContent(content, workspace.options.maxFileBytes);
  const target = checkTarget(workspace, path);
  return withPathLock(target, signal, () => writeWhole(workspace, { path: target, content, bytes }, signal));
}
