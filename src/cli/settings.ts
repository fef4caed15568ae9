/**
 * Decides which model answers, from the options and the environment.
 *
 * Command line. An option is stronger than the environment, and that is stronger than the `.env` file.
 */
import { LOCAL_MODEL_LABEL, localModel } from "../adapters/models/local/index.ts";
import { openaiModel } from "../adapters/models/openai/index.ts";
import type { Model } from "../contract/model.ts";
import { misuse } from "../util/misuse.ts";
import type { Variables } from "./dotenv.ts";
import { type CliOptions, webAddress } from "./options.ts";

/** Used at an endpoint when no model is named. */
export const DEFAULT_MODEL = "gpt-5-mini";

const DEFAULT_KEY_VARIABLE = "OPENAI_API_KEY";
const OPENAI_URL = "https://api.openai.com/v1";

export interface ModelChoice {
  readonly model: Model;
  /** Says which model answers and why. */
  readonly note: string;
  readonly keyVariable: string;
}

/**
 * Chooses the model.
 *
 * @throws TypeError where the key that was asked for is missing or the base URL is none.
 */
export function chooseModel(options: CliOptions, env: Variables, dotenv: Variables): ModelChoice {
  const lookUp = (name: string) => (name in env ? env[name] : dotenv[name])?.trim() || undefined;
  const keyVariable = options.apiKeyEnv ?? DEFAULT_KEY_VARIABLE;
  const apiKey = lookUp(keyVariable);
  if (options.apiKeyEnv !== undefined && apiKey === undefined) {
    throw misuse(
      `The environment variable ${keyVariable} is not set, so there is no key. ` +
        `Set it, or leave --api-key-env out to use ${DEFAULT_KEY_VARIABLE}.`,
    );
  }
  const baseUrl = options.baseUrl ?? checked(lookUp("OPENAI_BASE_URL"));
  const named = options.model ?? lookUp("HARNESS_MODEL");
  if (apiKey === undefined && baseUrl === undefined) return embedded(named, keyVariable);
  const model = named ?? DEFAULT_MODEL;
  const chosen = named === undefined ? " (the default; --model NAME chooses another)" : "";
  const keyless = apiKey === undefined ? ", without a key" : "";
  return {
    model: openaiModel({ model, apiKey, baseUrl }),
    note: `${model} at ${shownUrl(baseUrl ?? OPENAI_URL)}${keyless}${chosen}`,
    keyVariable,
  };
}

/** The embedded model for the demonstration, whatever the environment says. */
export function demoModel(): ModelChoice {
  return { model: localModel(), note: LOCAL_MODEL_LABEL, keyVariable: DEFAULT_KEY_VARIABLE };
}

function embedded(named: string | undefined, keyVariable: string): ModelChoice {
  const wanted = named === undefined ? "" : `; ${named} needs one of them`;
  const note = `${LOCAL_MODEL_LABEL} (no ${keyVariable} and no base URL${wanted})`;
  return { model: localModel(), note, keyVariable };
}

function checked(baseUrl: string | undefined): string | undefined {
  return baseUrl === undefined ? undefined : webAddress("OPENAI_BASE_URL", baseUrl);
}

/** Without user, password and query, which may be secret. */
function shownUrl(address: string): string {
  const { origin, pathname } = new URL(address);
  return `${origin}${pathname}`;
}
