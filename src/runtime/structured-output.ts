/**
 * Answers that must fit a schema: asked for, checked, and asked for again.
 *
 * Floor 5 (runtime).
 */

import { compileSchema } from "../contract/compile-schema.ts";
import type { ModelSettings } from "../contract/model.ts";
import type { CompiledSchema, SchemaLike, Validation } from "../contract/schema.ts";
import { type HarnessError, ModelError, toHarnessError } from "../errors/index.ts";
import { freezeJson, toJson } from "../util/json.ts";
import type { CallTable } from "./call-table.ts";

/** How often a model may answer off schema before the run fails. */
export const MOST_OFF_SCHEMA = 3;

/** What came of an answer. */
export type OutputCheck =
  | { readonly status: "fits"; readonly output: unknown }
  | { readonly status: "again"; readonly note: string }
  | { readonly status: "failed"; readonly error: HarnessError };

/** The output that a run asks for. */
export class StructuredOutput {
  readonly #schema: CompiledSchema;
  #offSchema = 0;

  /** @throws TypeError when the schema is none, or cannot be shown to a model. */
  constructor(schema: SchemaLike) {
    this.#schema = compileSchema("output", schema);
  }

  /** The settings of a model call that ask for this output. */
  settings(settings: ModelSettings | undefined): ModelSettings {
    return { ...settings, responseFormat: { name: "output", schema: this.#schema.jsonSchema } };
  }

  /** Reads an answer. Never rejects. */
  async check(calls: CallTable, answer: string): Promise<OutputCheck> {
    const parsed = parseAnswer(answer);
    const validation = parsed.ok ? await this.#validate(calls, parsed.value) : parsed;
    if ("stopped" in validation) return { status: "failed", error: validation.stopped };
    if (validation.ok) return { status: "fits", output: freezeJson(toJson(validation.value)) };
    const problems = validation.problems.slice(0, 20).join("; ");
    if (++this.#offSchema >= MOST_OFF_SCHEMA) return { status: "failed", error: offSchema(problems) };
    return {
      status: "again",
      note: `Your answer does not fit the required output: ${problems}. Answer again with one JSON object that fits, and nothing else.`,
    };
  }

  async #validate(calls: CallTable, value: unknown): Promise<Validation | { readonly stopped: HarnessError }> {
    const outcome = await calls.race<Validation>(VALIDATION, () => this.#schema.validate(value));
    switch (outcome.status) {
      case "returned":
        return outcome.value;
      case "stopped":
        return { stopped: outcome.reason };
      case "threw":
        return { ok: false, problems: [toHarnessError(outcome.error, "model").message] };
    }
  }
}

const VALIDATION = {
  as: undefined,
  deadline: Number.POSITIVE_INFINITY,
  timeoutError: () => new ModelError("The validation of the output has no deadline."),
  graceMs: 0,
};

/** Models like to wrap JSON in a fence, or in a sentence before and after. */
function parseAnswer(answer: string): Validation {
  const fenced = /```(?:json)?\s*\n([\s\S]*?)\n?```/.exec(answer)?.[1];
  for (const text of [answer, fenced, answer.slice(answer.indexOf("{"), answer.lastIndexOf("}") + 1)]) {
    if (text === undefined || text === "") continue;
    try {
      return { ok: true, value: toJson(JSON.parse(text)) };
    } catch {
      // The next form may be the one.
    }
  }
  return { ok: false, problems: ["it is not valid JSON"] };
}

function offSchema(problems: string): ModelError {
  return new ModelError(`The model answered off the output schema ${MOST_OFF_SCHEMA} times; at last: ${problems}.`, {
    code: "MODEL_OUTPUT_INVALID",
    detail: { problems },
  });
}
