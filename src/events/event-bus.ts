/**
 * Carries events to listeners that are never felt.
 *
 * Floor 4 (events). eventemitter3 lets a listener's error through and skips the listeners after it, and
 * a rejection of an async listener would end the process: each listener is wrapped once, when it comes.
 */
import { EventEmitter } from "eventemitter3";
import type { AgentEvent, EventType } from "../contract/event.ts";
import { misuse } from "../util/misuse.ts";
import { quoteValue } from "../util/text.ts";

/** Told about a listener that threw or rejected. */
export type ReportListenerError = (error: unknown, event: AgentEvent) => void;

/** A listener as the bus sees it: whoever subscribes knows which events it gets. */
export type AnyListener = (event: AgentEvent) => unknown;

type Wrapped = (event: AgentEvent, report: ReportListenerError) => void;

/** Listeners by event type. */
export class EventBus {
  readonly #emitter = new EventEmitter<Record<string, Wrapped>>();
  /** How many listeners there are: most runs have none, and are asked a dozen times a turn. */
  #listeners = 0;

  /** Adds a listener for one type, or for all of them by "*"; the returned function takes it off again. */
  on(type: EventType | "*", listener: AnyListener): () => void {
    if (typeof listener !== "function") {
      throw misuse(`A listener of ${quoteValue(type)} must be a function, got ${quoteValue(listener)}.`);
    }
    const wrapped = isolate(listener);
    this.#emitter.on(type, wrapped);
    this.#listeners++;
    let isOn = true;
    return () => {
      if (!isOn) return;
      isOn = false;
      this.#listeners--;
      this.#emitter.off(type, wrapped);
    };
  }

  /** Whether there is any listener. */
  get isHeard(): boolean {
    return this.#listeners > 0;
  }

  /** Whether anybody would hear an event of this type. */
  hears(type: EventType): boolean {
    return this.#listeners > 0 && (this.wants(type) || this.wants("*"));
  }

  /** Whether anybody asked for events of this very type, not only for all of them. */
  wants(type: EventType | "*"): boolean {
    return this.#listeners > 0 && this.#emitter.listenerCount(type) > 0;
  }

  /** Calls the listeners of this type, then those of "*", in the order in which they came. */
  emit(event: AgentEvent, report: ReportListenerError): void {
    this.#emitter.emit(event.type, event, report);
    this.#emitter.emit("*", event, report);
  }
}

function isolate(listener: AnyListener): Wrapped {
  return (event, report) => {
    try {
      const result = listener(event);
      if (isThenable(result)) Promise.resolve(result).then(undefined, (error: unknown) => report(error, event));
    } catch (error) {
      report(error, event);
    }
  };
}

function isThenable(value: unknown): boolean {
  return typeof value === "object" && value !== null && "then" in value;
}
