/**
 * What can go wrong with files, as errors that name the file and say what to do.
 *
 * Wing (store).
 */
import { ContextError, errorMessage, isHarnessError } from "../../../errors/index.ts";

const ADVICE: Readonly<Record<string, string>> = {
  ENOSPC: "Free space on the disk, then try again.",
  EDQUOT: "Free space within the quota, then try again.",
  EACCES: "Give this process the right to it, or choose another folder.",
  EPERM: "Give this process the right to it, or choose another folder.",
  EROFS: "Choose a folder that can be written.",
  EMFILE: "Too many files are open in this process; try again, or raise the limit.",
  ENFILE: "Too many files are open on this machine; try again, or raise the limit.",
  ENOTDIR: "A file is in the way of a folder; move it, or choose another folder.",
  EISDIR: "A folder is in the way of a file; move it, or choose another folder.",
};

/** The code of a system error, such as "ENOENT". */
export function systemCodeOf(error: unknown): string | undefined {
  const code: unknown = error instanceof Error ? Reflect.get(error, "code") : undefined;
  return typeof code === "string" ? code : undefined;
}

/** Whether an error says that there is no such file. */
export function isAbsent(error: unknown): boolean {
  return systemCodeOf(error) === "ENOENT";
}

/** The file system refused. */
function storeFailed(doing: string, path: string, cause: unknown): ContextError {
  const advice = ADVICE[systemCodeOf(cause) ?? ""] ?? "Look at the cause, then try again.";
  return new ContextError(`The store could not ${doing} ${path}: ${errorMessage(cause)}. ${advice}`, {
    code: "CONTEXT_STORE_FAILED",
    cause,
    detail: { path },
  });
}

/** What is in a file is not what was written. */
export function storeDamaged(path: string, problem: string, place: { readonly line?: number } = {}): ContextError {
  const where = place.line === undefined ? path : `line ${place.line} of ${path}`;
  return new ContextError(
    `What the store holds in ${where} is damaged: ${problem} Restore the file from a backup, or delete it; it was not changed.`,
    { code: "CONTEXT_STORE_DAMAGED", detail: { path, ...place } },
  );
}

/**
 * Does something with a file. Errors that are ours pass as they are.
 *
 * @throws ContextError CONTEXT_STORE_FAILED when the file system refuses.
 */
export async function onDisk<T>(doing: string, path: string, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw isHarnessError(error) ? error : storeFailed(doing, path, error);
  }
}
