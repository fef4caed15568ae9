/**
 * The tools that come along: "harness-kit/tools", listed by hand.
 *
 * Adapters wing (Node).
 */
export { type BashToolOptions, bashTool } from "./bash/index.ts";
export { calculator } from "./calculator/index.ts";
