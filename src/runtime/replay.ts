/**
 * Runs a recorded run again, offline, against today's code and tools.
 *
 * Floor 5 (runtime). The model is never asked: its answers come from the record. What the code of today makes
 * of them must be the record again.
 */
import type { AgentRun, AgentStep } from "../contract/run.ts";
import type { SchemaLike } from "../contract/schema.ts";
import { ModelError } from "../errors/index.ts";
import { EventBus } from "../events/event-bus.ts";
import { systemClock } from "../util/clock.ts";
import { quoteValue } from "../util/text.ts";
import { type Difference, firstDifference } from "./first-difference.ts";
import type { JournalOwner } from "./journal.ts";
import { type RuntimeOptions, resolveOptions } from "./options.ts";
import { parseRun } from "./parse-run.ts";
import { contextOf } from "./read-standing.ts";
import { type LiveParts, ReplayJournal } from "./replay-journal.ts";
import { runLoop } from "./run-loop.ts";
import { factsOf, launch, openScope, type Parts } from "./start-run.ts";

/** The options of the runtime that made the record, and what is to be done anew. */
export interface ReplayOptions
  extends Omit<RuntimeOptions, "model" | "fallback" | "effects" | "store" | "clock" | "signal"> {
  /**
   * Which tools are executed again: all, none, or those that the function says. The others give what the
   * record has. @defaultValue those of access "none", which only compute
   */
  readonly execute?: boolean | ((tool: string) => boolean) | undefined;
  /** The form that the run was asked for. */
  readonly output?: SchemaLike | undefined;
}

/** What a replay came to. */
export interface Replay {
  /** The record that today's code made. */
  readonly run: AgentRun;
  /** The first place where it is not the record that was given; absent when they are equal. */
  readonly divergence?: Divergence | undefined;
}

/** Where a replayed run left its record. */
export interface Divergence extends Difference {
  /** The place, what was expected and what came, in one sentence. */
  readonly message: string;
}

/**
 * Replays a record. Give the options of the runtime that made it, such as `tools`, `limits` and `permission`;
 * without a gate, the decisions of the record stand. Not compared are times, `abandoned`, `storeError` and,
 * without a `price`, `usage.costUsd`; calls of one turn may be recorded in any order.
 *
 * @throws ContextError when the record is damaged or newer. TypeError for wrong options.
 * @example
 * const { divergence } = await replayRun(JSON.parse(text), { tools: [add] });
 * if (divergence) console.error(divergence.message);
 */
export async function replayRun(record: AgentRun | string, options: ReplayOptions = {}): Promise<Replay> {
  const recorded = parseRun(record);
  const { execute, output, ...given } = options;
  const hasDecisions = recorded.steps.some((step) => step.type === "permission");
  const live: LiveParts = {
    executes: (tool) => (typeof execute === "function" ? execute(tool) : (execute ?? isPure(tool))),
    judges: given.permission !== undefined,
  };
  const resolved = resolveOptions({
    ...given,
    maxSteps: given.maxSteps ?? (recorded.stopReason === "maxSteps" ? recorded.iterations : 0),
    // Never asked, because the record knows; but without a gate, what writes would be refused.
    permission: given.permission ?? (hasDecisions ? () => ({ decision: "deny" }) : undefined),
    model: beyondTheRecord,
    clock: { now: () => recorded.endedAt, setTimer: systemClock.setTimer },
  });
  const isPure = (tool: string) => resolved.registry.get(tool)?.access === "none";
  const parts: Parts = { resolved, bus: new EventBus(), live: new Set(), usedAnswers: new Set() };
  const run = await again(parts, recorded, live, output);
  const found = firstDifference(comparable(recorded, given.price !== undefined), comparable(run, true));
  return found === undefined ? { run } : { run, divergence: { ...found, message: tell(found) } };
}

async function again(
  parts: Parts,
  recorded: AgentRun,
  live: LiveParts,
  output: SchemaLike | undefined,
): Promise<AgentRun> {
  const { id, input, metadata, sessionId, startedAt } = recorded;
  const context = contextOf(recorded.history.slice(0, startOf(recorded)));
  const facts = factsOf(parts.resolved, { output });
  const asked = { ...facts, id, input, context, metadata, sessionId, startedAt, sink: undefined, ready: undefined };
  context.acquire();
  const journal = (owner: JournalOwner) => new ReplayJournal(recorded, live, (reason) => owner.stop(reason));
  const scope = openScope(parts, { ...asked, journal });
  return launch(parts, scope, () => runLoop(scope)).result;
}

/** How many messages there were before the first answer. */
function startOf({ steps, history }: AgentRun): number {
  const first = steps.find((step) => step.type === "model");
  return first?.messageCount ?? history.length;
}

async function beyondTheRecord(): Promise<never> {
  throw new ModelError("The record has no further answer of the model.", { code: "MODEL_UNKNOWN", retryable: false });
}

/** A record without what a replay cannot know, its steps in an order that does not depend on which call was faster. */
function comparable(run: AgentRun, hasPrice: boolean): object {
  const { abandoned: _abandoned, storeError: _error, eventCount: _count, usage, steps, ...rest } = run;
  const { costUsd, ...tokens } = usage;
  return { steps: inOrder(steps), ...rest, usage: hasPrice ? { ...tokens, costUsd } : tokens };
}

function inOrder(steps: readonly AgentStep[]): readonly AgentStep[] {
  const decided = new Set(steps.flatMap((step) => (isLastWord(step) ? [step.callId] : [])));
  const kept = steps.filter(
    (step) => !(step.type === "permission" && step.decision === "ask" && decided.has(step.callId)),
  );
  const turnOf = new Map<AgentStep, number>();
  let turn = 0;
  for (const step of kept) turnOf.set(step, isOfTurn(step) ? turn : ++turn);
  const sorted = kept.toSorted(
    (a, b) => (turnOf.get(a) ?? 0) - (turnOf.get(b) ?? 0) || (orderOf(a) < orderOf(b) ? -1 : 1),
  );
  return sorted.map((step, index) => ({ ...step, index, startedAt: 0, durationMs: 0 }));
}

function isLastWord(step: AgentStep): step is Extract<AgentStep, { type: "permission" }> {
  return step.type === "permission" && step.decision !== "ask";
}

function isOfTurn(step: AgentStep): boolean {
  return step.type === "tool" || step.type === "permission";
}

/** Sorts a model's step before the calls that it asked for, and a decision before its call. */
function orderOf(step: AgentStep): string {
  if (step.type === "tool") return `1/${step.call.id}/1`;
  return step.type === "permission" ? `1/${step.callId}/0` : "0";
}

function tell({ path, expected, actual }: Difference): string {
  return `The replay left the record at ${path}: expected ${quoteValue(expected)}, got ${quoteValue(actual)}.`;
}
