/**
 * The codes of the tool layer. None is retryable by itself: a tool may have changed the world.
 *
 * Floor 1 (errors).
 */

import type { ErrorCodeDefinition } from "./kinds.ts";

export const TOOL_CODES = {
  TOOL_NOT_FOUND: {
    kind: "tool",
    retryable: false,
    title: "The model called a tool that is not registered.",
    advice: "Register the tool or correct its name in the prompt; the model is told which tools there are.",
  },
  TOOL_INVALID_ARGUMENTS: {
    kind: "tool",
    retryable: false,
    title: "The arguments do not fit the tool's parameters.",
    advice: "Nothing: the model is told what was wrong. If it repeats, describe the parameters better.",
  },
  TOOL_REJECTED: {
    kind: "tool",
    retryable: false,
    title: "The tool answered that it could not do it.",
    advice: "Read the tool's own message; the model has seen it.",
  },
  TOOL_BAD_RESULT: {
    kind: "tool",
    retryable: false,
    title: "The tool returned something that cannot be sent to a model.",
    advice: "Return text or plain JSON data from the tool.",
  },
  TOOL_ABORTED: {
    kind: "tool",
    retryable: false,
    title: "The tool was stopped before it was done.",
    advice: "Check what the tool had changed already before it is called again.",
  },
  TOOL_OUTCOME_UNKNOWN: {
    kind: "tool",
    retryable: false,
    title: "Nobody knows whether the tool had its effect.",
    advice: "Check the state outside before it is called again, or declare the tool idempotent.",
  },
  TOOL_TIMEOUT: {
    kind: "tool",
    retryable: false,
    title: "The tool did not finish in time.",
    advice: "Raise the tool's timeoutMs or make it do less; declare it idempotent to have it tried again.",
  },
  TOOL_THREW: {
    kind: "tool",
    retryable: false,
    title: "The tool failed with an error.",
    advice: "Look at the cause; throw a ToolError with a code of your own to make it known.",
  },
  TOOL_PROCESS_NOT_STARTED: {
    kind: "tool",
    retryable: false,
    title: "The command could not be started.",
    advice: "Check the program, the working directory and the arguments; detail.processCode says which.",
  },
  TOOL_SANDBOX_FAILED: {
    kind: "tool",
    retryable: false,
    title: "The sandbox let nothing run.",
    advice: "Read the message: it says what is missing on this machine. Nothing has run, also not without a sandbox.",
  },
  TOOL_PROCESS_TIMEOUT: {
    kind: "tool",
    retryable: false,
    title: "The command ran longer than allowed and was ended.",
    advice: "Raise the command's time limit or run less; its output so far is in the result.",
  },
  TOOL_PROCESS_OUTPUT_LIMIT: {
    kind: "tool",
    retryable: false,
    title: "The command wrote more than allowed and was ended.",
    advice: "Narrow the command or write its output to a file.",
  },
  TOOL_PROCESS_SIGNALED: {
    kind: "tool",
    retryable: false,
    title: "The command was ended by a signal from outside.",
    advice: "Check the memory limit and whoever may have ended it.",
  },
  TOOL_PROCESS_EXIT: {
    kind: "tool",
    retryable: false,
    title: "The command ended with a non-zero exit code.",
    advice: "Read its output; the model has seen it.",
  },
} as const satisfies Record<string, ErrorCodeDefinition>;
