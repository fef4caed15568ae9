/**
 * Starts runs: reads what the caller gave, opens the scope, and settles whatever happens in it.
 *
 * Floor 5 (runtime).
 */
import { AgentContext } from "../context/agent-context.ts";
import type { AgentRun } from "../contract/run.ts";
import { JOURNAL_VERSION, type JournalEntry } from "../contract/store.ts";
import { errorMessage, RuntimeError, toHarnessError } from "../errors/index.ts";
import type { EventBus } from "../events/event-bus.ts";
import { freezeJson, toJson } from "../util/json.ts";
import { letGo } from "../util/let-go.ts";
import { misuse } from "../util/misuse.ts";
import { quoteValue } from "../util/text.ts";
import { checkSignal, checkText } from "./check-options.ts";
import { finishRun } from "./finish.ts";
import { addInput, type RunInput, readInput } from "./input.ts";
import { inUse, Journal, type JournalPart } from "./journal.ts";
import type { ResolvedOptions } from "./options.ts";
import type { EventSink } from "./recorder.ts";
import { type Ending, failed, runLoop } from "./run-loop.ts";
import type { ResumeOptions, RunOptions } from "./run-options.ts";
import { RunScope, type ScopeInput } from "./run-scope.ts";
import { callStore, type StoreAccess } from "./store-call.ts";
import { StructuredOutput } from "./structured-output.ts";

/** What a runtime holds. Nothing in it belongs to a run for longer than the run takes. */
export interface Parts {
  readonly resolved: ResolvedOptions;
  readonly bus: EventBus;
  /** The runs in progress, so that `abort` reaches them. */
  readonly live: Set<RunScope>;
  /** Ids of questions that were answered here: an answer counts once. */
  readonly usedAnswers: Set<string>;
}

/** Where the events of a streamed run go. */
export interface StreamParts {
  readonly sink: EventSink;
  readonly ready: () => Promise<void> | undefined;
}

/** A run in progress. */
export interface StartedRun {
  readonly result: Promise<AgentRun>;
  abort(reason: unknown): void;
}

/** What the parts of the package that start runs know beside what the caller gave. */
export interface StartOptions {
  readonly stream?: StreamParts | undefined;
  /** Aborts the run, beside the caller's own. */
  readonly signal?: AbortSignal | undefined;
  /** An id that is known to be new. */
  readonly runId?: string | undefined;
  /** The store to write to, where it is not that of the runtime. */
  readonly access?: StoreAccess | undefined;
  readonly sessionId?: string | undefined;
  /** Done with the text of the input before anything of the run is written down. */
  readonly before?: ((input: string) => Promise<void>) | undefined;
}

/** Starts a run. @throws TypeError for misuse. */
export function startRun(parts: Parts, input: RunInput, given: RunOptions, start: StartOptions = {}): StartedRun {
  const { stream, access = storeOf(parts.resolved), sessionId } = start;
  const { resolved } = parts;
  checkGiven(given);
  const context = given.context ?? new AgentContext();
  if (!(context instanceof AgentContext)) {
    throw misuse(
      `context must be an AgentContext, got ${quoteValue(context)}. Write new AgentContext() or AgentContext.restore(snapshot).`,
    );
  }
  const runId = checkText("runId", given.runId);
  const facts = factsOf(resolved, given, start.signal);
  const { messages, text } = readInput(input, context);
  context.acquire();
  const made = runId === undefined ? newId(resolved, start.runId) : { id: runId };
  const metadata = given.metadata === undefined ? undefined : freezeJson(toJson(given.metadata));
  const open = access && (() => firstEntry(scope, access, runId !== undefined));
  const journal = access && journalIn(access, { open, holder: made.id });
  const scope = openScope(parts, {
    id: made.id,
    input: text,
    context,
    system: facts.system,
    settings: facts.settings,
    output: facts.output,
    signals: facts.signals,
    metadata,
    sessionId,
    journal,
    sink: stream?.sink,
    ready: stream?.ready,
  });
  return launch(parts, scope, async () => {
    if ("problem" in made) throw made.problem;
    addInput(context, messages);
    if (start.before !== undefined) await start.before(text);
    await scope.journal?.open();
    return runLoop(scope);
  });
}

