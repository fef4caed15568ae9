/**
 * Notices that a run goes round in circles.
 *
 * Floor 5 (runtime). Looks at outcomes, not only at calls: asking again and getting another answer is
 * progress. What was the same before the world was changed may be asked again afterwards.
 */
import type { ToolResult } from "../contract/tool.ts";
import { type HarnessError, PermissionError, RuntimeError } from "../errors/index.ts";
import { canonicalJson, type JsonValue } from "../util/json.ts";

/** One answered call, as far as progress depends on it. */
export interface AnsweredCall {
  readonly name: string;
  /** As recorded. */
  readonly args: JsonValue;
  readonly result: ToolResult;
  /** The text that the model reads of the result. */
  readonly text: string;
  /** Whether the tool may change the world. */
  readonly changesWorld: boolean;
}

/** What a call's outcome means for the run. */
export type Verdict =
  | { readonly action: "go" }
  | { readonly action: "warn"; readonly limit: string; readonly note: string }
  | { readonly action: "end"; readonly error: HarnessError };

const GO: Verdict = { action: "go" };
/** After so many equal outcomes the model is told once. */
const WARN_AT = 3;
/** After so many denials in a row the run ends. */
const MOST_DENIALS = 3;
/** Outcomes that say something about the command, not about the agent. */
const OBSERVATIONS = new Set(["TOOL_PROCESS_EXIT"]);

/** Different outcomes of one call that are remembered. */
const MOST_OUTCOMES = 8;

interface SeenOutcome {
  readonly ok: boolean;
  readonly text: string;
  count: number;
}

interface Bounds {
  readonly consecutiveToolFailures: number;
  readonly identicalCalls: number;
}

/** Counts failures in a row, denials in a row, and equal outcomes of equal calls. */
export class Progress {
  readonly #outcomes = new Map<string, SeenOutcome[]>();
  #failures = 0;
  #denials = 0;
  #last: ToolResult | undefined;

  constructor(private readonly bounds: Bounds) {}

  /** Takes note of one result, in call order. */
  judge(call: AnsweredCall): Verdict {
    const repeated = this.#countOutcome(call);
    this.#countFailure(call.result);
    this.#last = call.result;
    if (this.#denials >= MOST_DENIALS) return { action: "end", error: this.#denied(call) };
    if (this.#failures >= this.bounds.consecutiveToolFailures) return { action: "end", error: this.#stuck() };
    if (repeated >= this.bounds.identicalCalls) return { action: "end", error: this.#repeats(call, repeated) };
    return this.#warning(call, repeated);
  }

  #countOutcome(call: AnsweredCall): number {
    if (this.bounds.identicalCalls === Number.POSITIVE_INFINITY) return 0;
    const key = `${call.name}\u0000${canonicalJson(call.args)}`;
    const known = this.#outcomes.get(key);
    const same = known?.find((seen) => seen.ok === call.result.ok && seen.text === call.text);
    if (same !== undefined) return ++same.count;
    if (call.result.ok && call.changesWorld) this.#outcomes.clear();
    const kept = (this.#outcomes.get(key) ?? []).slice(1 - MOST_OUTCOMES);
    this.#outcomes.set(key, [...kept, { ok: call.result.ok, text: call.text, count: 1 }]);
    return 1;
  }

  #countFailure(result: ToolResult): void {
    if (result.ok) {
      this.#failures = 0;
      this.#denials = 0;
      return;
    }
    this.#denials = result.kind === "permission" ? this.#denials + 1 : 0;
    this.#failures = OBSERVATIONS.has(result.code ?? "") ? 0 : this.#failures + 1;
  }

  #warning(call: AnsweredCall, repeated: number): Verdict {
    if (repeated === WARN_AT && this.bounds.identicalCalls > WARN_AT && Number.isFinite(this.bounds.identicalCalls)) {
      const note =
        `[note: this call of "${call.name}" has now given the same result ${repeated} times. ` +
        "Do something else, or answer with what you have; the run ends if it goes on.]";
      return { action: "warn", limit: "identicalCalls", note };
    }
    const { consecutiveToolFailures: most } = this.bounds;
    if (this.#failures === WARN_AT && most > WARN_AT && Number.isFinite(most)) {
      const note =
        `[note: ${this.#failures} tool calls in a row have failed. ` +
        "Try another way, or answer with what you have; the run ends if it goes on.]";
      return { action: "warn", limit: "consecutiveToolFailures", note };
    }
    return GO;
  }

  #denied(call: AnsweredCall): HarnessError {
    const last = call.result.ok ? "" : ` The last reason: ${call.result.error}`;
    return new PermissionError(`${this.#denials} tool calls in a row were denied, so the run was ended.${last}`, {
      code: "PERMISSION_DENIED",
    });
  }

  #stuck(): HarnessError {
    const last = this.#last === undefined || this.#last.ok ? "" : ` The last failure: ${this.#last.error}`;
    return new RuntimeError(`${this.#failures} tool calls in a row failed, so the run was ended.${last}`, {
      code: "RUN_NO_PROGRESS",
      detail: { limit: "consecutiveToolFailures", count: this.#failures },
    });
  }

  #repeats(call: AnsweredCall, repeated: number): HarnessError {
    return new RuntimeError(
      `The call of "${call.name}" gave the same result ${repeated} times, so the run was ended. ` +
        "Change the task or the tool, or raise limits.identicalCalls if repeating is right.",
      { code: "RUN_NO_PROGRESS", detail: { limit: "identicalCalls", tool: call.name, count: repeated } },
    );
  }
}
