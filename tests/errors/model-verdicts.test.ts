import { toHarnessError } from "harness-kit/errors";
import { describe, expect, it } from "vitest";

const failed = (message: string, facts: object = {}) => Object.assign(new Error(message), facts);
const answered = (status: number, facts: object = {}) => failed(`${status} boom`, { status, ...facts });
const caused = (message: string, cause: unknown, facts: object = {}) =>
  Object.assign(new Error(message, { cause }), facts);

function verdict(value: unknown): string {
  const { code, retryable } = toHarnessError(value, "model");
  return `${code} ${retryable ? "yes" : "no"}`;
}

describe("the verdict on an HTTP status", () => {
  it.each([
    [400, "MODEL_INVALID_REQUEST no"],
    [401, "MODEL_AUTH no"],
    [402, "MODEL_QUOTA_EXCEEDED no"],
    [403, "MODEL_FORBIDDEN no"],
    [404, "MODEL_NOT_FOUND no"],
    [405, "MODEL_INVALID_REQUEST no"],
    [407, "MODEL_AUTH no"],
    [408, "MODEL_TIMEOUT yes"],
    [409, "MODEL_SERVER_ERROR yes"],
    [410, "MODEL_NOT_FOUND no"],
    [413, "MODEL_CONTEXT_OVERFLOW no"],
    [415, "MODEL_INVALID_REQUEST no"],
    [422, "MODEL_INVALID_REQUEST no"],
    [425, "MODEL_SERVER_ERROR yes"],
    [429, "MODEL_RATE_LIMITED yes"],
    [499, "MODEL_INVALID_REQUEST no"],
    [500, "MODEL_SERVER_ERROR yes"],
    [501, "MODEL_SERVER_ERROR no"],
    [502, "MODEL_SERVER_ERROR yes"],
    [503, "MODEL_OVERLOADED yes"],
    [504, "MODEL_TIMEOUT yes"],
    [505, "MODEL_SERVER_ERROR no"],
    [520, "MODEL_SERVER_ERROR yes"],
    [524, "MODEL_TIMEOUT yes"],
    [529, "MODEL_OVERLOADED yes"],
    [599, "MODEL_SERVER_ERROR yes"],
  ])("%i is %s", (status, expected) => {
    expect(verdict(answered(status))).toBe(expected);
    expect(toHarnessError(answered(status), "model").status).toBe(status);
  });

  it.each([
    ["statusCode", { statusCode: 503 }],
    ["response.status", { response: { status: 503 } }],
    ["response.statusCode", { response: { statusCode: 503 } }],
    ["$metadata.httpStatusCode", { $metadata: { httpStatusCode: 503 } }],
    ["a numeric code", { code: 503 }],
    ["the numeric code of a body", { error: { code: 503 } }],
  ])("is read from %s", (_, facts) => {
    expect(verdict(failed("boom", facts))).toBe("MODEL_OVERLOADED yes");
  });

  it.each([99, 600, 503.5, "503", Number.NaN])("is not read from %s", (status) => {
    expect(verdict(failed("boom", { status }))).toBe("MODEL_UNKNOWN yes");
  });

  it("of the outermost error wins", () => {
    expect(verdict(caused("outer", answered(401), { status: 503 }))).toBe("MODEL_OVERLOADED yes");
  });

  it("of a wrapped error is found behind one that succeeded", () => {
    expect(verdict(caused("outer", answered(401), { status: 200 }))).toBe("MODEL_AUTH no");
  });

  it("beats a system code", () => {
    expect(verdict(answered(401, { code: "ECONNRESET" }))).toBe("MODEL_AUTH no");
  });

  it.each([
    [429, { code: "insufficient_quota" }, "MODEL_QUOTA_EXCEEDED no"],
    [429, { error: { type: "insufficient_quota" } }, "MODEL_QUOTA_EXCEEDED no"],
    [429, { code: "billing_hard_limit_reached" }, "MODEL_QUOTA_EXCEEDED no"],
    [429, { error: { error: { code: "credit_balance_exhausted" } } }, "MODEL_QUOTA_EXCEEDED no"],
    [429, { error: { type: "engine_overloaded_error" } }, "MODEL_OVERLOADED yes"],
    [429, { type: "tokens", code: "rate_limit_exceeded" }, "MODEL_RATE_LIMITED yes"],
    [429, { type: "invalid_request_error" }, "MODEL_RATE_LIMITED yes"],
    [429, { type: "api_error" }, "MODEL_RATE_LIMITED yes"],
    [400, { code: "invalid_api_key" }, "MODEL_AUTH no"],
    [400, { error: { details: [{ reason: "API_KEY_INVALID" }], status: "INVALID_ARGUMENT" } }, "MODEL_AUTH no"],
    [400, { error: { innererror: { code: "ResponsibleAIPolicyViolation" } } }, "MODEL_CONTENT_FILTERED no"],
    [400, { name: "ThrottlingException" }, "MODEL_RATE_LIMITED yes"],
    [400, { name: "ValidationException" }, "MODEL_INVALID_REQUEST no"],
    [400, { type: "api_error" }, "MODEL_INVALID_REQUEST no"],
    [400, { code: "Arrearage" }, "MODEL_QUOTA_EXCEEDED no"],
    [400, { code: "DataInspectionFailed" }, "MODEL_CONTENT_FILTERED no"],
    [403, { code: "insufficient_quota" }, "MODEL_QUOTA_EXCEEDED no"],
    [403, { code: "rate_limit_exceeded" }, "MODEL_FORBIDDEN no"],
    [401, { code: "overloaded_error" }, "MODEL_AUTH no"],
    [404, { code: "rate_limit_exceeded" }, "MODEL_NOT_FOUND no"],
    [402, { code: "rate_limit_exceeded" }, "MODEL_QUOTA_EXCEEDED no"],
    [402, { code: "invalid_api_key" }, "MODEL_QUOTA_EXCEEDED no"],
    [501, { code: "overloaded_error" }, "MODEL_OVERLOADED no"],
    [413, { code: "rate_limit_exceeded" }, "MODEL_CONTEXT_OVERFLOW no"],
    [413, { code: "insufficient_quota" }, "MODEL_CONTEXT_OVERFLOW no"],
    [424, { name: "ModelErrorException" }, "MODEL_SERVER_ERROR yes"],
    [424, {}, "MODEL_INVALID_REQUEST no"],
    [500, { error: { type: "overloaded_error" } }, "MODEL_OVERLOADED yes"],
    [500, { code: "model_not_found" }, "MODEL_NOT_FOUND no"],
    [500, { type: "invalid_request_error" }, "MODEL_SERVER_ERROR yes"],
    [503, { type: "api_error" }, "MODEL_OVERLOADED yes"],
    [503, { error: { status: "UNAVAILABLE" } }, "MODEL_OVERLOADED yes"],
    [504, { error: { status: "DEADLINE_EXCEEDED" } }, "MODEL_TIMEOUT yes"],
    [429, { error: { status: "RESOURCE_EXHAUSTED" } }, "MODEL_RATE_LIMITED yes"],
  ])("%i with %j is %s", (status, facts, expected) => {
    expect(verdict(answered(status, facts))).toBe(expected);
  });
});

