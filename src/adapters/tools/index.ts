/**
 * The tools that come along: "harness-kit/tools", listed by hand.
 *
 * Adapters wing (Node).
 *
 * @module harness-kit/tools
 */
export { PROTECTED_NAMES, READ_ONLY_NAMES } from "../../process/confine-names.ts";
export { type BashArguments, type BashTool, type BashToolOptions, bashTool } from "./bash/index.ts";
export { type CalculatorArguments, calculator } from "./calculator/index.ts";
export {
  type Edit,
  type EditFileArguments,
  editFile,
  type GlobFilesArguments,
  type GrepFilesArguments,
  globFiles,
  grepFiles,
  type ListFilesArguments,
  listFiles,
  type ReadFileArguments,
  readFile,
  type WorkspaceOptions,
  type WorkspaceToolsOptions,
  type WriteFileArguments,
  workspaceTools,
  writeFile,
} from "./files/index.ts";
