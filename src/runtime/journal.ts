/**
 * The journal of one run: what is about to be done and what came of it, written down as it happens.
 *
 * Floor 5 (runtime). An effect whose end is written is never repeated; one that only has its start was in
 * flight when the process died. A run that cannot be written down is stopped: it could not keep that promise.
 */
import type { AgentRun } from "../contract/run.ts";
import { type JournalEntry, lockOfRun, type Store, type Unlock } from "../contract/store.ts";
import { ContextError, type HarnessError, RuntimeError, serializeError, toHarnessError } from "../errors/index.ts";
import { freezeJson } from "../util/json.ts";
import type { CallTable } from "./call-table.ts";
import type { CallSpec } from "./foreign-call.ts";
import { callStore, type StoreAccess, storeError, storeTimeout } from "./store-call.ts";

/** What a run asks of whoever writes it down, or knows it already. */
export interface RunJournal {
  /** Takes the run for this process and writes how it begins. @throws ContextError when that cannot be done. */
  open(): Promise<void>;
  /** What an effect gave in an earlier process. */
  known(key: string): { readonly value: unknown } | undefined;
  /** When an effect was started that had not ended when the process died; `undefined` for any other. */
  inFlightSince(key: string): number | undefined;
  /** Whether what an effect did, or may have done, stands although its tool is gone. */
  stands(key: string): boolean;
  /** Whether nothing more is to be done. */
  readonly isClosing: boolean;
  /** Writes that an effect starts. @throws HarnessError when it may not, because that cannot be written. */
  start(key: string): Promise<void>;
  /** Writes what an effect gave. That it cannot be written stops the run, and does not take the value away. */
  end(key: string, value: unknown): Promise<void>;
  /** Uses up the answer to a question. @throws ContextError when the store cannot say whether it was free. */
  claim(question: string): Promise<boolean>;
  /**
   * Keeps the record and lets go of the run. Never rejects: a record that could not be stored says so, and is
   * returned all the same.
   */
  close(run: AgentRun): Promise<AgentRun>;
}

/** What is known of a part of a run before it starts, and how its journal begins. */
export interface JournalPart {
  /** The lock on the run, when somebody took it already. */
  readonly lock?: Unlock | undefined;
  /** Gives the entry to begin with; `undefined` when the journal has it already. */
  readonly open?: (() => Promise<JournalEntry>) | undefined;
  /** What the effects gave that ended before the process died, by key. */
  readonly known?: ReadonlyMap<string, unknown> | undefined;
  /** The effects that had started and not ended, with the time of their start. */
  readonly inFlight?: ReadonlyMap<string, number> | undefined;
  /** Nothing more is to be done: the run ends behind what is known. */
  readonly isClosing?: boolean | undefined;
  /** Names this part of the run: answers to its questions are used up for it. */
  readonly holder: string;
}

/** The run that is written down. */
export interface JournalOwner {
  readonly id: string;
  readonly calls: CallTable;
  readonly graceMs: number;
  clockNow(): number;
  stop(reason: HarnessError): void;
}

const WRITE = "write to the journal";

/** Writes down one part of a run. */
export class Journal implements RunJournal {
  #unlock: Unlock | undefined;
  #isOpen = false;

  constructor(
    private readonly access: StoreAccess,
    private readonly owner: JournalOwner,
    private readonly part: JournalPart,
  ) {}

  async open(): Promise<void> {
    const { lock, open } = this.part;
    this.#unlock = lock ?? (await takeLock(this.access, this.owner.id));
    if (open !== undefined) {
      // Also where the run was aborted meanwhile: what it did before is to be kept.
      const first = await open();
      await callStore(this.access, WRITE, (store) => store.append(this.owner.id, [first]));
    }
    this.#isOpen = true;
  }

  known(key: string): { readonly value: unknown } | undefined {
    const { known } = this.part;
    return known?.has(key) ? { value: known.get(key) } : undefined;
  }

