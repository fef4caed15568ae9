/**
 * Checks where an adapter sends requests to, and with which headers.
 *
 * Wing adapters (models, shared base). All of it happens when a model is made: `fetch` would refuse the
 * same values later, in messages that quote the key.
 */
import { misuse } from "../../../util/misuse.ts";
import { quoteValue } from "../../../util/text.ts";

/**
 * Appends `path` to the address of an API, unless the address has it already. A query is kept.
 *
 * @throws TypeError when the address is none, or holds a user name or password.
 */
export function resolveEndpoint(owner: string, baseUrl: unknown, path: string): string {
  const url = typeof baseUrl === "string" && URL.canParse(baseUrl.trim()) ? new URL(baseUrl.trim()) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw misuse(
      `${owner}: \`baseUrl\` must be an address such as "https://api.openai.com/v1", got ${quoteValue(baseUrl)}.`,
    );
  }
  if (url.username !== "" || url.password !== "") {
    throw misuse(
      `${owner}: \`baseUrl\` must not hold a user name or password. Give them as \`apiKey\` or in \`headers\`.`,
    );
  }
  url.hash = "";
  const base = url.pathname.replace(/\/+$/, "");
  url.pathname = base.endsWith(path) ? base : `${base}${path}`;
  return url.href;
}

/** What a header value may consist of: visible Latin-1 and single spaces or tabs between. */
const HEADER_VALUE = /^[\x21-\x7e\x80-\xff]+(?:[ \t]+[\x21-\x7e\x80-\xff]+)*$/;
const HEADER_NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

/**
 * The key without the spaces and line ends that files and shells leave around it; an empty one is none.
 *
 * @throws TypeError, without quoting the key.
 */
export function checkApiKey(owner: string, apiKey: unknown): string | undefined {
  if (apiKey === undefined) return undefined;
  if (typeof apiKey !== "string") {
    throw misuse(
      `${owner}: \`apiKey\` must be a text, got a value of type ${apiKey === null ? "null" : typeof apiKey}.`,
    );
  }
  const key = apiKey.trim();
  if (key === "") return undefined;
  if (!/^[\x21-\x7e]+$/.test(key)) {
    throw misuse(`${owner}: \`apiKey\` holds a character that no key has (a space, a line end, a non-ASCII one).`);
  }
  return key;
}

/**
 * Headers with lower-case names, those that are `undefined` left out.
 *
 * @throws TypeError, without quoting a value.
 */
export function checkHeaders(owner: string, headers: unknown): Record<string, string> {
  if (typeof headers !== "object" || headers === null || Array.isArray(headers)) {
    throw misuse(`${owner}: \`headers\` must be an object such as { "x-team": "search" }, got ${quoteValue(headers)}.`);
  }
  const checked: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined) continue;
    if (!HEADER_NAME.test(name)) throw misuse(`${owner}: ${quoteValue(name)} is no name for a header.`);
    if (typeof value !== "string" || (value !== "" && !HEADER_VALUE.test(value.trim()))) {
      throw misuse(`${owner}: the header ${quoteValue(name)} must be a text of Latin-1 characters on one line.`);
    }
    checked[name.toLowerCase()] = value.trim();
  }
  return checked;
}

/** Says whether a header is likely to hold a credential, by its name. */
export function isCredentialHeader(name: string): boolean {
  return /auth|key|token|secret|cookie|credential|password|signature/i.test(name);
}
