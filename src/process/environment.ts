/**
 * The environment that a command gets.
 *
 * Floor 2 (process).
 */
import { quoteValue } from "../util/text.ts";

/**
 * Lays `changes` over our own environment, or over an empty one.
 *
 * @returns `undefined` when nothing changes: the child then inherits, without a copy being made.
 * @throws TypeError when a value is neither a string nor `undefined`: Node would write "null".
 */
export function mergeEnvironment(
  changes: Record<string, string | undefined> | undefined,
  inherit: boolean,
  own: NodeJS.ProcessEnv = process.env,
  platform: NodeJS.Platform = process.platform,
): NodeJS.ProcessEnv | undefined {
  if (changes === undefined) return inherit ? undefined : {};
  const merged: NodeJS.ProcessEnv = inherit ? { ...own } : {};
  for (const [name, value] of Object.entries(changes)) {
    if (value !== undefined && typeof value !== "string") {
      const error = new TypeError(`env.${name} must be a string or undefined, got ${quoteValue(value)}.`);
      throw Object.assign(error, { code: "ERR_INVALID_ARG_TYPE" });
    }
    // Windows names are the same in any case: `Path` must not survive next to `PATH`.
    for (const known of platform === "win32" ? sameName(merged, name) : [name]) delete merged[known];
    if (value !== undefined) merged[name] = value;
  }
  return merged;
}

function sameName(env: NodeJS.ProcessEnv, name: string): string[] {
  return Object.keys(env).filter((known) => known.toUpperCase() === name.toUpperCase());
}

const SECRET = /TOKEN|SECRET|PASSW|API_?KEY|ACCESS_?KEY|PRIVATE_?KEY|CREDENTIAL/i;

/** Each of these makes a shell or Node run code or change its rules before the command runs. */
const INJECTING = /^(?:BASH_ENV|ENV|BASH_FUNC_.*|NODE_OPTIONS|SHELLOPTS|BASHOPTS)$/;

const KEPT = new Set(["SSH_AUTH_SOCK", "DOCKER_HOST"]);

const NON_INTERACTIVE = { PAGER: "cat", GIT_PAGER: "cat", GIT_TERMINAL_PROMPT: "0", TERM: "dumb" };

/**
 * Copies an environment without what looks like a secret by its name, without what injects code into
 * a shell, and with pagers and prompts switched off. Hygiene, not a sandbox: a command can read files.
 *
 * @param drop - More names to leave out, such as the variable that holds the model's key.
 */
export function filterEnvironment(
  env: Record<string, string | undefined>,
  drop: readonly string[] = [],
): Record<string, string> {
  const filtered: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    const secret = SECRET.test(name) && !KEPT.has(name);
    if (value === undefined || secret || INJECTING.test(name) || drop.includes(name)) continue;
    filtered[name] = value;
  }
  return { ...filtered, ...NON_INTERACTIVE };
}
