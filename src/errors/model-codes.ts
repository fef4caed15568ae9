/**
 * The codes of the model layer: the provider, the way to it, and the adapter in front of it.
 *
 * Floor 1 (errors).
 */

import type { ErrorCodeDefinition } from "./kinds.ts";

export const MODEL_CODES = {
  MODEL_RATE_LIMITED: {
    kind: "model",
    retryable: true,
    title: "The provider limits how often it may be called.",
    advice:
      "Wait for retryAfterMs when it is there, then call again; ask the provider for a higher limit if it happens often.",
  },
  MODEL_OVERLOADED: {
    kind: "model",
    retryable: true,
    title: "The provider has no capacity at the moment.",
    advice: "Wait and call again, or let a fallback model answer.",
  },
  MODEL_SERVER_ERROR: {
    kind: "model",
    retryable: true,
    title: "The provider failed on its side.",
    advice: "Call again after a wait; if it stays, look at the provider's status page and quote requestId.",
  },
  MODEL_TIMEOUT: {
    kind: "model",
    retryable: true,
    title: "The model did not answer in time.",
    advice: "Call again; if it stays, raise modelTimeoutMs or streamIdleMs, or ask for a shorter answer.",
  },
  MODEL_NETWORK: {
    kind: "model",
    retryable: true,
    title: "The connection to the provider failed.",
    advice: "Check the network, the proxy and the address of the provider, then call again.",
  },
  MODEL_BAD_RESPONSE: {
    kind: "model",
    retryable: true,
    title: "The provider answered with something that cannot be read.",
    advice: "Call again once; if it stays, check that the base URL points to the provider's API and not to a web page.",
  },
  MODEL_UNKNOWN: {
    kind: "model",
    retryable: true,
    title: "The model call failed for a reason nobody knows yet.",
    advice: "Look at the cause; an adapter can name it with classifyError.",
  },
  MODEL_STREAM_INTERRUPTED: {
    kind: "model",
    retryable: false,
    title: "The answer broke off after part of it was delivered.",
    advice:
      "Keep or discard what was shown, then start a new run; the call is not repeated because the part would come twice.",
  },
  MODEL_TLS: {
    kind: "model",
    retryable: false,
    title: "The secure connection to the provider could not be made.",
    advice: "Check the certificate, the https address and the proxy; for a private authority set NODE_EXTRA_CA_CERTS.",
  },
  MODEL_AUTH: {
    kind: "model",
    retryable: false,
    title: "The provider does not accept the credentials.",
    advice: "Set a valid API key for this provider and this base URL.",
  },
  MODEL_FORBIDDEN: {
    kind: "model",
    retryable: false,
    title: "The credentials are valid but not allowed to do this.",
    advice: "Ask the owner of the account for access to the model, the region or the feature.",
  },
  MODEL_QUOTA_EXCEEDED: {
    kind: "model",
    retryable: false,
    title: "The account has no credit or quota left.",
    advice: "Add credit or raise the spending limit; waiting does not help.",
  },
  MODEL_NOT_FOUND: {
    kind: "model",
    retryable: false,
    title: "The provider does not know this model or address.",
    advice: "Check the name of the model and the base URL.",
  },
  MODEL_INVALID_REQUEST: {
    kind: "model",
    retryable: false,
    title: "The provider refused the request as malformed.",
    advice: "Correct the settings, messages or tool schemas that the message names.",
  },
  MODEL_CONTEXT_OVERFLOW: {
    kind: "model",
    retryable: false,
    title: "The request is larger than the model accepts.",
    advice: "Shorten or compact the history, send fewer tools, or use a model with a larger context.",
  },
  MODEL_CONTENT_FILTERED: {
    kind: "model",
    retryable: false,
    title: "The provider's content filter stopped the request or the answer.",
    advice: "Change the input; the same text is filtered again.",
  },
  MODEL_OUTPUT_LIMIT: {
    kind: "model",
    retryable: false,
    title: "The answer was cut at the output limit.",
    advice: "Raise the limit for output tokens or ask for a shorter answer.",
  },
  MODEL_OUTPUT_INVALID: {
    kind: "model",
    retryable: false,
    title: "The structured answer did not match its schema in the allowed tries.",
    advice: "Simplify the schema, describe its fields, or use a stronger model.",
  },
  MODEL_ABORTED: {
    kind: "model",
    retryable: false,
    title: "The adapter stopped the call although nobody asked it to.",
    advice: "Look for a timeout or an abort controller inside the adapter.",
  },
  MODEL_ADAPTER_BUG: {
    kind: "model",
    retryable: false,
    title: "The code that talks to the model has a defect.",
    advice: "Report the stack of the cause to the author of the adapter.",
  },
} as const satisfies Record<string, ErrorCodeDefinition>;
