/**
 * What can only be told from the sentence: providers that give no code, runtimes that give no class.
 *
 * Floor 1 (errors): the last resort. A pattern here must be a phrase nobody writes about something else.
 */

import type { ModelCode } from "./verdict.ts";

/** The prompt does not fit the model; the provider after each phrase. */
const OVERFLOW: readonly RegExp[] = [
  /maximum (?:context|prompt) length/i, // OpenAI, DeepSeek, vLLM, OpenRouter, Mistral, xAI, Ollama
  /exceeds? (?:the |this )?(?:model'?s? )?(?:available |maximum )?context (?:window|length|size|limit)/i, // OpenAI, llama.cpp, Ollama, Anthropic
  /context (?:window|length|size) (?:is |was |has been )?exceed/i, // MiniMax, LiteLLM
  /context_length_exceeded/i,
  /(?:prompt|input)(?: text| message)? (?:is|was) too long/i, // Anthropic, Bedrock, Fireworks
  /input (?:token )?(?:count|length)[^.]{0,80}exceeds? (?:the )?(?:maximum|limit|model)/i, // Google, Qwen
  /prompt token count of \d+ exceeds the limit/i, // GitHub Copilot
  /input length and `?max_tokens`? exceed/i, // Anthropic
  /range of input length should be/i, // Qwen
  /longer than the (?:maximum )?(?:model|context) length/i, // vLLM
  /too large for model with \d+ maximum context/i, // Mistral
  /exceeded model token limit/i, // Moonshot
  /input token length too long/i, // Moonshot
  /prompt exceeds max(?:imum)? length/i, // Zhipu
  /tokens in the prompt cannot exceed/i, // Cohere
  /`?inputs`? tokens \+ `?max_new_tokens`? must be/i, // Hugging Face TGI, Together
  /(?:greater than|overflows?)[^.]{0,20} the context length|context the overflows/i, // LM Studio
  /reduce the length of (?:the|your) (?:messages|prompt|input)/i, // OpenAI, Groq, Cerebras
  /expected maxLength: \d+, actual: \d+/i, // Bedrock
  /total tokens of (?:image and )?text exceed/i, // Volcengine
  /输入(?:长度|内容)?(?:超长|过长|超过)|prompt 超长|上下文长度超/i, // Zhipu, Qwen, Baidu
];

const TOO_LARGE_FOR_THE_LIMIT = /request too large/i;
const THROTTLED = /please wait|try again (?:in|later)|rate limit|per minute|throttl/i;
const NO_CREDIT =
  /credit balance is too low|insufficient (?:account )?(?:balance|credits?|funds|quota)|(?:out of|no|not enough) credits|billing hard limit|exceeded your current quota, please check your plan|账户余额不足|余额不足|欠费/i;
const BAD_KEY = /(?:api key (?:is )?(?:not valid|invalid|expired)|(?:incorrect|invalid) api key)/i;
const NO_KEY =
  /api[_ ]key (?:is missing|must be set|environment variable is missing|is required)|missing (?:api key|credentials)|could not resolve authentication method|no api key/i;
const FILTERED =
  /content management policy|content (?:filter|policy) (?:violation|triggered)|flagged (?:as|for|by)[^.]{0,60}(?:violat|moderation|polic)|violat\w{0,4} (?:our|the) (?:usage|content) polic|敏感内容|不安全或敏感/i;

const UNSENDABLE =
  /\bbad port\b|\bunknown scheme\b|failed to parse url|invalid url|invalid header value|is an invalid header/i;
/** What `fetch` says in each runtime when it cannot connect, and when the body breaks off. */
const NETWORK: readonly RegExp[] = [
  /\bfetch failed\b|^terminated$|other side closed|premature close|stream has been aborted|socket hang up/i, // Node
  /unable to connect\. is the computer/i, // Bun
  /error sending request|error reading a body from connection/i, // Deno
  /network connection lost/i, // Cloudflare Workers
  /^failed to fetch\b|^network ?error\b|network request failed/i, // Chromium, Firefox, React Native
  /^error in input stream$/i, // Firefox
  /^load failed$|network connection was lost|internet connection appears to be offline/i, // WebKit
];
const NOT_JSON =
  /\bJSON\b|unexpected token|unexpected end of|unterminated string|bad control character|expected property name/i;

/** Tells whether a 429 says that waiting does not help, because the request alone is over the limit. */
export function saysRequestTooLarge(text: string): boolean {
  return TOO_LARGE_FOR_THE_LIMIT.test(text);
}

/** Tells whether a provider says that there is no money left. */
export function saysNoCredit(text: string): boolean {
  return NO_CREDIT.test(text);
}

/** What the sentence of a refused or failed request says, apart from its status. */
export function codeForWording(text: string): ModelCode | undefined {
  if (OVERFLOW.some((pattern) => pattern.test(text)) && !THROTTLED.test(text)) return "MODEL_CONTEXT_OVERFLOW";
  if (saysNoCredit(text)) return "MODEL_QUOTA_EXCEEDED";
  if (BAD_KEY.test(text) || NO_KEY.test(text)) return "MODEL_AUTH";
  return FILTERED.test(text) ? "MODEL_CONTENT_FILTERED" : undefined;
}

/** What the message of one error says about the connection. */
export function codeForConnectionWording(message: string): ModelCode | undefined {
  if (UNSENDABLE.test(message)) return "MODEL_INVALID_REQUEST";
  return NETWORK.some((pattern) => pattern.test(message)) ? "MODEL_NETWORK" : undefined;
}

/** Tells a `SyntaxError` of a JSON parser from one of a program. */
export function saysNotJson(message: string): boolean {
  return NOT_JSON.test(message);
}
