/**
 * Turns the parts of a `doStream` into events.
 *
 * Wing adapters (models/ai-sdk).
 */
import type { ModelEvent } from "../../../contract/model.ts";
import { badResponse } from "../http/failures.ts";
import { isRecord, type JsonRecord, textOrNothing } from "../http/json.ts";
import { type AnswerContext, aboutAnswer, checkFinished, readUsage, toFinishReason } from "./answer.ts";
import { readCall } from "./generate-result.ts";
import { attached, keptPart, type LayoutPart, layoutBlock, REASONING_PROVIDER } from "./layout.ts";

/** Reads one streamed answer. */
export interface PartReader {
  /** The events of one part. Throws what the part reports, and a ModelError for what is no part. */
  read(part: unknown): ModelEvent[];
  /** The last events, "finish" among them. Throws MODEL_BAD_RESPONSE when the answer is not whole. */
  end(): ModelEvent[];
}

/** Starts before the first part. */
export function createPartReader(context: AnswerContext, headers: unknown): PartReader {
  return new Reader(context, headers);
}

/** A text, a reasoning or a call that is going on. Its place in the layout is where it started. */
interface OpenPart {
  readonly at: number;
  readonly type: "text" | "reasoning" | "call" | "own";
  readonly call: number;
  told: string;
  metadata: unknown;
}

class Reader implements PartReader {
  readonly #open = new Map<unknown, OpenPart>();
  readonly #layout: (LayoutPart | undefined)[] = [];
  #calls = 0;
  #hasText = false;
  #finish: JsonRecord | undefined;
  #metadata: JsonRecord = {};

  constructor(
    private readonly context: AnswerContext,
    private readonly headers: unknown,
  ) {}

  read(part: unknown): ModelEvent[] {
    if (!isRecord(part)) throw badResponse("The AI SDK model's stream gave a part that is no object.");
    switch (part["type"]) {
      case "text-start":
      case "text-delta":
      case "text-end":
        return this.#tell(this.#partOf(part, "text"), textOrNothing(part["delta"]) ?? "");
      case "reasoning-start":
      case "reasoning-delta":
      case "reasoning-end":
        return this.#tell(this.#partOf(part, "reasoning"), textOrNothing(part["delta"]) ?? "");
      case "tool-input-start":
        return this.#startCall(part["id"], { ...part, toolCallId: part["id"] });
      case "tool-input-delta":
        return this.#extendCall(part["id"], textOrNothing(part["delta"]) ?? "");
      case "tool-call":
        return this.#completeCall(part);
      case "response-metadata":
        this.#metadata = { ...this.#metadata, ...part };
        return [];
      case "finish":
        this.#finish = part;
        return [];
      case "error":
        throw part["error"];
      default:
        return this.#keep(part);
    }
  }

  end(): ModelEvent[] {
    if (this.#finish === undefined) {
      throw badResponse("The model's stream ended before the answer was finished: no finish came.");
    }
    const { usage: counted, finishReason: said } = this.#finish;
    const usage = readUsage(counted);
    const reason = toFinishReason(said, { hasText: this.#hasText, hasCalls: this.#calls > 0 });
    const finishReason = checkFinished(reason, said, usage);
    const block = layoutBlock(this.#laidOut(), this.context.settings.provider);
    return [
      ...(block === undefined ? [] : [{ type: "reasoning", ...block } as const]),
      ...(usage === undefined ? [] : [{ type: "usage", usage } as const]),
      { type: "finish", finishReason, ...aboutAnswer(this.#metadata, this.headers) },
    ];
  }

  #partOf(part: JsonRecord, type: "text" | "reasoning"): OpenPart {
    const key = `${type} ${String(part["id"])}`;
    // An id may be used again once its part has ended.
    const known = part["type"] === `${type}-start` ? undefined : this.#open.get(key);
    const open = known ?? this.#add(key, type, -1);
    open.metadata = part["providerMetadata"] ?? open.metadata;
    return open;
  }

  #add(key: unknown, type: OpenPart["type"], call: number): OpenPart {
    const open: OpenPart = { at: this.#layout.push(undefined) - 1, type, call, told: "", metadata: undefined };
    this.#open.set(key, open);
    this.#all.push(open);
    return open;
  }

  readonly #all: OpenPart[] = [];

  #tell(open: OpenPart, text: string): ModelEvent[] {
    open.told += text;
    if (text === "") return [];
    if (open.type === "reasoning") return [{ type: "reasoning", text, provider: REASONING_PROVIDER }];
    this.#hasText = true;
    return [{ type: "text", text }];
  }

  #startCall(key: unknown, part: JsonRecord): ModelEvent[] {
    if (part["providerExecuted"] === true) {
      this.#add(callKey(key), "own", -1);
      return [];
    }
    const { id, name } = readCall(part, this.context);
    const open = this.#add(callKey(key), "call", this.#calls++);
    open.metadata = part["providerMetadata"];
    return [{ type: "toolCall", index: open.call, id, name }];
  }

  #extendCall(key: unknown, text: string): ModelEvent[] {
    const open = this.#open.get(callKey(key));
    if (open === undefined) throw badResponse("The model's stream continued a tool call that it had not started.");
    open.told += text;
    return text === "" || open.type === "own" ? [] : [{ type: "toolCall", index: open.call, arguments: text }];
  }

  /** The call as a whole; what was told of it already counts. */
  #completeCall(part: JsonRecord): ModelEvent[] {
    if (part["providerExecuted"] === true) return this.#keep(part);
    const key = part["toolCallId"];
    const started = this.#open.has(callKey(key)) ? [] : this.#startCall(key, part);
    const open = this.#open.get(callKey(key));
    const { arguments: whole } = readCall(part, this.context);
    if (open === undefined || !whole.startsWith(open.told)) return started;
    open.metadata = part["providerMetadata"] ?? open.metadata;
    return [...started, ...this.#extendCall(key, whole.slice(open.told.length))];
  }

  #keep(part: JsonRecord): ModelEvent[] {
    const kept = typeof part["type"] === "string" ? keptPart({ ...part, type: part["type"] }) : undefined;
    if (kept !== undefined) this.#layout.push({ type: "part", part: kept });
    return [];
  }

  /** The layout, now that all metadata is known: it comes with the start, a delta or the end of a part. */
  #laidOut(): LayoutPart[] {
    for (const { at, type, told, metadata } of this.#all) {
      const more = attached(metadata);
      const known = more === undefined ? {} : { more };
      if (type === "text") this.#layout[at] = { type, chars: told.length, ...known };
      if (type === "call") this.#layout[at] = { type, ...known };
      if (type === "reasoning") this.#layout[at] = { type: "part", part: { type, text: told, ...more } };
    }
    return this.#layout.filter((part) => part !== undefined);
  }
}

function callKey(id: unknown): string {
  return `call ${String(id)}`;
}
