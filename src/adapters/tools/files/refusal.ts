/**
 * Refusals that a model can act on, and what the system's own errors mean.
 *
 * Wing (adapters).
 */
import { isHarnessError, ToolError } from "../../../errors/index.ts";
import { quoteValue } from "../../../util/text.ts";

/** The tool could not do it; the message says why and what to do. */
export function rejected(message: string, options: { readonly cause?: unknown } = {}): ToolError {
  return new ToolError(message, { code: "TOOL_REJECTED", ...options });
}

/** The code of a system error, such as "ENOENT". */
export function systemCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("code" in error) || !("syscall" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}

/** Whether a path could not be had, by our rules or the system's. */
export function isUnreadable(error: unknown): boolean {
  return isHarnessError(error, "permission") || systemCode(error) !== undefined;
}

const MEANINGS: Readonly<Record<string, string>> = {
  EACCES: "the system does not permit it",
  EPERM: "the system does not permit it",
  EROFS: "the file system is read-only",
  ENOSPC: "no space is left on the device",
  EDQUOT: "the disk quota is used up",
  EFBIG: "the file would become too large for its file system",
  ENAMETOOLONG: "a name in it is too long",
  EMFILE: "too many files are open",
  ENFILE: "too many files are open",
  EBUSY: "it is in use",
  ETXTBSY: "it is a program that is running",
  EISDIR: "it is a folder",
  ENOTDIR: "a part of it is a file, not a folder",
  ENOTEMPTY: "it is a folder",
  EEXIST: "it exists already",
  ENOENT: "it, or its folder, is not there any more",
  EIO: "the device failed",
};

/** What may work when it is tried again unchanged. */
const PASSING = new Set(["EMFILE", "ENFILE", "EBUSY", "ETXTBSY"]);

/** A refusal for an error of the system; `undefined` when the error is something else. */
export function systemRefusal(error: unknown, subject: string): ToolError | undefined {
  const code = systemCode(error);
  if (code === undefined) return undefined;
  const meaning = MEANINGS[code] ?? "the system refused";
  const message = `${quoteValue(subject)} cannot be used: ${meaning} (${code}).`;
  return new ToolError(message, { code: "TOOL_REJECTED", retryable: PASSING.has(code), cause: error });
}
