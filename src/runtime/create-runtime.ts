/**
 * The runtime: holds the options, the registry and the listeners; each run has a scope of its own.
 *
 * Floor 5 (runtime).
 */
import type { ApprovalDecision } from "../contract/approval.ts";
import type { AgentEvent, EventType, Listener } from "../contract/event.ts";
import type { AgentRun } from "../contract/run.ts";
import type { InferArguments, SchemaLike } from "../contract/schema.ts";
import { type AnyListener, EventBus } from "../events/event-bus.ts";
import type { ToolRegistry } from "../registry/tool-registry.ts";
import { misuse } from "../util/misuse.ts";
import { quoteValue } from "../util/text.ts";
import type { RunInput } from "./input.ts";
import { type RuntimeOptions, resolveOptions } from "./options.ts";
import { resumeRun } from "./resume-run.ts";
import type { ResumeOptions, RunOptions, StreamOptions } from "./run-options.ts";
import { openStream, type RunStream } from "./run-stream.ts";
import { openSession, type Session, type SessionOptions } from "./session.ts";
import { type Parts, type StartedRun, startRun } from "./start-run.ts";

/** Runs agents. Made by {@link createRuntime}. */
export interface Runtime {
  /** The tools; register more at any time. */
  readonly registry: ToolRegistry;
  /**
   * Runs the model and its tools until there is an answer or a reason to stop.
   *
   * @returns The record, also when the run failed or was aborted: look at `status` and `errorKind`.
   * @throws TypeError for misuse, before the run starts. Nothing that happens in a run rejects.
   */
  run<Schema extends SchemaLike = SchemaLike>(
    input: RunInput,
    options?: RunOptions<Schema>,
  ): Promise<AgentRun<InferArguments<Schema>>>;
  /** The same run as an async iterable of its events, with the model's text as it comes. */
  stream(input: RunInput, options?: StreamOptions): RunStream;
  /**
   * Goes on with a run, also in another process: with a paused one from its record or the JSON text of it,
   * and with any run of the runtime's `store` from its id.
   *
   * A paused run takes answers; questions without a decision keep waiting, then the run is paused again. Each
   * answer counts once, for the exact call that was asked about, under the same rules. A run whose process
   * died goes on behind what its journal holds: nothing that ended is repeated; a call that was running is
   * repeated only if its tool is `idempotent`, else the model is told TOOL_OUTCOME_UNKNOWN. A run that is over
   * is given back as it is.
   *
   * @throws TypeError when the record is not paused or a decision belongs to none of its questions.
   * @throws ContextError when what is stored is missing, damaged, newer or in the hands of another process.
   */
  resume(run: AgentRun | string, decisions?: readonly ApprovalDecision[], options?: ResumeOptions): Promise<AgentRun>;
  /**
   * A conversation that is kept in a store, the runtime's or another one: several runs, also in several
   * processes, each going on from the history of the one before.
   *
   * @throws TypeError for an empty id, and when there is no store.
   */
  session(id: string, options?: SessionOptions): Session;
  /** Hears events of all runs; "*" hears every type. The returned function takes the listener off. */
  on<Type extends EventType>(type: Type, listener: Listener<Type>): () => void;
  /** Hears every event of all runs. */
  on(type: "*", listener: (event: AgentEvent) => unknown): () => void;
  /** Aborts every run in progress. The runtime stays usable. */
  abort(reason?: unknown): void;
}

/**
 * Makes a runtime.
 *
 * @throws TypeError that names the wrong option and says what to write instead.
 * @example
 * const runtime = createRuntime({ model, tools: [add] });
 * const run = await runtime.run("What is 17 + 38?");
 * console.log(run.status, run.answer);
 */
export function createRuntime(options: RuntimeOptions): Runtime {
  if (typeof options !== "object" || options === null) {
    throw misuse(
      `createRuntime takes an object with a model, got ${quoteValue(options)}. Write createRuntime({ model }).`,
    );
  }
  const resolved = resolveOptions(options);
  const bus = new EventBus();
  for (const plugin of resolved.plugins) {
    if (plugin.onEvent !== undefined) bus.on("*", (event) => plugin.onEvent?.(event));
  }
  const parts: Parts = { resolved, bus, live: new Set(), usedAnswers: new Set() };
  return {
    registry: resolved.registry,
    // The schema that validated the output is the one that types it.
    run: async (input, given) => startRun(parts, input, given ?? {}).result as Promise<AgentRun<never>>,
    stream: (input, given) =>
      openStream(
        (queue) =>
          openRun(() => startRun(parts, input, given ?? {}, { stream: { sink: queue.push, ready: queue.ready } })),
        given?.onLeave ?? "abort",
      ),
    resume: (record, decisions = [], given = {}) => resumeRun(parts, { record, decisions, given }),
    session: (id, given) => openSession(parts, id, given),
    on: (type: EventType | "*", listener: AnyListener | Listener<never>) => bus.on(type, listener as AnyListener),
    abort: (reason) => {
      for (const scope of [...parts.live]) scope.abort(reason);
    },
  };
}

/** Misuse of a stream is told by its result, as that of `run` is by its promise. */
function openRun(start: () => StartedRun): StartedRun {
  try {
    return start();
  } catch (error) {
    return { result: Promise.reject(error), abort: () => {} };
  }
}
