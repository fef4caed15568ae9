/**
 * Calls a model once: plain or streamed, under its timers, with the plugins around it.
 *
 * Floor 5 (runtime). Seam 1: the only place where an error from an adapter becomes a `ModelError`.
 */
import {
  type Model,
  type ModelCallContext,
  type ModelRequest,
  type ModelResponse,
  nameOf,
  type Usage,
} from "../contract/model.ts";
import type { NextModel } from "../contract/plugin.ts";
import type { AbandonedCall } from "../contract/run.ts";
import { StreamCollector } from "../contract/stream-collector.ts";
import { type HarnessError, ModelError, toHarnessError } from "../errors/index.ts";
import { letGo } from "../util/let-go.ts";
import { ownCalls } from "./asked-calls.ts";
import { checkModelResponse, readUsage } from "./check-response.ts";
import { collectStream, type StreamHooks } from "./collect-stream.ts";
import type { CallSpec, ForeignCall, Outcome } from "./foreign-call.ts";
import { requestOf } from "./model-request.ts";
import { PluginContext, type PluginPorts } from "./plugin-context.ts";
import { wrapModel } from "./plugins.ts";
import type { RunScope } from "./run-scope.ts";

/** How one try ended. */
export type ModelAttempt =
  | { readonly ok: true; readonly response: ModelResponse; readonly endedAt: number }
  | FailedModelAttempt;

/** A try that gave no answer. */
export interface FailedModelAttempt {
  readonly ok: false;
  readonly error: HarnessError;
  /** How many deltas a consumer has received. */
  readonly delivered: number;
  readonly partialText: string;
  /** What the failed try used, as far as its answer said so. */
  readonly usage: Usage | undefined;
}

/** Which try it is, from 1, and when it starts. */
export interface Try {
  readonly number: number;
  readonly startedAt: number;
}

/** Never rejects. */
export async function attemptModel(scope: RunScope, model: Model, which: Try): Promise<ModelAttempt> {
  const live = new ModelCall(scope, model, which);
  return live.end(await live.begin());
}

type Judged = { readonly ok: true; readonly response: ModelResponse } | FailedModelAttempt;

/** A model call in progress: what it gives after `begin` goes into `end`. */
export class ModelCall implements CallSpec {
  readonly deadline: number;
  readonly graceMs: number;
  readonly #streams: boolean;
  /** Whether silence is the model's. While a plugin is at work it is not. */
  #listens: boolean;
  /** When the model was last heard of. */
  #heardAt: number;
  #delivered = 0;
  #collector: StreamCollector | undefined;

  private readonly attempt: number;
  readonly startedAt: number;

  constructor(
    private readonly scope: RunScope,
    private readonly model: Model,
    { number, startedAt }: Try,
  ) {
    this.attempt = number;
    this.startedAt = startedAt;
    this.#streams = typeof model.stream === "function" && scope.recorder.wants("model:delta");
    this.#listens = this.#streams && scope.options.plugins.length === 0;
    this.#heardAt = startedAt;
    this.deadline = this.#deadline();
    this.graceMs = scope.options.graceMs;
  }

  get as(): AbandonedCall {
    return { type: "model", name: nameOf(this.model) };
  }

  /** Starts the call. Never rejects. */
  begin(): Outcome<ModelResponse> | Promise<Outcome<ModelResponse>> {
    const { recorder, context, calls } = this.scope;
    recorder.emit("model:start", {
      messageCount: context.size,
      attempt: this.attempt,
      model: nameOf(this.model),
    });
    return calls.race<ModelResponse, ModelCall>(this, startModel);
  }

  /** Reads how it ended. */
  end(outcome: Outcome<ModelResponse>): ModelAttempt {
    const { recorder } = this.scope;
    const tried = this.#judge(outcome);
    const endedAt = this.scope.clockNow();
    const durationMs = endedAt - this.startedAt;
    if (tried.ok) {
      recorder.emit("model:end", { response: tried.response, durationMs });
      return { ok: true, response: tried.response, endedAt };
    }
    const { kind, code, message } = tried.error;
    recorder.emit("model:end", { error: { kind, code, message }, durationMs });
    return tried;
  }

  /** Calls the model. */
  start(call: ForeignCall<ModelResponse>): Promise<ModelResponse> {
    const { options } = this.scope;
    const request = requestOf(this.scope);
    const given = new CallContext(call, this.attempt, this.scope.id);
    if (options.plugins.length > 0) {
      const context = new PluginContext(given, this.#portsFor(call));
      return wrapModel(options.plugins, this.#asked(call, given), context)(request);
    }
    return this.#streams ? this.#collect(call, request, given) : this.model.generate(request, given);
  }

  #portsFor(call: ForeignCall<ModelResponse>): PluginPorts {
    const { recorder } = this.scope;
    const delivered = () => this.#delivered;
    return {
      get delivered() {
        return delivered();
      },
      tellCompacted: (notice) => {
        if (!call.isStopped) recorder.emit("context:compacted", notice);
      },
    };
  }

  /** The model as its plugins see it: each question anew, each error a typed one. */
  #asked(call: ForeignCall<ModelResponse>, given: CallContext): NextModel {
    return async (request, { aside = false, signal } = {}) => {
      call.checkRunning();
      const context = signal === undefined ? given : { signal, attempt: given.attempt, runId: given.runId };
      try {
        const isHeard = this.#streams && !aside;
        const answer = isHeard ? this.#listen(call, request, context) : this.model.generate(request, context);
        const response = await answer;
        // A model that gives nothing at all must not look like a plugin that does.
        return typeof response === "object" && response !== null ? response : checkModelResponse(response);
      } catch (error) {
        throw this.#adopt(error);
      }
    };
  }

