import { parseRetryAfter, toHarnessError } from "harness-kit/errors";
import { describe, expect, it } from "vitest";

const now = () => Date.parse("2026-01-01T00:00:00Z");
const wait = (text: unknown) => parseRetryAfter({ "retry-after": text }, { now });

describe("the wait that headers ask for", () => {
  it.each([
    ["0", 0],
    ["7", 7_000],
    ["0.5", 500],
    ["1.1", 1_100],
    [" 3 ", 3_000],
    [4, 4_000],
    [["5", "6"], 5_000],
    ["86400", 86_400_000],
    ["Thu, 01 Jan 2026 00:00:10 GMT", 10_000],
    ["Thu, 01 Jan 2026 00:00:10 UTC", 10_000],
    ["Thursday, 01-Jan-26 00:00:10 GMT", 10_000],
    ["Thu Jan  1 00:00:10 2026", 10_000],
    ["2026-01-01T00:00:10Z", 10_000],
    ["2026-01-01T01:00:10+01:00", 10_000],
    ["Wed, 21 Oct 2015 07:28:00 GMT", 0],
  ])("is read from %j", (text, expected) => {
    expect(wait(text)).toBe(expected);
  });

  it.each([
    "-5",
    "",
    "soon",
    "foo 1",
    "1e3",
    "NaN",
    "Infinity",
    "7 seconds",
    "0x10",
    "12:00:00",
    "2026-01-01",
    "2026-01-01 00:00:10",
    "never 99:99:99",
    "1".repeat(400),
    {},
    null,
    [],
    true,
  ])("is absent for %j", (text) => {
    expect(wait(text)).toBeUndefined();
  });

  it("prefers milliseconds, unless they are junk", () => {
    expect(parseRetryAfter({ "retry-after-ms": "150", "retry-after": "7" })).toBe(150);
    expect(parseRetryAfter({ "retry-after-ms": " 150.5 " })).toBe(150.5);
    expect(parseRetryAfter({ "retry-after-ms": "-1", "retry-after": "7" })).toBe(7_000);
    expect(parseRetryAfter({ "retry-after-ms": "soon" })).toBeUndefined();
  });

  it.each([
    ["Headers", new Headers({ "Retry-After": "7" })],
    ["a plain object in any case", { "RETRY-AFTER": "7" }],
    ["a Map", new Map([["retry-after", "7"]])],
    [
      "a getter that throws beside own keys",
      {
        "retry-after": "7",
        get: () => {
          throw new Error("no");
        },
      },
    ],
    ["a getter that knows nothing beside own keys", { "Retry-After": "7", get: () => null }],
  ])("is found in %s", (_, headers) => {
    expect(parseRetryAfter(headers)).toBe(7_000);
  });

  it.each([undefined, null, "retry-after: 7", 7])("is absent where there are no headers: %j", (headers) => {
    expect(parseRetryAfter(headers)).toBeUndefined();
  });

  it("uses the real time by default, and nothing from a broken clock", () => {
    const soon = new Date(Date.now() + 60_000).toUTCString();
    expect(parseRetryAfter({ "retry-after": soon })).toBeGreaterThan(50_000);
    expect(parseRetryAfter({ "retry-after": soon })).toBeLessThanOrEqual(60_000);
    expect(parseRetryAfter({ "retry-after": soon }, { now: () => Number.NaN })).toBeUndefined();
  });
});

describe("the wait of an adopted error", () => {
  const adopt = (facts: object, message = "429") =>
    toHarnessError(Object.assign(new Error(message), { status: 429, ...facts }), "model", { now }).retryAfterMs;

  it.each([
    ["headers", { headers: { "retry-after": "2" } }],
    ["responseHeaders", { responseHeaders: { "retry-after": "2" } }],
    ["response.headers", { response: { headers: { "retry-after": "2" } } }],
    ["the headers of what it wraps", { headers: {}, cause: { headers: { "retry-after": "2" } } }],
    ["the outermost headers", { headers: { "retry-after": "2" }, cause: { headers: { "retry-after": "9" } } }],
    ["a date", { headers: { "retry-after": "Thu, 01 Jan 2026 00:00:02 GMT" } }],
    ["the details of Google's body", { error: { details: [{ "@type": "x" }, { retryDelay: "2s" }] } }],
    ["the text of Google's body", { responseBody: '{"error":{"details":[{"retryDelay":"2.0s"}]}}' }],
  ])("is read from %s", (_, facts) => {
    expect(adopt(facts)).toBe(2_000);
  });

  it("is read from the JSON of a message", () => {
    expect(adopt({}, 'x {"error":{"details":[{"retryDelay" : "45.8s"}]}}')).toBe(45_800);
    expect(adopt({}, 'broken "retryDelay": "1.5s" json')).toBe(1_500);
    expect(adopt({}, '"retryDelay":"-5s"')).toBeUndefined();
    expect(adopt({}, '"retryDelay":"soon"')).toBeUndefined();
  });

  it("prefers headers over the body", () => {
    expect(adopt({ headers: { "retry-after": "1" } }, '"retryDelay":"9s"')).toBe(1_000);
  });

  it.each(["array", "text"])("is absent when the headers are no headers: %s", (form) => {
    expect(adopt({ headers: form === "array" ? ["retry-after", "7"] : "retry-after: 7" })).toBeUndefined();
  });

  it("is absent without any hint", () => {
    expect(adopt({})).toBeUndefined();
  });
});
