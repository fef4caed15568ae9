/**
 * `harness-kit/permission`: a gate that judges tools, arguments, commands and paths.
 *
 * Floor 4 (permission). Node only; the root entry holds only the contract and the simplest gates.
 *
 * @module harness-kit/permission
 */
export type {
  AnswerFacts,
  ApprovalAnswer,
  ApprovalDecision,
  ApprovalGate,
  ApprovalOutcome,
  ApprovalRequest,
  Approver,
  Grant,
  GrantScope,
  PendingApproval,
  QuestionFacts,
} from "../contract/approval.ts";
export type { DisplayedCall, DisplayedField } from "../contract/display.ts";
export type {
  Decision,
  Gate,
  GateDecision,
  PermissionCheck,
  PermissionContext,
  PermissionDecision,
} from "../contract/permission.ts";
export type { PathOp } from "../process/confine-types.ts";
export { allowAll, allowTools, denyAll } from "./allow-tools.ts";
export { checkCommand } from "./commands/check-command.ts";
export type { CommandPolicy } from "./commands/policy.ts";
export { describeRequest } from "./describe-request.ts";
export { type DisplayFlag, type DisplayText, sanitizeForDisplay } from "./display.ts";
export { createGate, type GateOptions, type RuleGate } from "./gate.ts";
export {
  Command,
  type CommandMatcher,
  type CommandOptions,
  Commands,
  Path,
  type PathMatcher,
  type PathOptions,
} from "./matcher.ts";
export { checkPath, type PathQuestion } from "./paths.ts";
export { type ReadOnlyGateOptions, readOnlyGate } from "./read-only-gate.ts";
export type { ArgumentMatcher, ArgumentTest, ArgumentValues, JudgedCall, Rule } from "./rule.ts";
export type { Verdict } from "./verdict.ts";
