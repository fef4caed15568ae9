/**
 * Chooses the turns that a summary is to stand for, and puts it in their place.
 *
 * Adapter wing.
 */
import type { Message } from "../../../contract/message.ts";
import type { Bounds, Kit } from "./kit.ts";
import type { Facts } from "./note.ts";
import { shortestCover } from "./turns.ts";

/** The oldest turns of a history, and what is left of them without a summary. */
export interface Cover {
  /** How many messages they are. */
  readonly length: number;
  /** System messages among them; they stay as they are. */
  readonly system: readonly Message[];
  readonly turns: readonly Message[];
  readonly facts: Facts;
  /** Most tokens of the summary. */
  readonly room: number;
}

/** The least room in which a summary says anything. */
const LEAST_SUMMARY_TOKENS = 32;
/** How much of one message of the user is kept word by word. */
const SAID_TOKENS = 1_000;

/**
 * As few turns as are enough to get below the target, or all of those before `end`.
 *
 * @returns `undefined` when a note would hardly be shorter than the turns.
 */
export function chooseCover(kit: Kit, messages: readonly Message[], end: number, bounds: Bounds): Cover | undefined {
  if (end === 0) return undefined;
  const { meter, settings } = kit;
  const said = saidTokens(bounds);
  const reserve = Math.min(settings.summaryTokens, Math.floor(bounds.target / 2)) + 2 * said;
  const total = meter.messages(messages);
  const isEnough = (tokens: number) => total - tokens + reserve <= bounds.target;
  const least = shortestCover(messages, end, (message) => meter.message(message), isEnough);
  if (least < end) {
    const cover = coverOf(kit, messages.slice(0, least), said);
    if (cover !== undefined && total - cover.saved <= bounds.limit) return cover;
  }
  return coverOf(kit, messages.slice(0, end), said);
}

function saidTokens({ limit }: Bounds): number {
  return Math.min(SAID_TOKENS, Math.floor(limit / 8));
}

function coverOf(
  { meter, notes, settings }: Kit,
  messages: readonly Message[],
  said: number,
): (Cover & { readonly saved: number }) | undefined {
  const turns = messages.filter(({ role }) => role !== "system");
  const system = messages.filter(({ role }) => role === "system");
  const facts = notes.read(turns, (text) => meter.clip(text, said));
  const bare = meter.message(notes.write({ ...facts, summary: "…" }));
  const tokens = meter.messages(turns);
  const room = Math.min(settings.summaryTokens, Math.floor((tokens - bare) / 2));
  if (room < LEAST_SUMMARY_TOKENS) return undefined;
  return { length: messages.length, system, turns, facts, room, saved: tokens - bare - room };
}

/** What stands for the turns of a cover: with a summary of them, or with that of an earlier compaction, if any. */
export function standIns({ meter, notes }: Kit, { system, facts, room }: Cover, text: string | undefined): Message[] {
  const summary = meter.clip(text ?? facts.summary, room);
  const summarized = text === undefined ? facts.summarized : facts.messages;
  return [...system, notes.write({ ...facts, summary, summarized })];
}
