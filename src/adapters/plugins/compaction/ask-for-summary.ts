/**
 * Gets a summary from whoever writes it, within its time.
 *
 * Adapter wing. A summary that does not come is a value, because the run can go on without it; an abort is
 * not, because then the run does not go on.
 */
import type { Message } from "../../../contract/message.ts";
import type { ModelRequest, Usage } from "../../../contract/model.ts";
import { type HarnessError, ModelError, toHarnessError } from "../../../errors/index.ts";
import { onAbort } from "../../../util/abort.ts";
import { letGo } from "../../../util/let-go.ts";
import { cleanText, quoteValue } from "../../../util/text.ts";
import type { Asking } from "./kit.ts";
import type { Settings, SummaryRequest } from "./options.ts";
import { readUsage } from "./usage.ts";

/** What came of the question. */
export type Summary =
  | { readonly ok: true; readonly text: string; readonly usage: Usage | undefined }
  | { readonly ok: false; readonly error: HarnessError; readonly usage: Usage | undefined };

/** @throws the reason of the context's signal, once that has fired. */
export async function askForSummary(settings: Settings, request: SummaryRequest, asking: Asking): Promise<Summary> {
  const { context } = asking;
  if (context.signal.aborted) throw context.signal.reason;
  const own = new AbortController();
  const unlink = onAbort(context.signal, (reason) => own.abort(reason));
  const cancelTimer = Number.isFinite(settings.summaryTimeoutMs)
    ? settings.clock.setTimer(settings.summaryTimeoutMs, () => own.abort(tooLate(settings.summaryTimeoutMs)))
    : () => {};
  try {
    const given: unknown = await untilAborted(write(settings, request, asking, own.signal), own.signal);
    return read(given);
  } catch (error) {
    if (context.signal.aborted) throw context.signal.reason;
    return { ok: false, error: adopt(settings, error), usage: undefined };
  } finally {
    unlink();
    cancelTimer();
  }
}

function adopt({ model }: Settings, error: unknown): HarnessError {
  const classify = (foreign: unknown) => {
    const hint = model?.classifyError?.(foreign);
    letGo(hint);
    return hint;
  };
  return toHarnessError(error, "model", { classify });
}

/** What somebody gives for a summary, unread. */
async function write(settings: Settings, request: SummaryRequest, { next, context }: Asking, signal: AbortSignal) {
  const { summarize, model, instructions } = settings;
  const { runId } = context;
  if (typeof summarize === "function") {
    const given = await summarize(request, { signal, runId });
    return typeof given === "object" ? given : { text: given };
  }
  const question = questionFor(request, instructions);
  const response =
    model === undefined
      ? await next(question, { aside: true, signal })
      : await model.generate(question, { signal, runId, attempt: 1 });
  const { content, usage, error } = response as { content?: unknown; usage?: unknown; error?: unknown };
  // Some clients return normally from failures.
  if (error !== undefined && error !== null) throw error;
  return { text: content, usage };
}

function questionFor({ transcript, maxTokens }: SummaryRequest, instructions: string): ModelRequest {
  const task = `<record>\n${transcript}\n</record>\n\nSummarise this record, oldest first, in at most ${maxTokens} tokens.`;
  const messages: readonly Message[] = [
    Object.freeze({ role: "system", content: instructions }),
    Object.freeze({ role: "user", content: task }),
  ];
  return Object.freeze({ messages: Object.freeze(messages), tools: Object.freeze([]) });
}

function read(given: unknown): Summary {
  const { text, usage } = (given ?? {}) as { text?: unknown; usage?: unknown };
  const used = readUsage(usage);
  if (typeof text === "string" && text.trim() !== "") return { ok: true, text: cleanText(text.trim()), usage: used };
  const error = new ModelError(`The summary is ${quoteValue(text)}, which is no text.`, { code: "MODEL_BAD_RESPONSE" });
  return { ok: false, error, usage: used };
}

/** Not retryable: the next turn must not wait as long again for the same summary. */
function tooLate(ms: number): ModelError {
  return new ModelError(`There was no summary within ${ms} ms (summaryTimeoutMs).`, {
    code: "MODEL_TIMEOUT",
    retryable: false,
  });
}

/** Settles with `work`, or rejects as soon as the signal fires; what comes later is let go. */
function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  letGo(work);
  // Who writes it may have stopped everything before the first await.
  if (signal.aborted) return Promise.reject(signal.reason);
  return new Promise((resolve, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
    work.then(resolve, reject);
  });
}
