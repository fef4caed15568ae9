/**
 * What the model is told about the bash tool.
 *
 * Wing (adapters).
 */
import type { JsonSchema } from "../../../contract/schema.ts";
import type { Shell } from "../../../process/index.ts";
import { formatCount } from "../../../util/text.ts";
import type { ResolvedBashOptions } from "./options.ts";

export function description(shell: Shell | undefined, options: ResolvedBashOptions): string {
  return [
    shell?.kind === "sh"
      ? "Runs a command with sh (POSIX only: bash is not installed here) and returns what it prints."
      : "Runs a command with bash and returns what it prints.",
    `Every call is a new shell in ${options.root}: directories and variables do not carry over; use cwd or join commands with &&.`,
    "stdin is closed and there is no terminal: nothing can ask questions.",
    `A command is stopped after ${formatCount(options.timeoutMs)} ms unless timeoutMs says otherwise; what it printed until then is returned.`,
    backgroundNote(options),
    ...(options.sandbox?.description === undefined ? [] : [options.sandbox.description]),
    `Of more than ${formatCount(options.outputChars)} characters the middle is left out${saved(options)}.`,
  ].join(" ");
}

function saved({ spillDir }: ResolvedBashOptions): string {
  return spillDir === undefined ? "" : "; the whole is saved to a file that the result names";
}

function backgroundNote({ background, sandbox }: ResolvedBashOptions): string {
  if (background === "keep") return "Processes left in the background go on running; redirect their output to a file.";
  const killed = "Processes left in the background are killed when the command ends";
  // Nothing leaves a sandbox, whatever its session is.
  return sandbox === undefined ? `${killed}; start a server with: setsid command >log 2>&1 &` : `${killed}.`;
}

export function parameters(options: ResolvedBashOptions): JsonSchema {
  return {
    type: "object",
    properties: {
      command: { type: "string", description: "The command line to run." },
      timeoutMs: {
        type: "number",
        minimum: 1,
        description: `Time limit in milliseconds. Default ${options.timeoutMs}, at most ${options.maxTimeoutMs}.`,
      },
      cwd: { type: "string", description: "Directory to run in, inside the workspace; relative to its root." },
      maxOutputChars: {
        type: "number",
        minimum: 1,
        description: `Length of the returned text. Default ${options.outputChars}, at most ${options.maxOutputChars}.`,
      },
    },
    required: ["command"],
  };
}
