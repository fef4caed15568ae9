/**
 * Takes secrets out of text before it is stored, sent or shown.
 *
 * Floor 1 (errors): applied to every message at adoption and again at serialisation. It knows the
 * common forms of keys and headers; it is not a guarantee. Give `secrets` for what it cannot know.
 */

import { clipMiddle } from "../util/text.ts";
import { isList } from "./read.ts";

/** What else to take out. */
export interface RedactOptions {
  /** Exact values to take out wherever they stand. Values under 6 characters are ignored. */
  secrets?: readonly string[] | undefined;
  /** Your own last step. When it throws, the whole text is withheld. */
  redact?: ((text: string) => string) | undefined;
}

/** What stands in place of a secret. */
export const REDACTED = "[redacted]";

/** Longer input is cut in the middle first, so that the cost stays bounded. */
const MAX_INPUT_CHARS = 20_000;
const MIN_SECRET_CHARS = 6;
/** Usually the second look finds nothing new. */
const MAX_LOOKS = 6;

const QUOTE = String.raw`(?:\\?["'])?`;
const HEADER_NAME = "authorization|proxy-authorization|set-cookie|cookie";
const FIELD_NAME =
  "x-api-key|x-goog-api-key|api[-_ ]?key|apikey|access[-_]?token|refresh[-_]?token|id[-_]?token|auth[-_]?token|session[-_]?token|" +
  "client[-_]?secret|secret[-_]?(?:access[-_]?)?key|private[-_]?key|password|passwd";
const QUERY_NAME = "key|token|sig|signature|secret|password|api[-_]?key|access[-_]?token|x-amz-[a-z-]{1,30}";

/**
 * Each pattern starts at a place where no other start of it can overlap and has bounded quantifiers, so
 * that the cost is linear in the length of the text.
 */
const PATTERNS: readonly (readonly [pattern: RegExp, replacement: string])[] = [
  [/-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[^-]{0,9000}/g, REDACTED],
  [/(?<![a-z0-9+.-])([a-z][a-z0-9+.-]{1,20}:\/\/)[^\s/:@]{0,300}:[^\s/@]{1,300}@/gi, `$1${REDACTED}@`],
  [new RegExp(String.raw`([?&](?:${QUERY_NAME})=)[^&\s"'#\\]{1,4000}`, "gi"), `$1${REDACTED}`],
  [
    new RegExp(
      String.raw`(?<![\w-])((?:${HEADER_NAME})${QUOTE}\s{0,3}[:=]\s{0,3}${QUOTE})[^\s"'\\][^\r\n"'\\]{0,4000}`,
      "gi",
    ),
    `$1${REDACTED}`,
  ],
  [
    new RegExp(
      String.raw`(?<![a-z0-9])((?:${FIELD_NAME})${QUOTE}\s{0,3}[:=]\s{0,3}${QUOTE})[^\s"'\\,;&}]{1,4000}`,
      "gi",
    ),
    `$1${REDACTED}`,
  ],
  [/\b(bearer)\s{1,4}(?!(?:auth[a-z]{0,12}|tokens?|credentials?)\b(?![-.~+/=]))[\w.~+/=-]{8,4000}/gi, `$1 ${REDACTED}`],
  [/\b([Bb]asic|BASIC)\s{1,4}(?=[a-z+/]{0,400}[A-Z0-9=])[\w+/=-]{8,4000}/g, `$1 ${REDACTED}`],
  [/(?<![\w-])eyJ[\w-]{8,4000}\.[\w-]{4,8000}(?:\.[\w-]{0,4000})?/g, REDACTED],
  [/(?<![A-Za-z0-9_-])(?:sk|rk|pk)[-_](?=[A-Za-z_-]{0,60}\d|[\w-]{16})[\w-]{8,4000}/g, REDACTED],
  [
    /(?<![A-Za-z0-9_-])(?:AIza|AQ\.|ya29\.|gsk_|xai-|hf_|gh[opusr]_|github_pat_|glpat-|xox[abeprs]-|r8_|nvapi-|pplx-)[\w.-]{12,4000}/g,
    REDACTED,
  ],
  [/(?<![A-Za-z0-9])(?:AKIA|ASIA)[A-Z0-9]{12,40}(?![A-Za-z0-9])/g, REDACTED],
];

/** One of these stands in every secret that the patterns know: most messages are done after this one look. */
const HINT =
  /[:=]|bearer|basic|eyJ|[srp]k[-_]|AIza|AQ\.|ya29\.|gsk_|xai-|hf_|gh[opusr]_|github_|glpat-|xox|r8_|nvapi-|pplx-|A[KS]IA|-----BEGIN/i;

/**
 * Replaces what looks like a secret by `[redacted]`. Text over 20,000 characters is cut in the middle.
 *
 * @example
 * redactSecrets("401 for key sk-proj-abcdefghijklmnop1234"); // "401 for key [redacted]"
 */
export function redactSecrets(text: string, options: RedactOptions = {}): string {
  const known = clipMiddle(withoutExactValues(text, options.secrets), MAX_INPUT_CHARS);
  const clean = HINT.test(known) ? withoutKnownForms(known) : known;
  return typeof options.redact === "function" ? withOwnStep(clean, options.redact) : clean;
}

/** What one pattern takes out may be what kept another from matching: text is looked at until it stays the same. */
function withoutKnownForms(text: string): string {
  let clean = text;
  for (let look = 0; look < MAX_LOOKS; look++) {
    const before = clean;
    clean = PATTERNS.reduce((rest, [pattern, replacement]) => rest.replace(pattern, replacement), before);
    if (clean === before) break;
  }
  return clean;
}

function withoutExactValues(text: string, secrets: unknown): string {
  if (!isList(secrets)) return text;
  const usable = secrets.filter(
    (secret): secret is string => typeof secret === "string" && secret.length >= MIN_SECRET_CHARS,
  );
  // The longest first: one secret may be the start of another.
  return usable.sort((a, b) => b.length - a.length).reduce((rest, secret) => rest.replaceAll(secret, REDACTED), text);
}

function withOwnStep(text: string, redact: (text: string) => unknown): string {
  try {
    const result = redact(text);
    return typeof result === "string" ? result : "[text withheld: the redact function did not return a string]";
  } catch {
    return "[text withheld: the redact function threw]";
  }
}

const remembered = new WeakMap<object, RedactOptions>();

/** Keeps the options an error was adopted with, so that its causes are redacted the same way later. */
export function rememberRedaction(error: object, { secrets, redact }: RedactOptions): void {
  if (secrets !== undefined || redact !== undefined) remembered.set(error, { secrets, redact });
}

/** The options an error was adopted with. */
export function redactionOf(error: object): RedactOptions {
  return remembered.get(error) ?? {};
}
