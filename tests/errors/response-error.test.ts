import { ModelError, modelErrorFromResponse } from "harness-kit/errors";
import { describe, expect, it } from "vitest";

describe("the error of a provider's answer", () => {
  it.each([
    [
      "OpenAI",
      {
        status: 429,
        body: '{"error":{"message":"You exceeded your current quota","type":"insufficient_quota","code":"insufficient_quota"}}',
      },
      {
        code: "MODEL_QUOTA_EXCEEDED",
        retryable: false,
        providerCode: "insufficient_quota",
        message: "The provider answered 429: You exceeded your current quota",
      },
    ],
    [
      "Anthropic",
      {
        status: 529,
        body: '{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"},"request_id":"req_9"}',
      },
      {
        code: "MODEL_OVERLOADED",
        retryable: true,
        providerCode: "overloaded_error",
        requestId: "req_9",
        message: "The provider answered 529: Overloaded",
      },
    ],
    [
      "Google",
      {
        status: 429,
        body: '[{"error":{"code":429,"message":"Quota","status":"RESOURCE_EXHAUSTED","details":[{"retryDelay":"3s"}]}}]',
      },
      {
        code: "MODEL_RATE_LIMITED",
        retryable: true,
        retryAfterMs: 3_000,
        providerCode: "RESOURCE_EXHAUSTED",
        message: "The provider answered 429: Quota",
      },
    ],
    [
      "Ollama",
      { status: 404, body: '{"error":"model \\"x\\" not found"}' },
      { code: "MODEL_NOT_FOUND", retryable: false, message: 'The provider answered 404: model "x" not found' },
    ],
    [
      "FastAPI",
      { status: 401, body: { detail: "No key" } },
      { code: "MODEL_AUTH", retryable: false, message: "The provider answered 401: No key" },
    ],
    [
      "a web page with a title",
      { status: 502, body: " <html><head><title> 502 Bad Gateway </title></head><body>nginx</body></html>" },
      {
        code: "MODEL_SERVER_ERROR",
        retryable: true,
        message: 'The provider answered 502: a web page "502 Bad Gateway" where JSON was due.',
      },
    ],
    [
      "a web page with 200",
      { status: 200, body: "<!DOCTYPE html><body>Login</body>" },
      {
        code: "MODEL_BAD_RESPONSE",
        retryable: true,
        status: 200,
        message: "The provider answered 200: a web page where JSON was due.",
      },
    ],
    [
      "text",
      { status: 503, body: "upstream connect error" },
      { code: "MODEL_OVERLOADED", retryable: true, message: "The provider answered 503: upstream connect error" },
    ],
    [
      "text about a web page",
      { status: 503, body: "Cannot render <html>" },
      { message: "The provider answered 503: Cannot render <html>" },
    ],
    [
      "nothing",
      { status: 500, body: "" },
      { code: "MODEL_SERVER_ERROR", retryable: true, message: "The provider answered 500 without a body." },
    ],
    ["no body", { status: 500 }, { code: "MODEL_SERVER_ERROR", message: "The provider answered 500 without a body." }],
    [
      "a number as body",
      { status: 500, body: "7" },
      { code: "MODEL_SERVER_ERROR", message: "The provider answered 500: 7" },
    ],
    [
      "an error inside a 200",
      { status: 200, body: { error: { type: "overloaded_error", message: "Overloaded" } } },
      { code: "MODEL_OVERLOADED", retryable: true, message: "The provider answered 200: Overloaded" },
    ],
    [
      "an overflow in words",
      { status: 400, body: { error: { message: "prompt is too long: 9 tokens > 8 maximum" } } },
      { code: "MODEL_CONTEXT_OVERFLOW", retryable: false },
    ],
    [
      "a sentence of the adapter's own",
      { status: 200, body: "{}", message: "The answer has no choices." },
      { code: "MODEL_BAD_RESPONSE", retryable: true, message: "The answer has no choices." },
    ],
  ])("is understood from %s", (_, response, expected) => {
    const error = modelErrorFromResponse(response);
    expect(error).toBeInstanceOf(ModelError);
    expect(error).toMatchObject({ kind: "model", status: response.status, ...expected });
  });

  it("is wrapped as an answer that failed, or as one that could not be read", () => {
    const nameOf = (status: number) => (modelErrorFromResponse({ status, body: "x" }).cause as Error).name;
    expect([399, 400, 503].map(nameOf)).toEqual(["JSONParseError", "HttpError", "HttpError"]);
  });

  it("is understood from JSON inside a text that is none", () => {
    const body = 'event: error\ndata: {"error":{"type":"overloaded_error"}}\n\n';
    const error = modelErrorFromResponse({ status: 200, body, message: "The stream broke." });
    expect(error).toMatchObject({ code: "MODEL_OVERLOADED", message: "The stream broke." });
  });

  it("keeps what the headers say", () => {
    const headers = new Headers({
      "retry-after": "Thu, 01 Jan 2026 00:00:09 GMT",
      "x-request-id": "req_1",
      "x-should-retry": "false",
    });
    const error = modelErrorFromResponse({
      status: 503,
      headers,
      body: "",
      now: () => Date.parse("2026-01-01T00:00:00Z"),
    });
    expect(error).toMatchObject({ retryAfterMs: 9_000, requestId: "req_1", retryable: false });
  });

  it("shows no secret and no long body", () => {
    const error = modelErrorFromResponse({
      status: 401,
      body: `sesame-open sk-proj-abcdefghijklmnop1 ${"x".repeat(9_000)}`,
      secrets: ["sesame-open"],
    });
    expect(error.message).toMatch(/^The provider answered 401: \[redacted\] \[redacted\] x+…$/);
    expect(error.message.length).toBeLessThan(1_100);
    expect(JSON.stringify(error)).not.toMatch(/sesame|sk-proj/);
  });

  it("cannot be repeated once deltas were delivered", () => {
    expect(modelErrorFromResponse({ status: 200, body: "garbage", delivered: 2 })).toMatchObject({
      code: "MODEL_STREAM_INTERRUPTED",
      retryable: false,
    });
  });
});