  inFlightSince(key: string): number | undefined {
    return this.part.inFlight?.get(key);
  }

  stands(key: string): boolean {
    return this.known(key) !== undefined || this.inFlightSince(key) !== undefined;
  }

  async start(key: string): Promise<void> {
    try {
      if (this.part.isClosing) throw givenUp();
      await this.#write([{ type: "effect:start", key, at: this.owner.clockNow() }]);
    } catch (error) {
      this.#fail(error);
      throw error;
    }
  }

  async end(key: string, value: unknown): Promise<void> {
    try {
      await this.#write([{ type: "effect:end", key, at: this.owner.clockNow(), value }]);
    } catch (error) {
      this.#fail(error);
    }
  }

  claim(question: string): Promise<boolean> {
    return this.#during("claim an answer", (store) => store.claim(`approval/${question}`, this.part.holder));
  }

  async close(run: AgentRun): Promise<AgentRun> {
    if (!this.#isOpen) {
      await this.#letGo();
      return run;
    }
    try {
      await callStore(this.access, "save the record", (store) => store.saveRun(run));
      const entry: JournalEntry = { type: "run:end", at: run.endedAt, status: run.status };
      await callStore(this.access, "end the journal", (store) => store.append(run.id, [entry]));
      return run;
    } catch (error) {
      return Object.freeze({ ...run, storeError: freezeJson(serializeError(error)) });
    } finally {
      await this.#letGo();
    }
  }

  get isClosing(): boolean {
    return this.part.isClosing === true;
  }

  #fail(error: unknown): void {
    this.owner.stop(toHarnessError(error, "context"));
  }

  #write(entries: readonly JournalEntry[]): Promise<void> {
    return this.#during(WRITE, (store) => store.append(this.owner.id, entries));
  }

  /** Calls the store within the run: stopped with it, and bounded. */
  async #during<T>(what: string, call: (store: Store) => Promise<T>): Promise<T> {
    const { timeoutMs, store } = this.access;
    const spec: CallSpec = {
      as: { type: "store", name: what },
      deadline: this.owner.clockNow() + timeoutMs,
      timeoutError: () => storeTimeout(what, timeoutMs),
      graceMs: this.owner.graceMs,
    };
    const outcome = await this.owner.calls.race<T>(spec, () => call(store));
    if (outcome.status === "returned") return outcome.value;
    throw outcome.status === "stopped" ? outcome.reason : storeError(what, outcome.error);
  }

  async #letGo(): Promise<void> {
    const unlock = this.#unlock;
    this.#unlock = undefined;
    if (unlock === undefined) return;
    // A lock that cannot be given back is free again when this process ends.
    await callStore(this.access, "unlock the run", () => unlock()).catch(() => {});
  }
}

/** The error for a run that nobody wants to go on with. */
export function givenUp(): HarnessError {
  return new RuntimeError("The run was not over and was given up.", { code: "RUN_ABORTED" });
}

/** Locks a run for this process. @throws ContextError CONTEXT_IN_USE when another one has it. */
export async function takeLock(access: StoreAccess, runId: string): Promise<Unlock> {
  return lockName(access, lockOfRun(runId), `The run ${runId}`);
}

/** Locks a name. @throws ContextError CONTEXT_IN_USE when somebody else has it. */
export async function lockName(access: StoreAccess, name: string, subject: string): Promise<Unlock> {
  let asked: Promise<Unlock | undefined> | undefined;
  const unlock = await callStore(access, "lock", (store) => {
    asked = store.lock(name);
    return asked;
  }).catch((error: unknown) => {
    // A lock that comes after all would keep everybody out as long as this process lives.
    asked?.then((late) => late?.()).catch(() => {});
    throw error;
  });
  if (unlock !== undefined) return unlock;
  throw inUse(`${subject} is in the hands of another process. Wait until it is done there, then try again.`);
}

/** The error for what somebody else works on. */
export function inUse(message: string): HarnessError {
  return new ContextError(message, { code: "CONTEXT_IN_USE" });
}
