/**
 * Sends one request to a model's endpoint.
 *
 * Wing adapters (models, shared base). No retry and no timer of its own: both are the runtime's.
 */
import { ModelError, modelErrorFromResponse } from "../../../errors/index.ts";
import { onAbort } from "../../../util/abort.ts";
import { openTextBody, readRest } from "./body.ts";

/** One request. */
export interface PostRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON text. */
  readonly body: string;
  readonly accept: string;
  readonly fetch: typeof fetch;
  readonly signal: AbortSignal;
  readonly secrets: readonly string[];
}

const MAX_REDIRECTS = 3;
const MAX_ERROR_CHARS = 64 * 1024;

/**
 * Posts JSON and gives the response once its status says success.
 *
 * Redirects are followed only where they keep method, body and origin: `fetch` itself would carry every
 * header but `authorization` on to another host.
 *
 * @throws ModelError for any other status; what `fetch` threw, as it is; the signal's reason.
 */
export async function postJson(request: PostRequest): Promise<Response> {
  let url = request.url;
  for (let hops = 0; ; hops++) {
    const response = await send(url, request);
    if (response.ok) return response;
    const target = redirectTarget(response, url);
    if (target === undefined) throw await failureOf(response, request);
    discard(response);
    const isSafe = [307, 308].includes(response.status) && new URL(target).origin === new URL(url).origin;
    if (!isSafe || hops === MAX_REDIRECTS) throw redirected(response, target);
    url = target;
  }
}

function send(url: string, { headers, body, accept, fetch, signal }: PostRequest): Promise<Response> {
  signal.throwIfAborted();
  const init: RequestInit = {
    method: "POST",
    headers: { "content-type": "application/json", accept, ...headers },
    body,
    signal,
    redirect: "manual",
  };
  return untilAbort(fetch(url, init), signal);
}

/** A `fetch` of the host may ignore the signal; its late response is thrown away. */
function untilAbort(pending: Promise<Response>, signal: AbortSignal): Promise<Response> {
  return new Promise((resolve, reject) => {
    const stopListening = onAbort(signal, (reason) => {
      reject(reason);
      pending.then(discard, () => {});
    });
    pending.then(resolve, reject).finally(stopListening);
  });
}

async function failureOf(response: Response, { signal, secrets }: PostRequest): Promise<ModelError> {
  const body = await readRest(openTextBody(response, signal), "", MAX_ERROR_CHARS).catch((error: unknown) => {
    if (signal.aborted) throw error;
    // The status says enough; a body that broke off must not hide it.
    return "";
  });
  return modelErrorFromResponse({ status: response.status, headers: response.headers, body, secrets });
}

function redirectTarget(response: Response, from: string): string | undefined {
  // A browser shows a redirect only as this type, without its target.
  if (response.type === "opaqueredirect") return from;
  const location = response.headers.get("location");
  if (response.status < 300 || response.status > 399 || location === null) return undefined;
  return URL.canParse(location, from) ? new URL(location, from).href : from;
}

function redirected(response: Response, target: string): ModelError {
  const { origin, pathname } = new URL(target);
  return new ModelError(
    `The endpoint answers with a redirect to ${origin}${pathname}, which is not followed, so that no key goes astray. ` +
      "Set `baseUrl` to where the API lives.",
    { code: "MODEL_INVALID_REQUEST", ...(response.status >= 100 ? { status: response.status } : {}) },
  );
}

function discard(response: Response): void {
  response.body?.cancel().catch(() => {});
}
