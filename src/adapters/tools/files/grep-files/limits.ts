/**
 * The bounds of one call of grepFiles.
 *
 * Wing (adapters).
 */
export const LIMITS = { standard: 100, most: 1_000 };
export const MAX_CONTEXT = 10;
