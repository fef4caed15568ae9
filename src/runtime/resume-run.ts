/**
 * Takes runs up again: a paused one with the answers to its questions, an interrupted one from its journal.
 *
 * Floor 5 (runtime).
 */
import type { ApprovalDecision } from "../contract/approval.ts";
import type { AgentRun } from "../contract/run.ts";
import type { JournalEntry, Unlock } from "../contract/store.ts";
import { misuse } from "../util/misuse.ts";
import { quoteValue } from "../util/text.ts";
import { givenUp, inUse, type JournalPart, takeLock } from "./journal.ts";
import { contextOf, type Interruption, isNotFound, readStanding, type Standing } from "./read-standing.ts";
import { type PausedRun, readPaused, resumeLoop } from "./resume.ts";
import { runLoop } from "./run-loop.ts";
import type { ResumeOptions } from "./run-options.ts";
import {
  checkGiven,
  factsOf,
  journalIn,
  launch,
  openScope,
  type Parts,
  type StartedRun,
  storeOf,
} from "./start-run.ts";
import { callStore, type StoreAccess } from "./store-call.ts";

/** What is taken up, and how. */
export interface ResumeRequest {
  /** A paused record, the JSON text of one, or the id of a stored run. */
  readonly record: unknown;
  readonly decisions: readonly ApprovalDecision[];
  readonly given: ResumeOptions;
}

/**
 * Resumes a run.
 *
 * @throws TypeError when there is nothing to resume or a decision belongs to no question.
 * @throws ContextError when what is stored is missing, damaged, newer or in other hands.
 */
export async function resumeRun(parts: Parts, { record, decisions, given }: ResumeRequest): Promise<AgentRun> {
  checkGiven(given);
  const access = storeOf(parts.resolved);
  if (isRunId(record)) {
    if (access !== undefined) return resumeStored(parts, access, { id: record, decisions, given });
    throw misuse(
      `resume(${quoteValue(record)}) needs a store to find the run in. Write createRuntime({ store }), or pass the record.`,
    );
  }
  const paused = readPaused(record, decisions);
  if (access === undefined) return resumePaused(parts, paused, given, undefined).result;
  const part = await adoptRecord(parts, access, paused.run, { decisions, given });
  return resumePaused(parts, paused, given, journalIn(access, part)).result;
}

