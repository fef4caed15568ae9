/**
 * What the embedded model calls itself, everywhere.
 *
 * Wing (models/local).
 */
export const LOCAL_MODEL_LABEL = "rule-based demo model, not an LLM";
