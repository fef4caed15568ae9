/**
 * The runtime: holds the options, the registry and the listeners; each run has a scope of its own.
 *
 * Floor 5 (runtime).
 */
import { AgentContext } from "../context/agent-context.ts";
import type { ApprovalDecision } from "../contract/approval.ts";
import type { AgentEvent, EventType, Listener } from "../contract/event.ts";
import type { ModelSettings } from "../contract/model.ts";
import type { AgentRun } from "../contract/run.ts";
import type { InferArguments, SchemaLike } from "../contract/schema.ts";
import { errorMessage, RuntimeError, toHarnessError } from "../errors/index.ts";
import { type AnyListener, EventBus } from "../events/event-bus.ts";
import type { ToolRegistry } from "../registry/tool-registry.ts";
import { freezeJson, toJson } from "../util/json.ts";
import { letGo } from "../util/let-go.ts";
import { misuse } from "../util/misuse.ts";
import { quoteValue } from "../util/text.ts";
import { checkSignal, checkText } from "./check-options.ts";
import { finishRun } from "./finish.ts";
import { addInput, type RunInput, readInput } from "./input.ts";
import { type ResolvedOptions, type RuntimeOptions, resolveOptions } from "./options.ts";
import type { EventSink } from "./recorder.ts";
import { readPaused, resumeLoop } from "./resume.ts";
import { type Ending, failed, runLoop } from "./run-loop.ts";
import { RunScope, type ScopeInput } from "./run-scope.ts";
import { type OnLeave, openStream, type RunStream } from "./run-stream.ts";
import { StructuredOutput } from "./structured-output.ts";

/** What one run may bring beside its input. */
export interface RunOptions<Schema extends SchemaLike = SchemaLike> {
  /** Aborts this run. */
  readonly signal?: AbortSignal | undefined;
  /** @defaultValue a random UUID */
  readonly runId?: string | undefined;
  /** A conversation to go on with; the run appends to it. @defaultValue a new one */
  readonly context?: AgentContext | undefined;
  /** Instructions for this run instead of the runtime's. */
  readonly system?: string | undefined;
  /** Settings for this run's model calls, over those of the runtime. */
  readonly settings?: ModelSettings | undefined;
  /**
   * The form that the answer must have: a zod schema, a Standard Schema or a JSON Schema, an object at its
   * root. The model is asked for it, told what does not fit and asked again, three times at most; then
   * the run fails with MODEL_OUTPUT_INVALID.
   */
  readonly output?: Schema | undefined;
  /** Kept in the record, as JSON. */
  readonly metadata?: unknown;
}

/** What a resumed run may bring; what the first call of `run` brought is not in the record. */
export type ResumeOptions = Pick<RunOptions, "signal" | "system" | "settings" | "output">;

/** What one streamed run may bring. */
export interface StreamOptions<Schema extends SchemaLike = SchemaLike> extends RunOptions<Schema> {
  /** What happens to the run when the consumer leaves the loop early. @defaultValue "abort" */
  readonly onLeave?: OnLeave | undefined;
}

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
   * Goes on with a paused run, also in another process, from its record or the JSON text of it. Questions
   * without a decision keep waiting; then the run is paused again. Each answer counts once, for the exact
   * call that was asked about, under the same rules.
   *
   * @throws TypeError when the run is not paused or a decision belongs to none of its questions.
   * @throws ContextError when the record is damaged or newer.
   */
  resume(run: AgentRun | string, decisions?: readonly ApprovalDecision[], options?: ResumeOptions): Promise<AgentRun>;
  /** Hears events of all runs; "*" hears every type. The returned function takes the listener off. */
  on<Type extends EventType>(type: Type, listener: Listener<Type>): () => void;
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
  const start = (input: RunInput, given: RunOptions = {}, stream?: StreamParts) =>
    startRun(parts, input, given, stream);
  return {
    registry: resolved.registry,
    // The schema that validated the output is the one that types it.
    run: async (input, given) => start(input, given).result as Promise<AgentRun<never>>,
    stream: (input, given) =>
      openStream(
        (queue) => openRun(() => start(input, given, { sink: queue.push, ready: queue.ready })),
        given?.onLeave ?? "abort",
      ),
    resume: async (record, decisions = [], given = {}) => resumeRun(parts, record, decisions, given).result,
    on: (type: EventType | "*", listener: AnyListener | Listener<never>) => bus.on(type, listener as AnyListener),
    abort: (reason) => {
      for (const scope of [...parts.live]) scope.abort(reason);
    },
  };
}

