/**
 * The editFile tool: exact replacements in a text file, all of them or none.
 *
 * Wing (adapters). Node only.
 */
import type { JsonSchema } from "../../../../contract/schema.ts";
import type { Tool, ToolResult } from "../../../../contract/tool.ts";
import { formatCount, quoteValue } from "../../../../util/text.ts";
import { withFile } from "../access/open-file.ts";
import { withPathLock } from "../access/path-lock.ts";
import { replaceFile } from "../access/replace-file.ts";
import { answer } from "../answer.ts";
import { rejected } from "../refusal.ts";
import type { Workspace } from "../workspace.ts";
import { checkTarget } from "../write-file/check-target.ts";
import { applyEdits, type Edit } from "./apply-edits.ts";
import { readEditable } from "./editable.ts";
import { unifiedDiff } from "./unified-diff.ts";

/** What the model gives. */
export interface EditFileArguments {
  path: string;
  edits: readonly Edit[];
}

export function editFileIn(workspace: Workspace): Tool<EditFileArguments> {
  const { outputChars, maxFileBytes } = workspace.options;
  return {
    name: "editFile",
    description: [
      "Replaces text in a file: every oldText must occur exactly once, character for character, without the line numbers that readFile shows.",
      "Several edits are made all at once or not at all; all of them are looked for in the file as it is before the call, and they must not overlap.",
      `Encoding and line ends of the file are kept. The answer is a unified diff. Files up to ${formatCount(maxFileBytes)} bytes.`,
    ].join(" "),
    parameters: PARAMETERS,
    access: "write",
    maxResultChars: outputChars,
    execute: (args, context): Promise<ToolResult> =>
      answer({ workspace, context, subject: args.path }, (signal) => edit(workspace, args, signal)),
  };
}

/** Most edits of one call. */
const MAX_EDITS = 100;

const PARAMETERS: JsonSchema = {
  type: "object",
  properties: {
    path: { type: "string", description: "The file, relative to the workspace." },
    edits: {
      type: "array",
      minItems: 1,
      maxItems: MAX_EDITS,
      description: "The replacements.",
      items: {
        type: "object",
        properties: {
          oldText: {
            type: "string",
            description:
              "The text to replace, with its indentation, and with enough lines around to be found only once.",
          },
          newText: { type: "string", description: "What takes its place; empty to delete." },
          replaceAll: {
            type: "boolean",
            description: "Replace every occurrence instead of exactly one. Default false.",
          },
        },
        required: ["oldText", "newText"],
        additionalProperties: false,
      },
    },
  },
  required: ["path", "edits"],
  additionalProperties: false,
};

async function edit(workspace: Workspace, args: EditFileArguments, signal: AbortSignal): Promise<string> {
  const target = checkTarget(workspace, args.path);
  if (!Array.isArray(args.edits) || args.edits.length === 0) throw rejected("There are no edits. Give at least one.");
  return withPathLock(target, signal, () => editLocked(workspace, { ...args, path: target }, signal));
}

function editLocked(workspace: Workspace, { path, edits }: EditFileArguments, signal: AbortSignal): Promise<string> {
  return withFile(workspace, path, async (file) => {
    const { maxFileBytes, outputChars } = workspace.options;
    const editable = await readEditable(file, signal, maxFileBytes);
    const { text, changes, before } = applyEdits(file.shown, editable.text, edits);
    const bytes = editable.encode(text);
    if (bytes.length > maxFileBytes) {
      throw rejected(
        `The file would have ${formatCount(bytes.length)} bytes; the most is ${formatCount(maxFileBytes)}.`,
      );
    }
    await replaceFile(workspace, { path: file.path, bytes, before: file.stats, onlyIfUnchanged: true, signal });
    const count = changes.length === 1 ? "1 replacement" : `${formatCount(changes.length)} replacements`;
    const heading = `Edited ${quoteValue(file.shown)}: ${count}.`;
    return unifiedDiff({ heading, file: file.shown, before, changes }, outputChars);
  });
}
