/**
 * Makes a history fit: first old tool results are shortened, then the oldest turns are summarised, and
 * only when nothing else helps the newest results are shortened, too.
 *
 * Adapter wing. What is well formed stays well formed: results are shortened in place, turns go whole.
 */
import type { Message } from "../../../contract/message.ts";
import type { Usage } from "../../../contract/model.ts";
import type { HarnessError } from "../../../errors/index.ts";
import { askForSummary, type Summary } from "./ask-for-summary.ts";
import { type Cover, chooseCover, standIns } from "./cover.ts";
import type { Asking, Bounds, Kit } from "./kit.ts";
import { longestResult, shortenResults } from "./shorten.ts";
import { transcriptOf } from "./transcript.ts";
import { keptFrom } from "./turns.ts";

/** A history that was made to fit, as well as it could be. */
export interface Compacted {
  readonly messages: readonly Message[];
  readonly summarized: number;
  readonly dropped: number;
  readonly shortened: number;
  /** Why there is no summary, when one was tried. */
  readonly error: HarnessError | undefined;
  /** What the summary used. */
  readonly usage: Usage | undefined;
}

/** A transcript with less room would say nothing. */
const LEAST_TRANSCRIPT_TOKENS = 256;

/** @throws the reason of the context's signal, once that has fired. */
export async function compact(
  kit: Kit,
  history: readonly Message[],
  bounds: Bounds,
  asking: Asking,
): Promise<Compacted> {
  const { settings, meter } = kit;
  const isTooLarge = (messages: readonly Message[]) => meter.messages(messages) > bounds.limit;
  const kept = keptFrom(history, settings.keepTurns);
  let messages = shortenResults(history, kept, { maxChars: settings.resultChars, keepImages: false });
  const cover = isTooLarge(messages) ? chooseCover(kit, messages, kept, bounds) : undefined;
  const summary = cover && (await summaryOf(kit, cover, bounds, asking));
  if (cover !== undefined) {
    const text = summary?.ok === true ? summary.text : undefined;
    messages = [...standIns(kit, cover, text), ...messages.slice(cover.length)];
  }
  if (isTooLarge(messages)) messages = shortenNewest(kit, messages, bounds.limit);
  const shortened = countShortened(history, messages);
  const covered = cover?.turns.length ?? 0;
  if (summary?.ok === true) {
    return { messages, summarized: covered, dropped: 0, shortened, error: undefined, usage: summary.usage };
  }
  return { messages, summarized: 0, dropped: covered, shortened, error: summary?.error, usage: summary?.usage };
}

async function summaryOf(kit: Kit, cover: Cover, bounds: Bounds, asking: Asking): Promise<Summary | undefined> {
  const { settings, meter } = kit;
  if (settings.summarize === false) return undefined;
  const room = bounds.limit - meter.text(settings.instructions) - cover.room;
  const transcript = transcriptOf(cover.turns, Math.max(LEAST_TRANSCRIPT_TOKENS, room), meter);
  return askForSummary(settings, { messages: cover.turns, transcript, maxTokens: cover.room }, asking);
}

/** The longest results first, to half, a quarter and so on, no further than needed. */
function shortenNewest({ meter, settings }: Kit, messages: readonly Message[], limit: number): readonly Message[] {
  const { resultChars } = settings;
  for (let maxChars = longestResult(messages) / 2; maxChars > resultChars; maxChars /= 2) {
    const shorter = shortenResults(messages, messages.length, { maxChars: Math.floor(maxChars), keepImages: true });
    if (meter.messages(shorter) <= limit) return shorter;
  }
  return shortenResults(messages, messages.length, { maxChars: resultChars, keepImages: false });
}

function countShortened(before: readonly Message[], after: readonly Message[]): number {
  const known = new Set(before);
  return after.filter((message) => message.role === "tool" && !known.has(message)).length;
}
