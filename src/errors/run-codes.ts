/**
 * The codes of the run itself, of its context and of its permission gate.
 *
 * Floor 1 (errors).
 */

import type { ErrorCodeDefinition } from "./kinds.ts";

export const RUN_CODES = {
  RUN_TIMEOUT: {
    kind: "runtime",
    retryable: true,
    title: "The run reached its deadline.",
    advice: "Start the run again with a longer timeoutMs, or resume from its record; what was done is in it.",
  },
  RUN_ABORTED: {
    kind: "runtime",
    retryable: false,
    title: "The run was stopped by its caller.",
    advice: "Nothing: this is what was asked for. Start a new run to go on.",
  },
  RUN_LIMIT: {
    kind: "runtime",
    retryable: false,
    title: "The run used up one of its limits.",
    advice: "Raise the limit that the message names, or give the run a smaller task.",
  },
  RUN_NO_PROGRESS: {
    kind: "runtime",
    retryable: false,
    title: "The run repeated itself without getting further.",
    advice: "Look at the last tool failures in the record; change the tools or the task before running again.",
  },
  RUNTIME_INVALID_CONFIG: {
    kind: "runtime",
    retryable: false,
    title: "An option or an argument is not valid.",
    advice: "Correct the value that the message names.",
  },
  RUNTIME_HOOK_THREW: {
    kind: "runtime",
    retryable: false,
    title: "A plugin or a hook of the host failed.",
    advice: "Correct the plugin that the message names; its error is the cause.",
  },
  RUNTIME_INTERNAL: {
    kind: "runtime",
    retryable: false,
    title: "The runtime has a defect.",
    advice: "Report the stack to the authors of harness-kit.",
  },
  RUNTIME_UNKNOWN: {
    kind: "runtime",
    retryable: true,
    title: "Something around the run failed for a reason nobody knows yet.",
    advice: "Look at the cause, then run again.",
  },
  CONTEXT_SNAPSHOT_INVALID: {
    kind: "context",
    retryable: false,
    title: "The snapshot is damaged or is not a snapshot.",
    advice: "Restore an older snapshot or start a new context.",
  },
  CONTEXT_SNAPSHOT_VERSION: {
    kind: "context",
    retryable: false,
    title: "The snapshot was written by a newer version.",
    advice: "Update harness-kit on this machine.",
  },
  CONTEXT_NOT_SERIALIZABLE: {
    kind: "context",
    retryable: false,
    title: "A message holds something that cannot be stored as JSON.",
    advice: "Put only plain data into messages.",
  },
  CONTEXT_INVALID_MESSAGE: {
    kind: "context",
    retryable: false,
    title: "A message does not fit into the history.",
    advice: "Correct the message that is named: each tool result answers exactly one call.",
  },
  CONTEXT_TOO_LARGE: {
    kind: "context",
    retryable: false,
    title: "The history is larger than allowed.",
    advice: "Compact or shorten the history.",
  },
  CONTEXT_NOT_FOUND: {
    kind: "context",
    retryable: false,
    title: "The store has no such run.",
    advice: "Look for the id in the list of runs, or start a new run.",
  },
  CONTEXT_IN_USE: {
    kind: "context",
    retryable: true,
    title: "Somebody else is working on this run or session.",
    advice: "Wait until the other process is done, then try again.",
  },
  CONTEXT_UNFINISHED: {
    kind: "context",
    retryable: false,
    title: "The last run of the session is not over.",
    advice: 'Go on with it by session.resume(), or end it by session.run(input, { unfinished: "close" }).',
  },
  CONTEXT_STORE_FAILED: {
    kind: "context",
    retryable: true,
    title: "The store could not read or write.",
    advice: "Look at the cause (a full disk, missing rights), then resume the run from the store.",
  },
  CONTEXT_STORE_DAMAGED: {
    kind: "context",
    retryable: false,
    title: "What the store holds is not what was written.",
    advice: "Restore what the message names from a backup, or delete it.",
  },
  CONTEXT_UNKNOWN: {
    kind: "context",
    retryable: false,
    title: "The context failed for a reason nobody knows yet.",
    advice: "Look at the cause.",
  },
  PERMISSION_DENIED: {
    kind: "permission",
    retryable: false,
    title: "The action is not allowed.",
    advice: "Allow it in the permission rules if it should be; the model has been told.",
  },
  PERMISSION_NO_APPROVER: {
    kind: "permission",
    retryable: false,
    title: "The action needs an approval and nobody can give it.",
    advice: "Pass an approver, or allow the action by a rule.",
  },
  PERMISSION_APPROVER_FAILED: {
    kind: "permission",
    retryable: false,
    title: "The approver failed, so the action was refused.",
    advice: "Correct the approver; its error is the cause.",
  },
  PERMISSION_TIMEOUT: {
    kind: "permission",
    retryable: false,
    title: "No approval came in time, so the action was refused.",
    advice: "Give approvers more time, or pause the run and resume it with the decision.",
  },
  PERMISSION_MISMATCH: {
    kind: "permission",
    retryable: false,
    title: "The approval belongs to another action.",
    advice: "Ask again: an approval is valid only for the exact call it was given for.",
  },
  PERMISSION_POLICY_ERROR: {
    kind: "permission",
    retryable: false,
    title: "A permission rule failed, so the action was refused.",
    advice: "Correct the rule; its error is the cause.",
  },
  PERMISSION_UNKNOWN: {
    kind: "permission",
    retryable: false,
    title: "The permission check failed for a reason nobody knows yet.",
    advice: "Look at the cause; nothing was executed.",
  },
} as const satisfies Record<string, ErrorCodeDefinition>;