describe("the verdict on a system code", () => {
  it.each([
    ["ETIMEDOUT", "MODEL_TIMEOUT yes"],
    ["ESOCKETTIMEDOUT", "MODEL_TIMEOUT yes"],
    ["UND_ERR_CONNECT_TIMEOUT", "MODEL_TIMEOUT yes"],
    ["UND_ERR_HEADERS_TIMEOUT", "MODEL_TIMEOUT yes"],
    ["UND_ERR_BODY_TIMEOUT", "MODEL_TIMEOUT yes"],
    ["CERT_HAS_EXPIRED", "MODEL_TLS no"],
    ["DEPTH_ZERO_SELF_SIGNED_CERT", "MODEL_TLS no"],
    ["SELF_SIGNED_CERT_IN_CHAIN", "MODEL_TLS no"],
    ["UNABLE_TO_VERIFY_LEAF_SIGNATURE", "MODEL_TLS no"],
    ["ERR_TLS_CERT_ALTNAME_INVALID", "MODEL_TLS no"],
    ["ERR_SSL_WRONG_VERSION_NUMBER", "MODEL_TLS no"],
    ["EPROTO", "MODEL_TLS no"],
    ["HOSTNAME_MISMATCH", "MODEL_TLS no"],
    ["UND_ERR_PRX_TLS", "MODEL_TLS no"],
    ["ECONNRESET", "MODEL_NETWORK yes"],
    ["ECONNREFUSED", "MODEL_NETWORK yes"],
    ["ECONNABORTED", "MODEL_NETWORK yes"],
    ["ENOTFOUND", "MODEL_NETWORK yes"],
    ["EAI_AGAIN", "MODEL_NETWORK yes"],
    ["EPIPE", "MODEL_NETWORK yes"],
    ["EHOSTUNREACH", "MODEL_NETWORK yes"],
    ["EHOSTDOWN", "MODEL_NETWORK yes"],
    ["ENETUNREACH", "MODEL_NETWORK yes"],
    ["ENETDOWN", "MODEL_NETWORK yes"],
    ["UND_ERR_SOCKET", "MODEL_NETWORK yes"],
    ["UND_ERR_CLOSED", "MODEL_NETWORK yes"],
    ["UND_ERR_DESTROYED", "MODEL_NETWORK yes"],
    ["ERR_NETWORK", "MODEL_NETWORK yes"],
    ["ERR_STREAM_PREMATURE_CLOSE", "MODEL_NETWORK yes"],
    ["HPE_INVALID_CONSTANT", "MODEL_BAD_RESPONSE yes"],
    ["HPE_HEADER_OVERFLOW", "MODEL_BAD_RESPONSE yes"],
    ["UND_ERR_HEADERS_OVERFLOW", "MODEL_BAD_RESPONSE yes"],
    ["UND_ERR_RES_EXCEEDED_MAX_SIZE", "MODEL_BAD_RESPONSE yes"],
    ["ERR_BAD_RESPONSE", "MODEL_BAD_RESPONSE yes"],
    ["ERR_INVALID_URL", "MODEL_INVALID_REQUEST no"],
    ["ERR_INVALID_CHAR", "MODEL_INVALID_REQUEST no"],
    ["ERR_UNESCAPED_CHARACTERS", "MODEL_INVALID_REQUEST no"],
    ["ABORT_ERR", "MODEL_ABORTED no"],
    ["ERR_CANCELED", "MODEL_ABORTED no"],
    ["UND_ERR_ABORTED", "MODEL_ABORTED no"],
    ["ENOENT", "MODEL_UNKNOWN yes"],
    ["xECONNRESET", "MODEL_UNKNOWN yes"],
    ["ECONNRESETx", "MODEL_UNKNOWN yes"],
  ])("%s is %s", (code, expected) => {
    expect(verdict(failed("boom", { code }))).toBe(expected);
  });

  it("is known by its name where the HTTP parser of Node 24 gives no code", () => {
    const parse = Object.assign(new Error("Response does not match the HTTP/1.1 protocol"), {
      name: "HTTPParserError",
    });
    const fetchFailed = (cause: unknown) => new TypeError("fetch failed", { cause });
    expect(verdict(fetchFailed(parse))).toBe("MODEL_BAD_RESPONSE yes");
    expect(verdict(fetchFailed(Object.assign(parse, { code: "ECONNRESET" })))).toBe("MODEL_NETWORK yes");
  });

  it("of the innermost error wins, because it was there first", () => {
    expect(verdict(caused("outer", failed("inner", { code: "CERT_HAS_EXPIRED" }), { code: "ECONNRESET" }))).toBe(
      "MODEL_TLS no",
    );
  });

  it("of a wrapper counts when nothing inside has one", () => {
    expect(verdict(caused("outer", failed("inner"), { code: "ECONNRESET" }))).toBe("MODEL_NETWORK yes");
  });

  it.each([
    ["a header timeout", failed("timeout of 400ms exceeded", { code: "ECONNABORTED" }), "MODEL_TIMEOUT yes"],
    [
      "a body that was cut",
      failed("stream has been aborted", { code: "ERR_BAD_RESPONSE", response: { status: 200 } }),
      "MODEL_NETWORK yes",
    ],
    [
      "a 401",
      failed("Request failed", { code: "ERR_BAD_REQUEST", response: { status: 401, data: { error: { code: "x" } } } }),
      "MODEL_AUTH no",
    ],
    [
      "a 429 with a quota body",
      failed("Request failed", {
        code: "ERR_BAD_REQUEST",
        response: { status: 429, data: { error: { code: "insufficient_quota" } } },
      }),
      "MODEL_QUOTA_EXCEEDED no",
    ],
    [
      "a 429 with a text body",
      failed("Request failed", { response: { status: 429, data: '{"error":{"code":"insufficient_quota"}}' } }),
      "MODEL_QUOTA_EXCEEDED no",
    ],
    ["a cancel", failed("canceled", { name: "CanceledError", code: "ERR_CANCELED" }), "MODEL_ABORTED no"],
    ["a reset in a timeout", failed("timeout of 400ms exceeded", { code: "ECONNRESET" }), "MODEL_NETWORK yes"],
  ])("of axios is understood for %s", (_, error, expected) => {
    expect(verdict(error)).toBe(expected);
  });
});

