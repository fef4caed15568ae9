/** What the tests of streaming adapters share. */
import type { ModelEvent, ModelResponse } from "../../../src/contract/model.ts";
import { collectStream, StreamCollector } from "../../../src/runtime/collect-stream.ts";
import { toBytes } from "./openai/support.ts";

/** A stream put together by the runtime's own collector. */
export function collect(events: AsyncIterable<ModelEvent>): Promise<ModelResponse> {
  const hooks = { mayContinue: () => true, onText: () => {}, onReasoning: () => {}, ready: () => undefined };
  return collectStream(events, new StreamCollector(hooks), hooks, () => {});
}

/** The bytes of `content`, cut at these positions. */
export function cutAt(content: string, positions: readonly number[]): Uint8Array[] {
  const bytes = toBytes(content);
  const borders = [0, ...[...positions].sort((a, b) => a - b), bytes.length];
  return borders.slice(1).map((border, index) => bytes.slice(borders[index], border));
}