/** Text that is no JSON object names a run. */
function isRunId(record: unknown): record is string {
  return typeof record === "string" && !/^\s*[{[]/u.test(record);
}

/** A stored run that is to go on. */
export interface StoredRequest {
  readonly id: string;
  readonly decisions: readonly ApprovalDecision[];
  readonly given: ResumeOptions;
  /** Nothing more is to be done: the run ends behind what is known of it. */
  readonly isClosing?: boolean | undefined;
}

/** Ends a stored run that is not over, as aborted, with all that is known of it. @throws ContextError */
export function closeStored(parts: Parts, access: StoreAccess, id: string): Promise<AgentRun> {
  return resumeStored(parts, access, { id, decisions: [], given: {}, isClosing: true });
}

/** Goes on with a run of a store. @throws TypeError @throws ContextError */
export async function resumeStored(parts: Parts, access: StoreAccess, request: StoredRequest): Promise<AgentRun> {
  const { id } = request;
  const lock = await takeLock(access, id);
  try {
    const standing = await readStanding(access, id);
    if (standing.type === "ended") {
      await lock();
      return standing.run;
    }
    return await takeUp(parts, access, { standing, lock, ...request });
  } catch (error) {
    await lock().catch(() => {});
    throw error;
  }
}

interface TakeUp extends StoredRequest {
  readonly standing: Exclude<Standing, { type: "ended" }>;
  readonly lock: Unlock;
}

async function takeUp(parts: Parts, access: StoreAccess, request: TakeUp): Promise<AgentRun> {
  const { standing, lock, decisions, isClosing } = request;
  if (standing.type === "paused") {
    const given = isClosing ? { signal: AbortSignal.abort(givenUp()) } : request.given;
    const paused = readPaused(standing.run, decisions);
    const part = pausedPart(parts, paused.run, { lock, decisions, given });
    return resumePaused(parts, paused, given, journalIn(access, part)).result;
  }
  // Whoever gave the answers may not know that they were taken before the process died.
  const taken = standing.opening.type === "run:resume" ? standing.opening.decisions : [];
  const isTaken = (given: ApprovalDecision) =>
    taken.some(({ id, decision }) => id === given.id && decision === given.decision);
  if (!decisions.every(isTaken)) {
    throw misuse(
      `The run ${quoteValue(request.id)} asks nothing now: it was interrupted. Write resume(id) without decisions.`,
    );
  }
  return goOn(parts, access, { standing, lock, given: request.given, isClosing }).result;
}

interface GoOn {
  readonly standing: Interruption;
  readonly lock: Unlock;
  readonly given: ResumeOptions;
  readonly isClosing: boolean | undefined;
}

/** Goes on where the journal ends: what it holds is remembered, the rest is done. */
function goOn(parts: Parts, access: StoreAccess, { standing, lock, given, isClosing }: GoOn): StartedRun {
  const { opening, base, known, inFlight, id } = standing;
  const part = { lock, known, inFlight, isClosing };
  const merged: ResumeOptions = {
    ...given,
    system: given.system ?? opening.system,
    settings: { ...opening.settings, ...given.settings },
  };
  if (opening.type === "run:resume") {
    const paused = readPaused(base, opening.decisions);
    return resumePaused(parts, paused, merged, journalIn(access, { ...part, holder: holderOf(paused.run) }));
  }
  if (opening.hasOutput === true && given.output === undefined && isClosing !== true) {
    throw misuse(
      `The run ${quoteValue(id)} was asked for an answer of a certain form. Give it again: resume(id, [], { output }).`,
    );
  }
  const { input, at: startedAt, metadata, sessionId } = opening;
  const journal = journalIn(access, { ...part, holder: id });
  const context = contextOf(opening.messages);
  const facts = { ...factsOf(parts.resolved, merged), id, input, context, metadata, sessionId, startedAt, journal };
  context.acquire();
  const scope = openScope(parts, { ...facts, sink: undefined, ready: undefined });
  return launch(parts, scope, async () => {
    await scope.journal?.open();
    return runLoop(scope);
  });
}

function resumePaused(
  parts: Parts,
  { run, context, answers }: PausedRun,
  given: ResumeOptions,
  journal: ReturnType<typeof journalIn> | undefined,
): StartedRun {
  const facts = factsOf(parts.resolved, given);
  context.acquire();
  const { id, input, metadata, sessionId, startedAt } = run;
  const earlier = { run, answers, usedAnswers: parts.usedAnswers };
  const asked = { ...facts, id, input, context, metadata, sessionId, startedAt, earlier, journal };
  const scope = openScope(parts, { ...asked, sink: undefined, ready: undefined });
  return launch(parts, scope, async () => {
    await scope.journal?.open();
    return resumeLoop(scope);
  });
}

/** Takes a record into the store that the caller kept by himself, unless the store knows better. */
async function adoptRecord(
  parts: Parts,
  access: StoreAccess,
  run: AgentRun,
  request: Omit<PausedRequest, "lock">,
): Promise<JournalPart> {
  const lock = await takeLock(access, run.id);
  try {
    const standing = await readStanding(access, run.id).catch((error: unknown) => {
      if (isNotFound(error)) return undefined;
      throw error;
    });
    if (standing === undefined) await callStore(access, "save the record", (store) => store.saveRun(run));
    else if (standing.type !== "paused" || standing.run.eventCount !== run.eventCount) {
      throw inUse(
        `The run ${quoteValue(run.id)} has gone on since this record was made. Go on from the store: runtime.resume(id).`,
      );
    }
    return pausedPart(parts, run, { lock, ...request });
  } catch (error) {
    await lock().catch(() => {});
    throw error;
  }
}

interface PausedRequest {
  readonly lock: Unlock;
  readonly decisions: readonly ApprovalDecision[];
  readonly given: ResumeOptions;
}

function pausedPart({ resolved }: Parts, run: AgentRun, { lock, decisions, given }: PausedRequest): JournalPart {
  const { system, settings } = given;
  const entry: JournalEntry = {
    type: "run:resume",
    at: resolved.clock.now(),
    from: run.eventCount ?? 0,
    decisions,
    ...(system !== undefined && { system }),
    ...(settings !== undefined && { settings }),
  };
  return { lock, open: async () => entry, holder: holderOf(run) };
}

/** Names the part of a run that begins at a pause. */
function holderOf({ id, eventCount = 0 }: AgentRun): string {
  return `${id}#${eventCount}`;
}
