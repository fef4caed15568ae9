/**
 * What a plugin gets with each attempt of a model call.
 *
 * Floor 5 (runtime).
 */
import type { CompactionNotice } from "../contract/event.ts";
import type { ModelCallContext } from "../contract/model.ts";
import type { PluginCallContext } from "../contract/plugin.ts";
import { freezeJson, toJson } from "../util/json.ts";

/** The attempt, as far as its plugins may look at it. */
export interface PluginPorts {
  readonly delivered: number;
  /** Tells the event, as long as the attempt lasts. */
  tellCompacted(notice: CompactionNotice): void;
}

/** The context of the model and what is meant for plugins only. */
export class PluginContext implements PluginCallContext {
  constructor(
    private readonly given: ModelCallContext,
    private readonly ports: PluginPorts,
  ) {}

  get signal(): AbortSignal {
    return this.given.signal;
  }

  get attempt(): number {
    return this.given.attempt;
  }

  get runId(): string {
    return this.given.runId;
  }

  get delivered(): number {
    return this.ports.delivered;
  }

  compacted(notice: CompactionNotice): void {
    this.ports.tellCompacted(copyOf(notice));
  }
}

/** Field by field, as plain JSON: what a plugin gives must not pass for another event. */
function copyOf(notice: CompactionNotice): CompactionNotice {
  const { reason, messagesBefore, messagesAfter, tokensBefore, tokensAfter } = notice;
  const { summarized, dropped, shortened, error } = notice;
  const sizes = { messagesBefore, messagesAfter, tokensBefore, tokensAfter };
  const facts = { reason, ...sizes, summarized, dropped, shortened, ...(error !== undefined && { error }) };
  return freezeJson(toJson(facts)) as unknown as CompactionNotice;
}
