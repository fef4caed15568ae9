/**
 * `harness-kit/models/http`: a model of any API over HTTP, from two or three functions that say how it words things.
 *
 * @module harness-kit/models/http
 */
export type { StreamingModel } from "./api-model.ts";
export { type HttpModelOptions, httpModel } from "./http-model.ts";
