import fc from "fast-check";
import { redactSecrets } from "harness-kit/errors";
import { describe, expect, it } from "vitest";

describe("redaction", () => {
  it.each([
    [
      "401 Incorrect API key provided: sk-proj-abcdefghijklmnop1234567890.",
      "401 Incorrect API key provided: [redacted].",
    ],
    ["sk-ant-api03-AbC_dEf-123", "[redacted]"],
    ["sk-12345678", "[redacted]"],
    ["sk-abcdefghijklmnop", "[redacted]"],
    ["rk_live_51H8xyzABC123456", "[redacted]"],
    ["pk_test_51H8xyzABC123456", "[redacted]"],
    ["AIzaSyA-1234567890abcdefghijklmnopqrstu", "[redacted]"],
    ["ya29.a0AfH6SMBx1234567890", "[redacted]"],
    ["gsk_1234567890abcdef", "[redacted]"],
    ["xai-1234567890abcdef", "[redacted]"],
    ["hf_abcdefghijklmnop", "[redacted]"],
    ["ghp_1234567890abcdefABCDEF", "[redacted]"],
    ["github_pat_11ABCDEFG0123456789", "[redacted]"],
    ["glpat-1234567890abcdef", "[redacted]"],
    ["xoxb-123456789012-abcdef", "[redacted]"],
    ["AKIAIOSFODNN7EXAMPLE", "[redacted]"],
    ["ASIAIOSFODNN7EXAMPLE", "[redacted]"],
    ["eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc-def_123", "[redacted]"],
    ["eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0", "[redacted]"],
    ["Bearer abcdefgh", "Bearer [redacted]"],
    ["bearer  AbC.123~x+/y=", "bearer [redacted]"],
    ["Basic dXNlcjpwYXNz", "Basic [redacted]"],
    ["Authorization: Bearer abc", "Authorization: [redacted]"],
    ["authorization: Custom two words\nnext line", "authorization: [redacted]\nnext line"],
    ['{"authorization":"Bearer abc","a":1}', '{"authorization":"[redacted]","a":1}'],
    ['{\\"x-api-key\\":\\"abc\\",\\"a\\":1}', '{\\"x-api-key\\":\\"[redacted]\\",\\"a\\":1}'],
    ["Cookie: a=b; c=d", "Cookie: [redacted]"],
    ["set-cookie=sid=1; Path=/", "set-cookie=[redacted]"],
    ["x-api-key: abc, other: 1", "x-api-key: [redacted], other: 1"],
    ["api_key=abc other", "api_key=[redacted] other"],
    ["apiKey: 'abc'", "apiKey: '[redacted]'"],
    ["access_token = abc", "access_token = [redacted]"],
    ["client_secret=abc&x=1", "client_secret=[redacted]&x=1"],
    ["aws_secret_access_key=abc", "aws_secret_access_key=[redacted]"],
    ["password: hunter2", "password: [redacted]"],
    ["https://x.test/v1?key=abc&alt=sse", "https://x.test/v1?key=[redacted]&alt=sse"],
    ["https://x.test/?a=1&token=abc#frag", "https://x.test/?a=1&token=[redacted]#frag"],
    ["https://x.test/?X-Amz-Signature=abc", "https://x.test/?X-Amz-Signature=[redacted]"],
    ["postgres://user:pass@host/db", "postgres://[redacted]@host/db"],
    ["http://:pass@proxy:80", "http://[redacted]@proxy:80"],
    ["-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----", "[redacted]-----END RSA PRIVATE KEY-----"],
  ])("takes the secret out of: %s", (text, expected) => {
    expect(redactSecrets(text)).toBe(expected);
  });

  it.each([
    "the token limit is 8192 tokens",
    "max_tokens=4096",
    "task-management-system-for-everyone",
    "sk-learn",
    "Bearer authentication is required",
    "Bearer token missing",
    "Basic information about",
    "https://x.test/v1/models?page=2",
    "https://x.test:8080/path@2",
    "eyJ is how a JWT begins",
    "AKIA is how a key begins",
    "AKIAIOSFODNN7EXAMPLEx",
    "the monkey=banana",
    "the cookie was eaten",
    "The api key is not valid",
    "",
  ])("leaves alone: %s", (text) => {
    expect(redactSecrets(text)).toBe(text);
  });

  it("takes out exact values from 6 characters up, the longest first", () => {
    expect(redactSecrets("a hunter22 hunter2 b", { secrets: ["hunter2", "hunter22"] })).toBe(
      "a [redacted] [redacted] b",
    );
    expect(redactSecrets("a 123456 b", { secrets: ["123456"] })).toBe("a [redacted] b");
    expect(redactSecrets("a 12345 b", { secrets: ["12345", "", 7 as unknown as string] })).toBe("a 12345 b");
    expect(redactSecrets("a null b", { secrets: [null as unknown as string] })).toBe("a null b");
    expect(redactSecrets("a secret b", { secrets: "secret" as unknown as string[] })).toBe("a secret b");
  });

  it("does not change the list of secrets", () => {
    const secrets = ["aaaaaa", "bbbbbbb"];
    redactSecrets("x", { secrets });
    expect(secrets).toEqual(["aaaaaa", "bbbbbbb"]);
  });

  it("ends with the caller's own step, and withholds the text when that fails", () => {
    expect(redactSecrets("Bearer abcdefgh x", { redact: (text) => text.replace("x", "y") })).toBe(
      "Bearer [redacted] y",
    );
    const thrown = redactSecrets("inner", {
      redact: () => {
        throw new Error("no");
      },
    });
    expect(thrown).toBe("[text withheld: the redact function threw]");
    expect(redactSecrets("inner", { redact: () => undefined as unknown as string })).toBe(
      "[text withheld: the redact function did not return a string]",
    );
    expect(redactSecrets("inner", { redact: "no" as unknown as () => string })).toBe("inner");
  });

  it("cuts text over 20,000 characters in the middle", () => {
    expect(redactSecrets("a".repeat(20_000))).toHaveLength(20_000);
    expect(redactSecrets("a".repeat(20_001))).toContain("of 20,001 characters omitted");
  });

  it("changes nothing the second time", () => {
    const word = fc.constantFrom(
      "authorization: ",
      "Bearer ",
      "Basic ",
      "sk-",
      "key=",
      "?token=",
      "password:",
      "://",
      "u:p@",
      "http://",
      "eyJ",
      ".",
      "\n",
      '"',
      "\\",
      "api_key",
      "=",
      "AKIA",
      "1234567890ABCDEF",
      "abcdefgh",
      "[redacted]",
      " ",
      "cookie:",
      "&",
      ";",
      "-----BEGIN PRIVATE KEY-----",
    );
    const spoiled = redactSecrets("http://cookie:a b/c\\@");
    expect(redactSecrets(spoiled)).toBe(spoiled);
    fc.assert(
      fc.property(fc.array(fc.oneof(word, fc.string({ maxLength: 6 })), { maxLength: 14 }), (words) => {
        const once = redactSecrets(words.join(""));
        expect(redactSecrets(once)).toBe(once);
      }),
      { numRuns: 3_000 },
    );
  });

  it.each([
    "a",
    "a.",
    "sk-",
    "sk-a",
    "eyJ",
    "eyJa.",
    "eyJ-",
    "Bearer ",
    "Basic a",
    "basic ",
    "://",
    "a://",
    "http://a:",
    "http://a:b",
    "key=",
    "?key=",
    "&token=a",
    "authorization:",
    "authorization: ",
    'authorization":"',
    "cookie:\\",
    "api_key",
    "api-",
    "secret_access_",
    "-----BEGIN ",
    "-----BEGIN PRIVATE KEY-----",
    "AKIA",
    "AKIAA",
    "gh",
    "ghp_a",
    "password ",
    "proxy-",
    "x-amz-",
    "a-",
    '\\"',
    " ",
    "\n",
    "=",
  ])("costs no more than linear time for %j again and again", (unit) => {
    const text = unit.repeat(Math.ceil(20_000 / unit.length));
    const started = performance.now();
    redactSecrets(text);
    expect(performance.now() - started).toBeLessThan(500);
  });
});
