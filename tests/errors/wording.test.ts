import { toHarnessError } from "harness-kit/errors";
import { describe, expect, it } from "vitest";

const codeOf = (message: string, facts: object = {}) =>
  toHarnessError(Object.assign(new Error(message), facts), "model").code;

const overflows: [provider: string, message: string][] = [
  ["OpenAI", "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens."],
  ["OpenAI responses", "Your input exceeds the context window of this model. Please adjust your input and try."],
  ["Anthropic", "prompt is too long: 214523 tokens > 200000 maximum"],
  ["Anthropic max_tokens", "input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000"],
  ["Google", "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576)."],
  ["Bedrock", "Input is too long for requested model."],
  ["Bedrock length", "Malformed input request: expected maxLength: 100000, actual: 200000, please reformat"],
  ["Mistral", "Prompt contains 65673 tokens, too large for model with 32768 maximum context length"],
  ["DeepSeek", "This model's maximum context length is 65536 tokens. However, you requested 70000 tokens"],
  ["Qwen", "Range of input length should be [1, 30720]"],
  ["llama.cpp", "the request exceeds the available context size, try increasing it"],
  ["vLLM", "The decoder prompt (length 5000) is longer than the maximum model length of 4096."],
  ["Ollama", "input length exceeds maximum context length"],
  ["Ollama embed", "the input length exceeds the context length"],
  ["OpenRouter", "This endpoint's maximum context length is 131072 tokens."],
  ["Groq", "Please reduce the length of the messages or completion."],
  ["xAI", "This model's maximum prompt length is 131072 but the request contains 537812 tokens."],
  ["Cohere", "too many tokens: total number of tokens in the prompt cannot exceed 4081"],
  ["Hugging Face", "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096"],
  ["LM Studio", "Trying to keep the first 4297 tokens when context the overflows."],
  ["LM Studio length", "the number of tokens to keep is greater than the context length"],
  ["MiniMax", "invalid params, context window exceeds limit"],
  ["Moonshot", "Invalid request: Your request exceeded model token limit: 8192"],
  ["Moonshot length", "Input token length too long"],
  ["Zhipu", "Prompt exceeds max length"],
  ["Copilot", "prompt token count of 136000 exceeds the limit of 128000"],
  ["Volcengine", "Total tokens of image and text exceed max message tokens"],
  ["code in the text", "error code: context_length_exceeded"],
  ["Chinese", "输入长度超过模型限制"],
];

describe("the sentence of a request that does not fit", () => {
  it.each(overflows)("of %s is understood in a 400, in a 500 and without a status", (_, message) => {
    expect(codeOf(message, { status: 400 })).toBe("MODEL_CONTEXT_OVERFLOW");
    expect(codeOf(message, { status: 500 })).toBe("MODEL_CONTEXT_OVERFLOW");
    expect(codeOf(message)).toBe("MODEL_CONTEXT_OVERFLOW");
  });

  it.each(overflows)("of %s does not change what another status says", (_, message) => {
    expect(codeOf(message, { status: 429 })).toBe("MODEL_RATE_LIMITED");
    expect(codeOf(message, { status: 404 })).toBe("MODEL_NOT_FOUND");
    expect(codeOf(message, { status: 422 })).toBe("MODEL_INVALID_REQUEST");
  });

  it.each([
    "max_tokens is too large: 100000. This model supports at most 16384 completion tokens.",
    "The context length of a model cannot be negative",
    "tokens per minute",
    "The prompt is too short",
  ])("is not seen in: %s", (message) => {
    expect(codeOf(message, { status: 400 })).toBe("MODEL_INVALID_REQUEST");
  });

  it.each([
    "Too many tokens, please wait before trying again.",
    "Your input exceeds the context window per minute",
    "Prompt is too long, try again later",
    "Prompt is too long: rate limit",
    "Prompt is too long, throttled",
  ])("is not seen where a throttle speaks: %s", (message) => {
    expect(codeOf(message)).toBe("MODEL_UNKNOWN");
    expect(codeOf(message, { status: 503 })).toBe("MODEL_OVERLOADED");
  });

  it("says in a 429 that waiting does not help", () => {
    const message = "Request too large for gpt-x on tokens per min (TPM): Limit 30000, Requested 40000";
    expect(codeOf(message, { status: 429 })).toBe("MODEL_CONTEXT_OVERFLOW");
    expect(codeOf(message, { status: 500 })).toBe("MODEL_SERVER_ERROR");
  });
});

