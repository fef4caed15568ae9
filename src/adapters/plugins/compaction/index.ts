/**
 * Keeps long runs within the context window of their model: `harness-kit/compaction`.
 *
 * Adapter wing. Runs in browsers and workers, too.
 *
 * @module harness-kit/compaction
 */
export { compaction } from "./compaction.ts";
export { estimateTokens } from "./estimate-tokens.ts";
export type { CompactionOptions, Summarize, SummaryRequest } from "./options.ts";