describe("the verdict on a gRPC code", () => {
  it.each([
    [0, "MODEL_UNKNOWN yes"],
    [1, "MODEL_ABORTED no"],
    [2, "MODEL_SERVER_ERROR yes"],
    [3, "MODEL_INVALID_REQUEST no"],
    [4, "MODEL_TIMEOUT yes"],
    [5, "MODEL_NOT_FOUND no"],
    [6, "MODEL_INVALID_REQUEST no"],
    [7, "MODEL_FORBIDDEN no"],
    [8, "MODEL_RATE_LIMITED yes"],
    [9, "MODEL_INVALID_REQUEST no"],
    [10, "MODEL_SERVER_ERROR yes"],
    [11, "MODEL_INVALID_REQUEST no"],
    [12, "MODEL_INVALID_REQUEST no"],
    [13, "MODEL_SERVER_ERROR yes"],
    [14, "MODEL_OVERLOADED yes"],
    [15, "MODEL_SERVER_ERROR yes"],
    [16, "MODEL_AUTH no"],
    [17, "MODEL_UNKNOWN yes"],
  ])("%i is %s", (code, expected) => {
    expect(verdict(failed("boom", { code, details: "boom", metadata: {} }))).toBe(expected);
    expect(verdict(failed("boom", { code, rawMessage: "boom" }))).toBe(expected);
  });

  it.each([
    [{ code: 14 }],
    [{ code: 14, details: "x" }],
    [{ code: 14, metadata: {} }],
    [{ code: [14], rawMessage: "x" }],
  ])("is not seen in %j", (facts) => {
    expect(verdict(failed("boom", facts))).toBe("MODEL_UNKNOWN yes");
  });
});

