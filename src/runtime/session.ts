/**
 * Sessions: conversations of several runs that are kept in a store.
 *
 * Floor 5 (runtime). A session holds no history of its own: its history is that of its last run, so there is
 * one truth. A run is entered before it begins, so that one whose process died is found.
 */
import type { ApprovalDecision } from "../contract/approval.ts";
import type { Message } from "../contract/message.ts";
import type { AgentRun } from "../contract/run.ts";
import { SESSION_VERSION, type SessionRecord, type Store } from "../contract/store.ts";
import { ContextError } from "../errors/index.ts";
import { misuse } from "../util/misuse.ts";
import { clipEnd, quoteValue } from "../util/text.ts";
import { checkStore, checkText } from "./check-options.ts";
import type { RunInput } from "./input.ts";
import { lockName } from "./journal.ts";
import { contextOf, isNotFound, readStanding, type Standing } from "./read-standing.ts";
import { closeStored, resumeStored } from "./resume-run.ts";
import type { ResumeOptions, RunOptions, StreamOptions } from "./run-options.ts";
import { openStream, type RunStream } from "./run-stream.ts";
import { checkGiven, type Parts, type StartedRun, type StreamParts, startRun, storeOf } from "./start-run.ts";
import { callStore, type StoreAccess } from "./store-call.ts";

/** Characters of a title that is made of the first input. */
const TITLE_CHARS = 60;

/** How a session is opened. */
export interface SessionOptions {
  /** @defaultValue the runtime's store */
  readonly store?: Store | undefined;
  /** The title of a new session. @defaultValue the beginning of its first input */
  readonly title?: string | undefined;
}

/** What a run of a session may bring. */
export interface SessionRunOptions extends Omit<RunOptions, "context" | "runId"> {
  /**
   * What becomes of a last run that is paused or was interrupted: "refuse" rejects with CONTEXT_UNFINISHED,
   * "close" ends it as aborted, with all that it did, and goes on from there. @defaultValue "refuse"
   */
  readonly unfinished?: "refuse" | "close" | undefined;
}

/** A conversation. Every method works on what the store has at that moment. */
export interface Session {
  readonly id: string;
  /**
   * The next run, with the history of the ones before.
   *
   * @throws TypeError for misuse. ContextError CONTEXT_UNFINISHED when the last run is not over,
   * CONTEXT_IN_USE when another process works on the session, and whatever reading the store meets.
   */
  run(input: RunInput, options?: SessionRunOptions): Promise<AgentRun>;
  /** The same as an async iterable of its events. */
  stream(input: RunInput, options?: SessionRunOptions & Pick<StreamOptions, "onLeave">): RunStream;
  /** Goes on with the last run, paused or interrupted: see `runtime.resume`. */
  resume(decisions?: readonly ApprovalDecision[], options?: ResumeOptions): Promise<AgentRun>;
  /** What the store has of the session; `undefined` before its first run. */
  info(): Promise<SessionRecord | undefined>;
  /** The history so far: that of the last run that is over. */
  messages(): Promise<readonly Message[]>;
  /** Gives it another title. @throws ContextError CONTEXT_NOT_FOUND before its first run. */
  rename(title: string): Promise<void>;
}

/** Opens a session; nothing is read or written before its first method is called. @throws TypeError */
export function openSession(parts: Parts, id: string, options: SessionOptions = {}): Session {
  checkGiven(options);
  if (typeof id !== "string" || id === "") throw misuse(`A session needs an id, got ${quoteValue(id)}.`);
  const store = checkStore(options.store);
  const access = store === undefined ? storeOf(parts.resolved) : { ...accessDefaults(parts), store };
  if (access === undefined) {
    throw misuse(`session(${quoteValue(id)}) needs a store. Write createRuntime({ store }) or session(id, { store }).`);
  }
  return new StoredSession(parts, access, id, checkText("title", options.title));
}

function accessDefaults({ resolved }: Parts): Omit<StoreAccess, "store"> {
  return { clock: resolved.clock, timeoutMs: resolved.storeTimeoutMs };
}

class StoredSession implements Session {
  constructor(
    private readonly parts: Parts,
    private readonly access: StoreAccess,
    readonly id: string,
    private readonly title: string | undefined,
  ) {}

  async run(input: RunInput, options: SessionRunOptions = {}): Promise<AgentRun> {
    return this.#start(input, options).result;
  }

  stream(input: RunInput, options: SessionRunOptions & Pick<StreamOptions, "onLeave"> = {}): RunStream {
    return openStream(
      (queue) => this.#start(input, options, { sink: queue.push, ready: queue.ready }),
      options.onLeave ?? "abort",
    );
  }

