/**
 * The bounds of one call of grepFiles.
 *
 * Wing (adapters).
 */
export const DEFAULT_LIMIT = 100;
export const MAX_LIMIT = 1_000;
export const MAX_CONTEXT = 10;
