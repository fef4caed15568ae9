/**
 * What a person at the command line can do about a run that did not complete.
 *
 * Command line. Adds to the general advice of `explainRun` the options that carry it out.
 */
import type { AgentRun } from "../contract/run.ts";
import { explainRun, type SerializedError } from "../errors/index.ts";

const BY_CODE: Readonly<Record<string, string>> = {
  MODEL_AUTH: "set OPENAI_API_KEY, or name the variable that holds the key: --api-key-env NAME",
  MODEL_FORBIDDEN: "another key: --api-key-env NAME; another model: --model NAME",
  MODEL_NOT_FOUND: "another model: --model NAME; another endpoint: --base-url URL",
  MODEL_NETWORK: "check the endpoint: --base-url URL",
  MODEL_TLS: "check the endpoint: --base-url URL",
  MODEL_TIMEOUT: "a longer wait: --model-timeout MS",
  MODEL_RATE_LIMITED: "more patience: --retries N",
  MODEL_OVERLOADED: "more patience: --retries N",
  MODEL_SERVER_ERROR: "more patience: --retries N",
  RUN_TIMEOUT: "a longer run: --timeout MS",
};

/** Lines of advice; none for a run that completed. What the status line said already is left out. */
export function adviceFor(run: AgentRun): string[] {
  if (run.status === "completed" && run.incomplete !== true) return [];
  const general = explainRun(run)
    .split("\n")
    .filter((line) => !/^It (?:said|used|stopped)\b/.test(line));
  const cause = rootCause(run.errorDetail?.cause);
  if (cause !== undefined && !run.error?.includes(cause)) general.splice(1, 0, `Cause: ${cause}`);
  const option = run.stopReason === "maxSteps" ? "more turns: --steps N" : BY_CODE[run.errorCode ?? ""];
  return option === undefined ? general : [...general, `Options: ${option}`];
}

type Cause = NonNullable<SerializedError["cause"]>;

/** What lies at the bottom: "fetch failed" because of "connect ECONNREFUSED 127.0.0.1:11434". */
function rootCause(cause: Cause | undefined): string | undefined {
  if (cause === undefined) return undefined;
  return rootCause(cause.cause ?? cause.errors?.[0]) ?? (cause.message || undefined);
}