describe("the sentence about money", () => {
  it.each([
    "Your credit balance is too low to access the Anthropic API.",
    "Insufficient Balance",
    "Insufficient account balance",
    "insufficient credits",
    "You exceeded your current quota, please check your plan and billing details.",
    "Billing hard limit has been reached",
    "You are out of credits",
    "账户余额不足",
    "您的账户已欠费",
  ])("is understood: %s", (message) => {
    expect(codeOf(message, { status: 400 })).toBe("MODEL_QUOTA_EXCEEDED");
    expect(codeOf(message, { status: 429 })).toBe("MODEL_QUOTA_EXCEEDED");
    expect(codeOf(message)).toBe("MODEL_QUOTA_EXCEEDED");
  });

  it("means a wait when Google says how long", () => {
    const error = {
      code: 429,
      status: "RESOURCE_EXHAUSTED",
      message: "You exceeded your current quota, please check your plan and billing details.",
      details: [{ retryDelay: "12s" }],
    };
    const adopted = toHarnessError(Object.assign(new Error("429"), { status: 429, error }), "model");
    expect(adopted).toMatchObject({ code: "MODEL_RATE_LIMITED", retryable: true, retryAfterMs: 12_000 });
  });
});

describe("the sentence about credentials", () => {
  it.each([
    "API key not valid. Please pass a valid API key.",
    "Incorrect API key provided",
    "Invalid API key",
    "The api key is expired",
    "The OPENAI_API_KEY environment variable is missing or empty",
    "OpenAI API key is missing. Pass it using the 'apiKey' parameter",
    "API key must be set when using the Gemini API.",
    "Could not resolve authentication method. Expected either apiKey or authToken to be set.",
    "Missing credentials. Please pass an `apiKey`",
  ])("is understood: %s", (message) => {
    expect(codeOf(message)).toBe("MODEL_AUTH");
    expect(codeOf(message, { status: 400 })).toBe("MODEL_AUTH");
  });
});

describe("the sentence about content", () => {
  it.each([
    "The response was filtered due to the prompt triggering Azure OpenAI's content management policy.",
    "Your prompt was flagged as potentially violating our usage policy.",
    "系统检测到输入或生成内容可能包含不安全或敏感内容",
  ])("is understood: %s", (message) => {
    expect(codeOf(message, { status: 400 })).toBe("MODEL_CONTENT_FILTERED");
  });
});

describe("the sentence about the connection", () => {
  it.each([
    "fetch failed",
    "terminated",
    "socket hang up",
    "Failed to fetch",
    "Load failed",
    "NetworkError when attempting to fetch resource.",
    "network error",
    "Network request failed",
    "Network connection lost.",
    "other side closed",
    "Premature close",
    "error sending request for url (http://x)",
    "error reading a body from connection",
    "Error in input stream",
    "The network connection was lost.",
    "The Internet connection appears to be offline.",
    "Unable to connect. Is the computer able to access the url?",
  ])("is understood: %s", (message) => {
    expect(codeOf(message, { name: "TypeError" })).toBe("MODEL_NETWORK");
  });

  it.each(["Connection error.", "the job was terminated by an operator", "I failed to fetch it", "networking"])(
    "is not seen in: %s",
    (message) => {
      expect(codeOf(message)).toBe("MODEL_UNKNOWN");
    },
  );

  it.each([
    "bad port",
    "unknown scheme",
    "Failed to parse URL from x",
    "Invalid URL",
    '"a" is an invalid header value.',
  ])("names a request that cannot be sent: %s", (message) => {
    const error = Object.assign(new TypeError("fetch failed"), { cause: new Error(message) });
    expect(toHarnessError(error, "model").code).toBe("MODEL_INVALID_REQUEST");
  });
});