  resume(decisions: readonly ApprovalDecision[] = [], given: ResumeOptions = {}): Promise<AgentRun> {
    return this.#locked(async () => {
      const id = (await this.#load())?.runIds.at(-1);
      if (id === undefined) throw this.#empty();
      return resumeStored(this.parts, this.access, { id, decisions, given });
    });
  }

  info(): Promise<SessionRecord | undefined> {
    return this.#load();
  }

  async messages(): Promise<readonly Message[]> {
    return (await this.#history(await this.#load(), "skip")).messages;
  }

  rename(title: string): Promise<void> {
    const checked = checkText("title", title) ?? "";
    return this.#locked(async () => {
      const session = await this.#load();
      if (session === undefined) throw this.#empty();
      await this.#save({ ...session, title: checked });
    });
  }

  #start(input: RunInput, options: SessionRunOptions, stream?: StreamParts): StartedRun {
    const controller = new AbortController();
    const result = this.#locked(() => this.#turn(input, options, { stream, signal: controller.signal }));
    return { result, abort: (reason) => controller.abort(reason) };
  }

  async #turn(
    input: RunInput,
    { unfinished = "refuse", ...options }: SessionRunOptions,
    { stream, signal }: { readonly stream: StreamParts | undefined; readonly signal: AbortSignal },
  ): Promise<AgentRun> {
    const before = await this.#load();
    const { messages, runIds } = await this.#history(before, unfinished);
    const context = contextOf(messages);
    const now = this.access.clock.now();
    const runId = crypto.randomUUID();
    const started = startRun(
      this.parts,
      input,
      { ...options, context },
      {
        ...{ stream, signal, runId, access: this.access, sessionId: this.id },
        before: (text) =>
          this.#save({
            schemaVersion: SESSION_VERSION,
            id: this.id,
            title: before?.title ?? this.title ?? titleOf(text),
            createdAt: before?.createdAt ?? now,
            updatedAt: now,
            runIds: [...runIds, runId],
          }),
      },
    );
    return started.result;
  }

  /** The messages to go on from, and the runs that they come from. */
  async #history(
    session: SessionRecord | undefined,
    unfinished: "refuse" | "close" | "skip",
  ): Promise<{ readonly messages: readonly Message[]; readonly runIds: readonly string[] }> {
    const runIds = [...(session?.runIds ?? [])];
    for (let missing = 0; ; runIds.pop()) {
      const id = runIds.at(-1);
      if (id === undefined) return { messages: [], runIds };
      const standing = await this.#standing(id);
      if (standing?.type === "ended") return { messages: standing.run.history, runIds };
      if (standing === undefined) {
        // The last one may have been entered without ever beginning; one before it was deleted.
        if (++missing > 1) throw this.#lost(id);
      } else if (unfinished === "refuse") {
        throw this.#notOver(id, standing);
      } else if (unfinished === "close") {
        return { messages: (await closeStored(this.parts, this.access, id)).history, runIds };
      }
    }
  }

  async #standing(id: string): Promise<Standing | undefined> {
    try {
      return await readStanding(this.access, id);
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  async #locked<T>(work: () => Promise<T>): Promise<T> {
    const unlock = await lockName(this.access, `session/${this.id}`, `The session ${quoteValue(this.id)}`);
    try {
      return await work();
    } finally {
      await callStore(this.access, "unlock the session", () => unlock()).catch(() => {});
    }
  }

  #load(): Promise<SessionRecord | undefined> {
    return callStore(this.access, "load the session", (store) => store.loadSession(this.id));
  }

  #save(session: SessionRecord): Promise<void> {
    return callStore(this.access, "save the session", (store) => store.saveSession(session));
  }

  #notOver(id: string, { type }: Standing): ContextError {
    const how = type === "paused" ? "waits for answers" : "was interrupted";
    return new ContextError(
      `The last run of the session ${quoteValue(this.id)} ${how} (${id}). Go on with session.resume(), or write run(input, { unfinished: "close" }).`,
      { code: "CONTEXT_UNFINISHED" },
    );
  }

  #empty(): ContextError {
    return new ContextError(`The session ${quoteValue(this.id)} has no run yet. Start one with session.run(input).`, {
      code: "CONTEXT_NOT_FOUND",
    });
  }

  #lost(runId: string): ContextError {
    return new ContextError(
      `The store no longer has the run ${runId} that the session ${quoteValue(this.id)} goes on from. Restore it from a backup, or delete the session.`,
      { code: "CONTEXT_NOT_FOUND" },
    );
  }
}

/** The first line of an input, cut. */
function titleOf(input: string): string {
  return clipEnd(input.trim().split("\n", 1)[0]?.trimEnd() ?? "", TITLE_CHARS);
}
