/**
 * What a host decides about the file tools of a workspace.
 *
 * Wing (adapters): floors 0–3 only.
 */
import { misuse } from "../../../util/misuse.ts";
import { quoteValue } from "../../../util/text.ts";

/** Options of every file tool. */
export interface WorkspaceOptions {
  /** Longest text of one result, in characters; what does not fit can be asked for. @defaultValue 30_000 */
  outputChars?: number | undefined;
  /** Largest file that is written or edited, in bytes. Reading and searching know no limit. @defaultValue 10 MiB */
  maxFileBytes?: number | undefined;
  /** Longest search of `globFiles` and `grepFiles`, in milliseconds; what was found until then is returned. @defaultValue 20_000 */
  searchMs?: number | undefined;
  /** Let ripgrep find the candidates of `grepFiles` where it is installed. The results are the same without it. @defaultValue true */
  ripgrep?: boolean | undefined;
  /** Names that are neither read nor written; `*` stands for any characters. @defaultValue `PROTECTED_NAMES` */
  protectedNames?: readonly string[] | undefined;
  /** Names that are read but not written. @defaultValue `READ_ONLY_NAMES` */
  readOnlyNames?: readonly string[] | undefined;
}

export const DEFAULTS = {
  outputChars: 30_000,
  maxFileBytes: 10 * 1024 * 1024,
  searchMs: 20_000,
  ripgrep: true,
} as const;

/** Less would not hold the notes of a result. */
const SMALLEST_OUTPUT_CHARS = 2_000;

export interface ResolvedWorkspaceOptions {
  readonly outputChars: number;
  readonly maxFileBytes: number;
  readonly searchMs: number;
  readonly ripgrep: boolean;
}

/** @throws TypeError when a limit is no whole number or too small. */
export function resolveWorkspaceOptions(options: WorkspaceOptions): ResolvedWorkspaceOptions {
  return {
    outputChars: limit("outputChars", options.outputChars, DEFAULTS.outputChars, SMALLEST_OUTPUT_CHARS),
    maxFileBytes: limit("maxFileBytes", options.maxFileBytes, DEFAULTS.maxFileBytes, 1),
    searchMs: limit("searchMs", options.searchMs, DEFAULTS.searchMs, 1),
    ripgrep: options.ripgrep ?? DEFAULTS.ripgrep,
  };
}

function limit(name: string, value: number | undefined, byDefault: number, smallest: number): number {
  if (value === undefined) return byDefault;
  if (Number.isSafeInteger(value) && value >= smallest) return value;
  throw misuse(`File tools: ${name} must be a whole number from ${smallest} up, got ${quoteValue(value)}.`);
}

/** What the model asked for as a number, brought between `least` and `most`. */
export function asked(value: unknown, byDefault: number, most: number, least = 1): number {
  if (typeof value !== "number" || !Number.isFinite(value)) return byDefault;
  return Math.min(most, Math.max(least, Math.floor(value)));
}