  /** Streams, and counts silence only as long as the stream lasts. */
  async #listen(call: ForeignCall<ModelResponse>, request: ModelRequest, given: ModelCallContext) {
    this.#listens = true;
    this.#hear(call);
    call.checkRunning();
    try {
      return await this.#collect(call, request, given);
    } finally {
      this.#listens = false;
      if (!call.isStopped) call.extendTo(this.#lastMoment);
    }
  }

  #judge(outcome: Outcome<ModelResponse>): Judged {
    if (outcome.status === "stopped") return this.#failed(outcome.reason);
    if (outcome.status === "threw") return this.#failed(this.#adopt(outcome.error));
    try {
      const { context, turns } = this.scope;
      return { ok: true, response: checkModelResponse(outcome.value, (calls) => ownCalls(calls, context, turns)) };
    } catch (error) {
      return this.#failed(this.#adopt(error), usageOf(outcome.value));
    }
  }

  #deadline(): number {
    const { streamIdleMs } = this.scope.options;
    return this.#listens ? Math.min(this.#lastMoment, this.#heardAt + streamIdleMs) : this.#lastMoment;
  }

  get #lastMoment(): number {
    return this.startedAt + this.scope.options.modelTimeoutMs;
  }

  /** Takes note that the model is alive. A stream without a pause keeps timers from firing, so time is looked at here. */
  #hear(call: ForeignCall<ModelResponse>): boolean {
    this.#heardAt = this.scope.clockNow();
    call.extendTo(this.#deadline());
    if (this.#heardAt >= this.scope.calls.deadline) this.scope.stopAtDeadline();
    if (this.#heardAt >= this.#lastMoment) call.stop(this.timeoutError());
    return !call.isStopped;
  }

  /** Waits for a slow consumer; its silence is not the model's. */
  async #waitForConsumer(call: ForeignCall<ModelResponse>, ready: Promise<void>): Promise<void> {
    call.extendTo(this.#lastMoment);
    await ready;
    this.#hear(call);
  }

  #collect(call: ForeignCall<ModelResponse>, request: ModelRequest, given: ModelCallContext): Promise<ModelResponse> {
    const { recorder, ready } = this.scope;
    const hooks: StreamHooks = {
      mayContinue: () => this.#hear(call),
      onText: (text) => {
        this.#delivered++;
        recorder.emit("model:delta", { text });
      },
      onReasoning: (text) => {
        if (recorder.wants("model:reasoning")) this.#delivered++;
        recorder.emit("model:reasoning", { text });
      },
      ready: () => {
        const waiting = ready?.();
        return waiting && this.#waitForConsumer(call, waiting);
      },
    };
    this.#collector = new StreamCollector(hooks);
    const stream = this.model.stream?.(request, given);
    if (stream === undefined) return this.model.generate(request, given);
    return collectStream(stream, this.#collector, hooks, (close) => call.onStop(close));
  }

  #adopt(error: unknown): HarnessError {
    const { model } = this;
    return toHarnessError(error, "model", {
      delivered: this.#delivered,
      classify: (foreign) => {
        const hint = model.classifyError?.(foreign);
        letGo(hint);
        return hint;
      },
    });
  }

  #failed(error: HarnessError, usage?: Usage): FailedModelAttempt {
    const partialText = this.#delivered > 0 ? (this.#collector?.text ?? "") : "";
    return { ok: false, error: interrupted(error, this.#delivered), delivered: this.#delivered, partialText, usage };
  }

  timeoutError(): HarnessError {
    const { modelTimeoutMs, streamIdleMs } = this.scope.options;
    const name = nameOf(this.model);
    const isIdle = this.#listens && this.#heardAt + streamIdleMs < this.startedAt + modelTimeoutMs;
    const message = isIdle
      ? `The model "${name}" sent nothing for ${streamIdleMs} ms (streamIdleMs), so the call was stopped.`
      : `The model "${name}" did not answer within ${modelTimeoutMs} ms (modelTimeoutMs), so the call was stopped.`;
    return new ModelError(message, { code: "MODEL_TIMEOUT" });
  }
}

const startModel = (running: ForeignCall<ModelResponse>, call: ModelCall) => call.start(running);

/** What a model gets. The signal is made when it is first read. */
class CallContext implements ModelCallContext {
  constructor(
    private readonly call: ForeignCall<ModelResponse>,
    readonly attempt: number,
    readonly runId: string,
  ) {}

  get signal(): AbortSignal {
    return this.call.signal;
  }
}

const INTERRUPTIONS = new Set<string>(["MODEL_NETWORK", "MODEL_TIMEOUT", "MODEL_BAD_RESPONSE", "MODEL_UNKNOWN"]);

/** Once something was delivered, the same call can never be repeated unnoticed. */
function interrupted(error: HarnessError, delivered: number): HarnessError {
  if (delivered === 0 || error.kind !== "model" || !INTERRUPTIONS.has(error.code)) return error;
  return new ModelError(error.message, {
    code: "MODEL_STREAM_INTERRUPTED",
    cause: error,
    detail: { interruptedBy: error.code },
  });
}

function usageOf(response: unknown): Usage | undefined {
  try {
    return readUsage((response as { usage?: unknown } | null | undefined)?.usage);
  } catch {
    return undefined;
  }
}