/** How the journal of a new run begins. @throws ContextError when the host gave it an id that is taken. */
async function firstEntry(scope: RunScope, access: StoreAccess, mayBeTaken: boolean): Promise<JournalEntry> {
  const { id, input, startedAt, context, metadata, sessionId } = scope;
  const taken = mayBeTaken ? await callStore(access, "look for the id", (store) => store.readJournal(id)) : undefined;
  // An empty journal is that of a run whose process died before anything was written.
  if (taken !== undefined && taken.entries.length > 0) {
    throw inUse(
      `The store has a run with the id ${quoteValue(id)} already. Leave runId out, or go on with it by runtime.resume(id).`,
    );
  }
  return {
    type: "run:start",
    schemaVersion: JOURNAL_VERSION,
    at: startedAt,
    input,
    messages: context.messages,
    ...scope.storedSettings,
    ...(metadata !== undefined && { metadata }),
    ...(sessionId !== undefined && { sessionId }),
  };
}

/** Writes a part of a run into a store. */
export function journalIn(access: StoreAccess, part: JournalPart): NonNullable<ScopeInput["journal"]> {
  return (owner) => new Journal(access, owner, part);
}

/** The store of a runtime, when it has one. */
export function storeOf({ store, clock, storeTimeoutMs }: ResolvedOptions): StoreAccess | undefined {
  return store && { store, clock, timeoutMs: storeTimeoutMs };
}

/** Refuses options that are none. @throws TypeError */
export function checkGiven(given: unknown): void {
  if (typeof given === "object" && given !== null) return;
  throw misuse(`The options must be an object such as { signal }, got ${quoteValue(given)}.`);
}

/** What runs and resumed runs bring alike, checked. @throws TypeError */
export function factsOf(resolved: ResolvedOptions, given: ResumeOptions, signalOfOwner?: AbortSignal) {
  const signal = checkSignal("signal", given.signal);
  return {
    system: checkText("system", given.system) ?? resolved.system,
    settings: given.settings === undefined ? resolved.settings : { ...resolved.settings, ...given.settings },
    output: given.output === undefined ? undefined : new StructuredOutput(given.output),
    signals: [resolved.signal, signal, signalOfOwner].filter((each) => each !== undefined),
  };
}

/** Opens the scope of a run; from here on the runtime's `abort` reaches it. */
export function openScope({ resolved, bus, live }: Parts, input: ScopeInput): RunScope {
  const scope = new RunScope(resolved, bus, input);
  live.add(scope);
  return scope;
}

/** Lets a run begin. */
export function launch({ live }: Parts, scope: RunScope, body: () => Promise<Ending>): StartedRun {
  const result = settleRun(live, scope, body);
  return { result, abort: (reason) => scope.abort(reason) };
}

/** Runs to the end; what went wrong on the way, a defect of ours included, is the ending. */
async function settleRun(live: Set<RunScope>, scope: RunScope, body: () => Promise<Ending>): Promise<AgentRun> {
  let ending: Ending;
  try {
    scope.begin();
    ending = await body();
  } catch (error) {
    ending = failed(toHarnessError(error, "runtime"));
  }
  try {
    return await finishRun(scope, ending);
  } finally {
    live.delete(scope);
    scope.close();
    scope.context.release();
  }
}

/** A run whose id the host failed to make gets one of ours, and ends with that problem. */
function newId({ effects }: ResolvedOptions, given?: string): { readonly id: string; readonly problem?: RuntimeError } {
  if (given !== undefined || effects === undefined) return { id: given ?? crypto.randomUUID() };
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