describe("the verdict on the name of an error", () => {
  it.each([
    ["TimeoutError", "MODEL_TIMEOUT yes"],
    ["APIConnectionTimeoutError", "MODEL_TIMEOUT yes"],
    ["ModelTimeoutException", "MODEL_TIMEOUT yes"],
    ["AbortError", "MODEL_ABORTED no"],
    ["APIUserAbortError", "MODEL_ABORTED no"],
    ["CanceledError", "MODEL_ABORTED no"],
    ["ResponseAborted", "MODEL_ABORTED no"],
    ["ZodError", "MODEL_BAD_RESPONSE yes"],
    ["AI_JSONParseError", "MODEL_BAD_RESPONSE yes"],
    ["AI_TypeValidationError", "MODEL_BAD_RESPONSE yes"],
    ["AI_InvalidResponseDataError", "MODEL_BAD_RESPONSE yes"],
    ["AI_LoadAPIKeyError", "MODEL_AUTH no"],
    ["AI_NoSuchModelError", "MODEL_NOT_FOUND no"],
    ["AI_InvalidPromptError", "MODEL_INVALID_REQUEST no"],
    ["CredentialsProviderError", "MODEL_AUTH no"],
    ["LengthFinishReasonError", "MODEL_OUTPUT_LIMIT no"],
    ["ContentFilterFinishReasonError", "MODEL_CONTENT_FILTERED no"],
    ["ThrottlingException", "MODEL_RATE_LIMITED yes"],
    ["AccessDeniedException", "MODEL_FORBIDDEN no"],
    ["ServiceUnavailableException", "MODEL_OVERLOADED yes"],
    ["ModelNotReadyException", "MODEL_OVERLOADED yes"],
    ["InternalServerException", "MODEL_SERVER_ERROR yes"],
    ["ResourceNotFoundException", "MODEL_NOT_FOUND no"],
    ["ServiceQuotaExceededException", "MODEL_QUOTA_EXCEEDED no"],
    ["ValidationException", "MODEL_INVALID_REQUEST no"],
    ["ReferenceError", "MODEL_ADAPTER_BUG no"],
    ["RangeError", "MODEL_ADAPTER_BUG no"],
    ["TypeError", "MODEL_ADAPTER_BUG no"],
    ["Whatever", "MODEL_UNKNOWN yes"],
  ])("%s is %s", (name, expected) => {
    expect(verdict(failed("boom", { name }))).toBe(expected);
  });

  it("is the class when the name says only Error", () => {
    class APIUserAbortError extends Error {}
    expect(verdict(new APIUserAbortError("x"))).toBe("MODEL_ABORTED no");
  });

  it("is replaced by the fixed sentence of an SDK that was minified", () => {
    const abort = new DOMException("This operation was aborted", "AbortError");
    expect(verdict(caused("Request timed out.", abort))).toBe("MODEL_TIMEOUT yes");
    expect(verdict(failed("Request was aborted."))).toBe("MODEL_ABORTED no");
  });

  it.each([
    ["Unexpected token '<', \"<html>\" is not valid JSON", "MODEL_BAD_RESPONSE yes"],
    ["Unexpected end of JSON input", "MODEL_BAD_RESPONSE yes"],
    ["Unexpected identifier 'foo'", "MODEL_ADAPTER_BUG no"],
  ])("SyntaxError is read with its message: %s", (message, expected) => {
    expect(verdict(new SyntaxError(message))).toBe(expected);
  });

  it("gives way to the type of node-fetch for a body that is not JSON", () => {
    const error = failed("invalid json response body at http://x reason: oops", {
      name: "FetchError",
      type: "invalid-json",
    });
    expect(verdict(error)).toBe("MODEL_BAD_RESPONSE yes");
  });
});

