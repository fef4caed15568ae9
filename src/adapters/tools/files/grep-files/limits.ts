/**
 * The bounds of one call of grepFiles.
 *
 * Wing (adapters).
 */
export const DEFAULT_LIMIT = 100;
export const MAX_LIMIT = 1_000;
export const MAX_CONTEXT = 10;
/** More matching lines of one file are not counted where only files are asked for. */
export const MAX_COUNTED = 10_000;