interface Parts {
  readonly resolved: ResolvedOptions;
  readonly bus: EventBus;
  /** The runs in progress, so that `abort` reaches them. */
  readonly live: Set<RunScope>;
  /** Ids of questions that were answered here: an answer counts once. */
  readonly usedAnswers: Set<string>;
}

interface StreamParts {
  readonly sink: EventSink;
  readonly ready: () => Promise<void> | undefined;
}

interface StartedRun {
  readonly result: Promise<AgentRun>;
  abort(reason: unknown): void;
}

/** Misuse of a stream is told by its result, as that of `run` is by its promise. */
function openRun(start: () => StartedRun): StartedRun {
  try {
    return start();
  } catch (error) {
    return { result: Promise.reject(error), abort: () => {} };
  }
}

function startRun(parts: Parts, input: RunInput, given: RunOptions, stream: StreamParts | undefined): StartedRun {
  const { resolved } = parts;
  checkOptions(given);
  const context = given.context ?? new AgentContext();
  if (!(context instanceof AgentContext)) {
    throw misuse(
      `context must be an AgentContext, got ${quoteValue(context)}. Write new AgentContext() or AgentContext.restore(snapshot).`,
    );
  }
  const runId = checkText("runId", given.runId);
  const facts = factsOf(resolved, given);
  const { messages, text } = readInput(input, context);
  context.acquire();
  const made = runId === undefined ? newId(resolved) : { id: runId };
  const metadata = given.metadata === undefined ? undefined : freezeJson(toJson(given.metadata));
  const scope = { ...facts, id: made.id, input: text, context, metadata, sink: stream?.sink, ready: stream?.ready };
  return launch(parts, scope, (running) => {
    if ("problem" in made) throw made.problem;
    addInput(context, messages);
    return runLoop(running);
  });
}

function resumeRun(
  parts: Parts,
  record: unknown,
  decisions: readonly ApprovalDecision[],
  given: ResumeOptions,
): StartedRun {
  checkOptions(given);
  const facts = factsOf(parts.resolved, given);
  const { run, context, answers } = readPaused(record, decisions);
  context.acquire();
  const { id, input, metadata } = run;
  const earlier = { run, answers, usedAnswers: parts.usedAnswers };
  return launch(
    parts,
    { ...facts, id, input, context, metadata, earlier, sink: undefined, ready: undefined },
    resumeLoop,
  );
}

function checkOptions(given: unknown): void {
  if (typeof given === "object" && given !== null) return;
  throw misuse(`The options must be an object such as { signal }, got ${quoteValue(given)}.`);
}

/** What runs and resumed runs bring alike, checked. */
function factsOf(resolved: ResolvedOptions, given: ResumeOptions) {
  const signal = checkSignal("signal", given.signal);
  return {
    system: checkText("system", given.system) ?? resolved.system,
    settings: given.settings === undefined ? resolved.settings : { ...resolved.settings, ...given.settings },
    output: given.output === undefined ? undefined : new StructuredOutput(given.output),
    signals: [resolved.signal, signal].filter((each) => each !== undefined),
  };
}

function launch(parts: Parts, input: ScopeInput, body: (scope: RunScope) => Promise<Ending>): StartedRun {
  const { resolved, bus, live } = parts;
  const scope = new RunScope(resolved, bus, input);
  live.add(scope);
  const result = settleRun(scope, () => body(scope)).finally(() => {
    live.delete(scope);
    scope.close();
    input.context.release();
  });
  return { result, abort: (reason) => scope.abort(reason) };
}

/** Runs to the end; what went wrong on the way, a defect of ours included, is the ending. */
async function settleRun(scope: RunScope, body: () => Promise<Ending>): Promise<AgentRun> {
  try {
    scope.begin();
    return finishRun(scope, await body());
  } catch (error) {
    return finishRun(scope, failed(toHarnessError(error, "runtime")));
  }
}

/** A run whose id the host failed to make gets one of ours, and ends with that problem. */
function newId({ effects }: ResolvedOptions): { readonly id: string; readonly problem?: RuntimeError } {
  if (effects === undefined) return { id: crypto.randomUUID() };
  try {
    const id: unknown = effects.id();
    if (typeof id === "string" && id !== "") return { id };
    letGo(id);
    throw new TypeError(`id() gave ${quoteValue(id)}; it must give text.`);
  } catch (cause) {
    const message = `The effects of the host could not make an id: ${errorMessage(cause)}`;
    return { id: crypto.randomUUID(), problem: new RuntimeError(message, { code: "RUNTIME_HOOK_THREW", cause }) };
  }
}
