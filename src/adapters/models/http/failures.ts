/**
 * Turns what went wrong with an HTTP call into a `ModelError`.
 *
 * Wing adapters (models, shared base). The classification itself is the errors floor's; here it gets
 * what only the adapter has: the response, and the exact secrets that must not be quoted.
 */
import { ModelError, modelErrorFromResponse, redactSecrets, toHarnessError } from "../../../errors/index.ts";
import { clipEnd } from "../../../util/text.ts";
import { isRecord, type JsonRecord } from "./json.ts";

/** What is known of the call beside the failure. */
export interface CallFacts {
  readonly secrets: readonly string[];
  readonly response?: Response | undefined;
}

/** An answer that came, but is not what was agreed on. */
export function badResponse(message: string, { secrets, response }: CallFacts = { secrets: [] }): ModelError {
  return new ModelError(redactSecrets(message, { secrets }), {
    code: "MODEL_BAD_RESPONSE",
    status: response?.status,
    requestId: response && requestId(response),
  });
}

/** The start of a body for a message: one line, short. */
export function excerpt(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line === "" ? "nothing" : JSON.stringify(clipEnd(line, 120));
}

/** The provider's id of a request, from its headers. */
export function requestId(response: Response): string | undefined {
  return response.headers.get("x-request-id") ?? response.headers.get("request-id") ?? undefined;
}

/** An error that the provider reports inside an answer with a status of success. */
export function reportedFailure(report: JsonRecord, { secrets, response }: CallFacts): ModelError {
  return modelErrorFromResponse({
    status: response?.status ?? 200,
    headers: response?.headers,
    body: { error: report },
    secrets,
  });
}

/**
 * The error that a JSON answer reports, in the forms that vendors use: `{"error": {…}}` or
 * `{"error": "text"}`, `{"object": "error", "message": …}` (vLLM), `{"code": …, "message": …}` (DashScope).
 */
export function reportedError(answer: JsonRecord): JsonRecord | undefined {
  const { error } = answer;
  if (typeof error === "string" && error !== "") return { ...answer, message: error };
  if (isRecord(error) && Object.keys(error).length > 0) return error;
  const isBare = answer["choices"] === undefined && typeof answer["message"] === "string";
  return answer["object"] === "error" || (isBare && answer["code"] !== undefined) ? answer : undefined;
}

/** Any failure of a call as the caller sees it: adopted, and without secrets. */
export function adoptFailure(error: unknown, signal: AbortSignal, secrets: readonly string[]): unknown {
  return toHarnessError(error, "model", { signal, secrets });
}
