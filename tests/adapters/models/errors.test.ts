/** The vendors' own words for what went wrong, on top of the statuses that the contract suite goes through. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type FakeProvider, fakeProvider } from "../../../src/testing/fake-provider/fake-provider.ts";
import { SPECIMENS } from "./specimens.ts";
import { callContext, failureOf, request, untilFailure } from "./support.ts";

let provider: FakeProvider;
beforeEach(async () => {
  provider = await fakeProvider();
});
afterEach(() => provider.close());

type Row = readonly [status: number, body: unknown, words: string, code: string, retryable: boolean];

const openai = (
  status: number,
  error: { message: string; [member: string]: unknown },
  code: string,
  retries: boolean,
) => [status, { error }, error.message, code, retries] as const;
const anthropic = (status: number, type: string, message: string, code: string, retryable: boolean) =>
  [status, { type: "error", error: { type, message } }, message, code, retryable] as const;

const OPENAI_ROWS: readonly Row[] = [
  openai(400, { message: "Too long", code: "context_length_exceeded" }, "MODEL_CONTEXT_OVERFLOW", false),
  openai(401, { message: "Incorrect API key provided", code: "invalid_api_key" }, "MODEL_AUTH", false),
  openai(404, { message: "The model does not exist", code: "model_not_found" }, "MODEL_NOT_FOUND", false),
  openai(429, { message: "Rate limit reached", code: "rate_limit_exceeded" }, "MODEL_RATE_LIMITED", true),
  openai(429, { message: "No credit", code: "insufficient_quota" }, "MODEL_QUOTA_EXCEEDED", false),
  openai(500, { message: "The server had an error", type: "server_error" }, "MODEL_SERVER_ERROR", true),
  [502, "<html><title>Bad Gateway</title></html>", "Bad Gateway", "MODEL_SERVER_ERROR", true],
  [503, "", "503", "MODEL_OVERLOADED", true],
];

const TOO_LONG = "prompt is too long: 220000 tokens > 200000 maximum";
const NO_CREDIT = "Your credit balance is too low to access the Anthropic API.";
const ROWS: Readonly<Record<string, readonly Row[]>> = {
  openaiModel: OPENAI_ROWS,
  openaiResponsesModel: OPENAI_ROWS,
  anthropicModel: [
    anthropic(400, "invalid_request_error", "max_tokens: too large", "MODEL_INVALID_REQUEST", false),
    anthropic(400, "invalid_request_error", TOO_LONG, "MODEL_CONTEXT_OVERFLOW", false),
    anthropic(400, "invalid_request_error", NO_CREDIT, "MODEL_QUOTA_EXCEEDED", false),
    anthropic(401, "authentication_error", "invalid x-api-key", "MODEL_AUTH", false),
    anthropic(403, "permission_error", "not for you", "MODEL_FORBIDDEN", false),
    anthropic(413, "request_too_large", "too large", "MODEL_CONTEXT_OVERFLOW", false),
    anthropic(429, "rate_limit_error", "slow down", "MODEL_RATE_LIMITED", true),
    anthropic(529, "overloaded_error", "Overloaded", "MODEL_OVERLOADED", true),
  ],
};

describe.each(SPECIMENS)("$name", ({ name, model }) => {
  const asked = () => model({ baseUrl: provider.baseUrl });

  it.each(ROWS[name] ?? [])("takes status %i with %j for what it is", async (status, body, words, code, retryable) => {
    provider.reply({ status, body }, { status, body });
    const expected = { kind: "model", code, status, retryable, message: expect.stringContaining(words) };
    expect(await failureOf(asked().generate(request(), callContext()))).toMatchObject(expected);
    expect((await untilFailure(asked().stream(request(), callContext()))).error).toMatchObject(expected);
  });

  it("keeps how long to wait, the request's id and the provider's own word", async () => {
    const body = { error: { message: "Slow down", code: "rate_limit_exceeded", type: "rate_limit_exceeded" } };
    const waits = { "retry-after": "7", "retry-after-ms": "1500" };
    for (const [header, retryAfterMs] of [
      ["retry-after", 7_000],
      ["retry-after-ms", 1_500],
    ] as const) {
      for (const idHeader of ["x-request-id", "request-id"]) {
        provider.reply({ status: 429, headers: { [header]: waits[header], [idHeader]: "req_7" }, body });
        expect(await failureOf(asked().generate(request(), callContext()))).toMatchObject({
          retryAfterMs,
          requestId: "req_7",
          providerCode: "rate_limit_exceeded",
        });
      }
    }
  });
});
