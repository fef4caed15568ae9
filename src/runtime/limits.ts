/**
 * Says when a run has used up what its host gave it.
 *
 * Floor 5 (runtime). Looked at before each model call; turns and time have stop reasons of their own.
 */
import { type HarnessError, RuntimeError } from "../errors/index.ts";
import { formatCount } from "../util/text.ts";
import type { RunScope } from "./run-scope.ts";

/** The error of the first limit that is reached; `undefined` while there is room. */
export function limitError({ options: { limits }, usage }: RunScope): HarnessError | undefined {
  if (usage.tokens >= limits.tokens) {
    return reached(
      "tokens",
      limits.tokens,
      `${formatCount(usage.tokens)} tokens, the most is ${formatCount(limits.tokens)}`,
    );
  }
  if (usage.costUsd >= limits.costUsd) {
    return reached("costUsd", limits.costUsd, `$${usage.costUsd.toFixed(4)}, the most is $${limits.costUsd}`);
  }
  return undefined;
}

function reached(limit: string, most: number, used: string): HarnessError {
  return new RuntimeError(`The run has used ${used} (limits.${limit}). Raise the limit to let it go on.`, {
    code: "RUN_LIMIT",
    detail: { limit, most },
  });
}
