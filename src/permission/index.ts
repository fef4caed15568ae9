/**
 * `harness-kit/permission`: a gate that judges tools, arguments, commands and paths.
 *
 * Floor 4 (permission). Node only; the root entry holds only the contract and the simplest gates.
 */

export { allowAll, allowTools, denyAll } from "./allow-tools.ts";
export { checkCommand } from "./commands/check-command.ts";
export type { CommandPolicy } from "./commands/policy.ts";
export { type DisplayFlag, type DisplayText, sanitizeForDisplay } from "./display.ts";
export { checkPath, type PathQuestion } from "./paths.ts";
export type { Verdict } from "./verdict.ts";
