/**
 * The tools that the command line offers.
 *
 * Command line.
 */
import { bashTool } from "../adapters/tools/bash/index.ts";
import { calculator } from "../adapters/tools/calculator/index.ts";
import type { AnyTool } from "../contract/tool.ts";

/** What `--allow` may name. */
export const TOOL_NAMES: readonly string[] = ["calculator", "bash"];

export interface ToolSettings {
  readonly cwd: string;
  readonly timeoutMs: number | undefined;
  /** The variable with the model's key, which no command may see. */
  readonly keyVariable: string;
}

/** The tools in the order in which the model sees them. */
export function createTools({ cwd, timeoutMs, keyVariable }: ToolSettings): readonly AnyTool[] {
  // bash ends its command in time itself, so that the output so far still reaches the model.
  const limits = timeoutMs === undefined || timeoutMs === 0 ? {} : { timeoutMs, maxTimeoutMs: timeoutMs };
  return [calculator, bashTool({ cwd, dropEnv: [keyVariable], ...limits })];
}
