/**
 * Reads a failed HTTP answer more closely than its status: `429` may mean "wait" or "pay".
 *
 * Floor 1 (errors).
 */

import type { Evidence } from "./evidence.ts";
import { codeForStatus } from "./http-status.ts";
import { strongestWord } from "./provider-words.ts";
import { parseRetryInfo } from "./retry-after.ts";
import type { ModelCode } from "./verdict.ts";
import { codeForWording, saysNoCredit, saysRequestTooLarge } from "./wording.ts";

type Codes = ReadonlySet<ModelCode | undefined>;

/** Words that stand whatever the status is. */
const PERMANENT: Codes = new Set([
  "MODEL_QUOTA_EXCEEDED",
  "MODEL_CONTEXT_OVERFLOW",
  "MODEL_CONTENT_FILTERED",
  "MODEL_OUTPUT_LIMIT",
  "MODEL_AUTH",
  "MODEL_NOT_FOUND",
  "MODEL_FORBIDDEN",
]);

/** Words that say more than a general status, and nothing against one that is permanent. */
const PASSING: Codes = new Set(["MODEL_RATE_LIMITED", "MODEL_OVERLOADED", "MODEL_TIMEOUT"]);

/** What an answer with a status of 400 or more means: the provider's word first, then its sentence. */
export function refineStatus({ status = 0, words, names, text }: Evidence): ModelCode {
  const byStatus = codeForStatus(status);
  const word = strongestWord([...words, ...names])?.code;
  if (byStatus === "MODEL_QUOTA_EXCEEDED" || byStatus === "MODEL_CONTEXT_OVERFLOW") return byStatus;
  if (isOneOf(PERMANENT, word)) return word;
  if (status === 429) return refineThrottle(word, text);
  const bySentence = status === 400 || status >= 500 ? codeForWording(text) : undefined;
  const passing = isOneOf(PASSING, word) && !isOneOf(PERMANENT, byStatus) ? word : undefined;
  if (status === 424 && word === "MODEL_SERVER_ERROR") return word;
  return passing ?? bySentence ?? byStatus;
}

function refineThrottle(word: ModelCode | undefined, text: string): ModelCode {
  if (saysRequestTooLarge(text)) return "MODEL_CONTEXT_OVERFLOW";
  // Google says "check your billing" also when the minute is used up; then it says how long to wait.
  if (saysNoCredit(text) && parseRetryInfo(text) === undefined) return "MODEL_QUOTA_EXCEEDED";
  return isOneOf(PASSING, word) ? word : "MODEL_RATE_LIMITED";
}

function isOneOf(codes: Codes, code: ModelCode | undefined): code is ModelCode {
  return codes.has(code);
}
