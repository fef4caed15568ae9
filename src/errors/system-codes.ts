/**
 * What the codes of Node, undici, Bun, axios and gRPC say about a failed call.
 *
 * Floor 1 (errors).
 *
 * @see https://nodejs.org/docs/latest-v20.x/api/errors.html
 * @see https://undici.nodejs.org/#/docs/api/Errors
 * @see https://grpc.io/docs/guides/status-codes/
 */

import type { ModelCode } from "./verdict.ts";

const TIMEOUTS = new Set([
  "ETIMEDOUT",
  "ESOCKETTIMEDOUT",
  "UND_ERR_CONNECT_TIMEOUT",
  "UND_ERR_HEADERS_TIMEOUT",
  "UND_ERR_BODY_TIMEOUT",
  "ERR_TLS_HANDSHAKE_TIMEOUT",
  "ERR_SOCKET_CONNECTION_TIMEOUT",
  "ERR_HTTP_REQUEST_TIMEOUT",
]);

const TLS =
  /^(?:CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|ERR_TLS_|ERR_SSL_|ERR_OSSL_|EPROTO$|HOSTNAME_MISMATCH$|UND_ERR_PRX_TLS$|INVALID_CA$|CRL_|PATH_LENGTH_EXCEEDED$|INVALID_PURPOSE$)/;

const NETWORK =
  /^(?:ECONN(?:RESET|REFUSED|ABORTED)|ENOTFOUND|EAI_[A-Z]+|EPIPE|EHOST[A-Z]+|ENET[A-Z]+|ENOTCONN|ESHUTDOWN|EADDRNOTAVAIL|ENONET|UND_ERR_(?:SOCKET|CLOSED|DESTROYED)|ERR_NETWORK|ERR_SOCKET_CLOSED|ERR_STREAM_PREMATURE_CLOSE|ERR_HTTP2_(?:STREAM_ERROR|STREAM_CANCEL|SESSION_ERROR|GOAWAY_SESSION|INVALID_SESSION)|ConnectionRefused|ConnectionClosed|ConnectionReset|FailedToOpenSocket)$/;

const UNREADABLE =
  /^(?:HPE_\w+|UND_ERR_HEADERS_OVERFLOW|UND_ERR_RES_\w+|UND_ERR_RESPONSE\w*|UND_ERR_HTTP_PARSER|Z_\w+|ERR_INVALID_HTTP_RESPONSE)$/;

const BAD_REQUEST =
  /^(?:ERR_INVALID_URL\w*|ERR_INVALID_PROTOCOL|ERR_UNSUPPORTED_PROTOCOL|ERR_UNESCAPED_CHARACTERS|ERR_INVALID_CHAR|ERR_HTTP_INVALID_HEADER_VALUE|ERR_INVALID_HTTP_TOKEN|ERR_SOCKET_BAD_PORT|ERR_BAD_OPTION\w*|ERR_FR_TOO_MANY_REDIRECTS|ERR_INVALID_ARG_VALUE|UND_ERR_INVALID_ARG|UND_ERR_REQ_CONTENT_LENGTH_MISMATCH|UND_ERR_NOT_SUPPORTED)$/;

/** What a code of the system means for a model call; the message tells axios's two uses of a code apart. */
export function codeForSystemCode(code: string, message: string): ModelCode | undefined {
  if (TIMEOUTS.has(code)) return "MODEL_TIMEOUT";
  if (code === "ECONNABORTED" && /timeout|timed out/i.test(message)) return "MODEL_TIMEOUT";
  if (TLS.test(code)) return "MODEL_TLS";
  if (NETWORK.test(code)) return "MODEL_NETWORK";
  if (UNREADABLE.test(code)) return "MODEL_BAD_RESPONSE";
  if (BAD_REQUEST.test(code)) return "MODEL_INVALID_REQUEST";
  if (code === "ERR_BAD_RESPONSE") return /aborted/i.test(message) ? "MODEL_NETWORK" : "MODEL_BAD_RESPONSE";
  return undefined;
}

/** Tells whether a code of the system stands for a timer that ran out. */
export function isTimeoutCode(code: string, message: string): boolean {
  return codeForSystemCode(code, message) === "MODEL_TIMEOUT";
}

/** The status codes of gRPC by number; 0 is success. 12 (unimplemented) is the one that stays. */
export const GRPC_CODES: readonly (ModelCode | undefined)[] = [
  undefined,
  "MODEL_ABORTED",
  "MODEL_SERVER_ERROR",
  "MODEL_INVALID_REQUEST",
  "MODEL_TIMEOUT",
  "MODEL_NOT_FOUND",
  "MODEL_INVALID_REQUEST",
  "MODEL_FORBIDDEN",
  "MODEL_RATE_LIMITED",
  "MODEL_INVALID_REQUEST",
  "MODEL_SERVER_ERROR",
  "MODEL_INVALID_REQUEST",
  "MODEL_INVALID_REQUEST",
  "MODEL_SERVER_ERROR",
  "MODEL_OVERLOADED",
  "MODEL_SERVER_ERROR",
  "MODEL_AUTH",
];
