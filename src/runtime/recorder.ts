/**
 * Writes the record of a run and tells its events.
 *
 * Floor 5 (runtime). Steps are frozen when they are added; an event is built only when somebody hears it,
 * but `seq` counts all of them.
 */
import type { AgentEvent, EventPayloads, EventType } from "../contract/event.ts";
import type { AgentStep } from "../contract/run.ts";
import { errorMessage } from "../errors/index.ts";
import type { EventBus } from "../events/event-bus.ts";
import type { Clock } from "../util/clock.ts";

/** Hears every event of one run, for `stream()`. */
export type EventSink = (event: AgentEvent) => void;

/** Where events go beside the bus, and what came before. */
export interface RecorderOptions {
  readonly sink: EventSink | undefined;
  readonly clock: Clock;
  /** What a paused run has recorded already. */
  readonly earlier: { readonly steps: readonly AgentStep[]; readonly seq: number } | undefined;
}

/** The record and the events of one run. */
export class Recorder {
  private readonly sink: EventSink | undefined;
  private readonly clock: Clock;
  readonly steps: AgentStep[];
  /** The event that is being told, and those that its listeners have caused meanwhile. */
  readonly #waiting: AgentEvent[] = [];
  #seq: number;
  #isClosed = false;
  #isSealed = false;

  constructor(
    private readonly runId: string,
    private readonly bus: EventBus,
    { sink, clock, earlier }: RecorderOptions,
  ) {
    this.sink = sink;
    this.clock = clock;
    this.steps = [...(earlier?.steps ?? [])];
    this.#seq = earlier?.seq ?? 0;
  }

  /** How many events were told. */
  get seq(): number {
    return this.#seq;
  }

  /** Whether anybody hears any event. */
  get isHeard(): boolean {
    return this.sink !== undefined || this.bus.isHeard;
  }

  /** Whether an event of this type would reach anybody. */
  hears(type: EventType): boolean {
    return this.sink !== undefined || this.bus.hears(type);
  }

  /** Whether somebody asked for this very type: only then is it worth a stream, and does a delta count as delivered. */
  wants(type: EventType): boolean {
    return this.sink !== undefined || this.bus.wants(type);
  }

  /** From here on only "run:end" is told: the record is made. */
  seal(): void {
    this.#isSealed = true;
  }

  /** Tells an event. After "run:end" nothing is told any more. */
  emit<Type extends EventType>(type: Type, payload: EventPayloads[Type]): void {
    if (this.#isClosed || (this.#isSealed && type !== "run:end")) return;
    const seq = this.#seq++;
    if (type === "run:end") this.#isClosed = true;
    if (!this.hears(type)) return;
    const event = Object.freeze({
      type,
      runId: this.runId,
      seq,
      at: this.clock.now(),
      ...payload,
    }) as unknown as AgentEvent;
    this.#waiting.push(event);
    if (this.#waiting.length === 1) this.#deliver();
  }

  /** What a listener causes comes after the event that it listens to, for every listener. */
  #deliver(): void {
    for (let event = this.#waiting[0]; event !== undefined; event = this.#waiting[0]) {
      this.sink?.(event);
      this.bus.emit(event, this.#report);
      this.#waiting.shift();
    }
  }

  /** The `index` of the step that comes next. */
  get nextIndex(): number {
    return this.steps.length;
  }

  /** Adds a step, which was made with {@link nextIndex}: a copy with the index in it would cost more than all the rest. */
  add(step: AgentStep): AgentStep {
    Object.freeze(step);
    this.steps.push(step);
    this.emit("step", { step });
    return step;
  }

  readonly #report = (error: unknown, event: AgentEvent): void => {
    // A listener of "listener:error" that fails itself must not go round in circles.
    if (event.type === "listener:error") return;
    this.emit("listener:error", { error: errorMessage(error), eventType: event.type });
  };
}