describe("the verdict on the words of a provider without a status", () => {
  it.each([
    [{ type: "overloaded_error", message: "Overloaded" }, "MODEL_OVERLOADED yes"],
    [{ type: "error", error: { type: "rate_limit_error", message: "slow" } }, "MODEL_RATE_LIMITED yes"],
    [{ error: { error: { type: "permission_error" } } }, "MODEL_FORBIDDEN no"],
    [{ data: { error: { type: "api_error" } } }, "MODEL_SERVER_ERROR yes"],
    [{ responseBody: '{"error":{"type":"authentication_error"}}' }, "MODEL_AUTH no"],
    [{ response: { data: { error: { code: "model_not_found" } } } }, "MODEL_NOT_FOUND no"],
    [{ message: 'got status: 1 {"error":{"status":"UNAUTHENTICATED"}}' }, "MODEL_AUTH no"],
    [{ message: '[{"error":{"status":"PERMISSION_DENIED"}}]' }, "MODEL_FORBIDDEN no"],
    [{ message: "{not json}" }, "MODEL_UNKNOWN yes"],
    [{ code: "insufficient_quota", type: "rate_limit_error" }, "MODEL_QUOTA_EXCEEDED no"],
    [{ code: "rate_limit_exceeded", type: "invalid_request_error" }, "MODEL_RATE_LIMITED yes"],
    [{ code: "something_new", type: "invalid_request_error" }, "MODEL_INVALID_REQUEST no"],
    [{ type: "rate_limit_error", message: "insufficient balance" }, "MODEL_RATE_LIMITED yes"],
    [{ code: "com.amazon#Other#overloaded" }, "MODEL_UNKNOWN yes"],
    [{ code: "overloaded_error:http://x" }, "MODEL_OVERLOADED yes"],
    [{ code: "overAI_loaded" }, "MODEL_UNKNOWN yes"],
    [
      { type: "invalid_request_error", message: "prompt is too long: 9 tokens > 8 maximum" },
      "MODEL_CONTEXT_OVERFLOW no",
    ],
    [{ type: "server_error", message: "the request exceeds the available context size" }, "MODEL_CONTEXT_OVERFLOW no"],
    [{ type: "not_found_error" }, "MODEL_NOT_FOUND no"],
    [{ type: "request_too_large" }, "MODEL_CONTEXT_OVERFLOW no"],
    [{ type: "timeout_error" }, "MODEL_TIMEOUT yes"],
    [{ code: "server_error" }, "MODEL_SERVER_ERROR yes"],
    [{ status: "RESOURCE_EXHAUSTED" }, "MODEL_RATE_LIMITED yes"],
    [{ status: "UNAVAILABLE" }, "MODEL_OVERLOADED yes"],
    [{ status: "DEADLINE_EXCEEDED" }, "MODEL_TIMEOUT yes"],
    [{ status: "INTERNAL" }, "MODEL_SERVER_ERROR yes"],
    [{ status: "INVALID_ARGUMENT" }, "MODEL_INVALID_REQUEST no"],
    [{ code: "content_filter" }, "MODEL_CONTENT_FILTERED no"],
    [{ code: "Throttling.RateQuota" }, "MODEL_RATE_LIMITED yes"],
    [{ __type: "com.amazon.coral.service#ThrottlingException" }, "MODEL_RATE_LIMITED yes"],
    [{ code: "1113" }, "MODEL_QUOTA_EXCEEDED no"],
    [{ code: "x".repeat(81) }, "MODEL_UNKNOWN yes"],
    [{ code: null, type: 7 }, "MODEL_UNKNOWN yes"],
  ])("%j is %s", (value, expected) => {
    expect(verdict(value)).toBe(expected);
  });
});
