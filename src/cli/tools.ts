/**
 * The tools that the command line offers.
 *
 * Command line.
 */
import { bashTool } from "../adapters/tools/bash/index.ts";
import { calculator } from "../adapters/tools/calculator/index.ts";
import { workspaceTools } from "../adapters/tools/files/index.ts";
import type { AnyTool } from "../contract/tool.ts";
import { bubblewrapSandbox } from "../process/sandbox/bubblewrap.ts";

/** The tools that may change things. */
export const WRITING_TOOLS: readonly string[] = ["writeFile", "editFile", "bash"];

/** What `--allow` may name. */
export const TOOL_NAMES: readonly string[] = [
  ...["calculator", "readFile", "listFiles", "globFiles", "grepFiles"],
  ...WRITING_TOOLS,
];

export interface ToolSettings {
  /** The directory that the tools work in. */
  readonly workspace: string;
  /** Offers only what changes nothing. */
  readonly readOnly: boolean;
  /** Runs commands in a sandbox. */
  readonly sandboxed: boolean;
  readonly timeoutMs: number | undefined;
  /** The variable with the model's key, which no command may see. */
  readonly keyVariable: string;
}

/** The tools in the order in which the model sees them. */
export function createTools(settings: ToolSettings): readonly AnyTool[] {
  const { workspace, readOnly } = settings;
  const harmless = [calculator, ...workspaceTools(workspace, { readOnly })];
  return readOnly ? harmless : [...harmless, createBash(settings)];
}

function createBash({ workspace, sandboxed, timeoutMs, keyVariable }: ToolSettings): AnyTool {
  // bash ends its command in time itself, so that the output so far still reaches the model.
  const limits = timeoutMs === undefined || timeoutMs === 0 ? {} : { timeoutMs, maxTimeoutMs: timeoutMs };
  const sandbox = sandboxed ? bubblewrapSandbox({ workspace }) : undefined;
  return bashTool({ cwd: workspace, dropEnv: [keyVariable], sandbox, ...limits });
}
