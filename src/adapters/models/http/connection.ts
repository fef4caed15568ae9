/**
 * The options that all adapters over HTTP have in common, checked and completed at the door.
 *
 * Wing adapters (models, shared base).
 */
import { misuse } from "../../../util/misuse.ts";
import { quoteValue } from "../../../util/text.ts";
import { checkApiKey, checkHeaders, isCredentialHeader, resolveEndpoint } from "./endpoint.ts";

/** How to reach an endpoint. */
export interface ConnectionOptions {
  /** The model as the endpoint names it. */
  readonly model: string;
  /** Sent as the API wants it. Left out, no such header is sent. The environment is not read. */
  readonly apiKey?: string | undefined;
  /** Where the API lives. A query is kept. */
  readonly baseUrl?: string | undefined;
  /** Sent with every request, and stronger than what the adapter sets. */
  readonly headers?: Readonly<Record<string, string | undefined>> | undefined;
  /** Used in place of the global `fetch`: for proxies, for signing, for tests. */
  readonly fetch?: typeof fetch | undefined;
  /** Merged into every request body last; a member that is `undefined` removes what the adapter set. */
  readonly extraBody?: Readonly<Record<string, unknown>> | undefined;
  /** Shown in records and events. */
  readonly name?: string | undefined;
}

/** A connection, complete. */
export interface Connection {
  readonly name: string;
  readonly model: string;
  readonly url: string;
  /** Where the endpoint is, unless it is the vendor's own. */
  readonly origin: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  /** Exact values that must not show up in a message. */
  readonly secrets: readonly string[];
  readonly fetch: typeof fetch;
  readonly extraBody: Readonly<Record<string, unknown>>;
}

/** What an API fixes. */
export interface ApiFacts {
  /** Named in messages, for example "anthropicModel". */
  readonly owner: string;
  /** A model to show in messages. */
  readonly example: string;
  /** The prefix of the name in records and events. */
  readonly label: string;
  readonly baseUrl: string;
  /** Appended to the base URL, unless it ends so already. */
  path(baseUrl: unknown): string;
  /** The headers that carry the key and what else the API always wants. */
  headers(key: string | undefined): Readonly<Record<string, string>>;
}

/** @throws TypeError that says what to write instead. */
export function resolveConnection(api: ApiFacts, options: ConnectionOptions): Connection {
  checkOptions(api, options);
  const { model } = options;
  const baseUrl = options.baseUrl ?? api.baseUrl;
  const url = resolveEndpoint(api.owner, baseUrl, api.path(baseUrl));
  const key = checkApiKey(api.owner, options.apiKey);
  const headers: Record<string, string> = { ...api.headers(key), ...checkHeaders(api.owner, options.headers ?? {}) };
  const credentials = Object.keys(headers).flatMap((name) => (isCredentialHeader(name) ? [headers[name] ?? ""] : []));
  return {
    name: options.name ?? `${api.label}:${model}`,
    model,
    url,
    origin: new URL(url).origin === new URL(api.baseUrl).origin ? undefined : new URL(url).origin,
    headers,
    secrets: [...(key === undefined ? [] : [key]), ...credentials],
    fetch: options.fetch ?? ((input, init) => globalThis.fetch(input, init)),
    extraBody: options.extraBody ?? {},
  };
}

/** @throws TypeError unless the option is left out or one of `allowed`. */
export function checkChoice(owner: string, option: string, value: unknown, allowed: readonly unknown[]): void {
  if (value === undefined || allowed.includes(value)) return;
  const list = allowed.map((choice) => JSON.stringify(choice)).join(" or ");
  throw misuse(`${owner}: \`${option}\` must be ${list}, got ${quoteValue(value)}.`);
}

function checkOptions({ owner, example }: ApiFacts, options: ConnectionOptions): void {
  if (typeof options !== "object" || options === null) {
    throw misuse(`${owner} takes an object such as { model: "${example}", apiKey }, got ${quoteValue(options)}.`);
  }
  const { model, name, fetch, extraBody } = options;
  if (typeof model !== "string" || model.trim() === "") {
    throw misuse(`${owner} needs \`model\`, the name of a model such as "${example}", got ${quoteValue(model)}.`);
  }
  if (name !== undefined && (typeof name !== "string" || name === "")) {
    throw misuse(`${owner}: \`name\` must be a text, got ${quoteValue(name)}. Or leave it out.`);
  }
  if (fetch !== undefined && typeof fetch !== "function") {
    throw misuse(`${owner}: \`fetch\` must be a function like the global fetch, got ${quoteValue(fetch)}.`);
  }
  checkExtraBody(owner, extraBody);
}

function checkExtraBody(owner: string, extraBody: unknown): void {
  if (extraBody === undefined) return;
  if (typeof extraBody !== "object" || extraBody === null || Array.isArray(extraBody)) {
    throw misuse(`${owner}: \`extraBody\` must be an object of body members, got ${quoteValue(extraBody)}.`);
  }
  try {
    JSON.stringify(extraBody);
  } catch (error) {
    throw misuse(
      `${owner}: \`extraBody\` must be plain JSON: ${error instanceof Error ? error.message : "it is not"}.`,
    );
  }
}
