/**
 * Reads one streamed answer, a piece of its body at a time; what its events mean is the adapter's to say.
 *
 * Wing adapters (models, shared base).
 */
import type { ModelEvent, ModelResponse } from "../../../contract/model.ts";
import type { ModelError } from "../../../errors/index.ts";
import { answerEvents } from "./answer-events.ts";
import { readRest, type TextBody } from "./body.ts";
import type { EventReader } from "./exchange.ts";
import { badResponse, type CallFacts, excerpt, reportedFailure } from "./failures.ts";
import { type BatchSource, HEARTBEAT } from "./in-batches.ts";
import { isRecord, type JsonRecord, tryParseJson } from "./json.ts";
import { BODY_END, type BodyKind, createFrameReader, kindOf, type SseFrame } from "./sse.ts";

/** What an answer is read from, and by what. */
export interface AnswerSource {
  readonly body: TextBody;
  readonly reader: EventReader;
  /** Reads the document that some servers send instead of events. */
  readonly readWhole: (text: string) => ModelResponse;
  readonly facts: CallFacts;
  readonly signal: AbortSignal;
}

/** A streamed answer that is being read. */
export class StreamedAnswer implements BatchSource {
  #kind: BodyKind = "unknown";
  #head = "";
  #events: ModelEvent[] = [];
  #isOver = false;
  #failure: { readonly error: unknown } | undefined;
  readonly #reader: EventReader;
  readonly #readFrames = createFrameReader((frame) => this.#takeFrame(frame));

  constructor(private readonly source: AnswerSource) {
    this.#reader = source.reader;
  }

  /** The events of the next piece of the body, a heartbeat where it completes none; `undefined` after the last. */
  async next(): Promise<readonly ModelEvent[] | undefined> {
    if (this.#failure !== undefined) throw this.#failure.error;
    if (this.#isOver) return undefined;
    this.#events = [];
    do {
      try {
        await this.#take(await this.#nextPiece());
      } catch (error) {
        this.source.body.cancel();
        if (this.#events.length === 0) throw error;
        // What came before it is told first.
        this.#failure = { error };
      }
      // Behind the answer a sign of life is none: a server that only keeps the connection is not waited for.
    } while (this.#events.length === 0 && this.#reader.state !== "open");
    return this.#events.length === 0 ? HEARTBEAT : this.#events;
  }

  /** Gives up the rest, unless the answer is whole: then its connection is of use for the next one. */
  cancel(): void {
    if (!this.#isOver) this.source.body.cancel();
  }

  async #nextPiece(): Promise<string | undefined> {
    try {
      return await this.source.body.next();
    } catch (error) {
      // A connection that breaks behind the end of the answer takes nothing from it.
      if (this.#reader.state === "open" || this.source.signal.aborted) throw error;
      return undefined;
    }
  }

  async #take(piece: string | undefined): Promise<void> {
    if (this.#kind === "events") return this.#takeEvents(piece);
    this.#head += piece ?? "";
    this.#kind = kindOf(this.#head);
    if (this.#kind === "events") return this.#takeEvents(this.#head);
    if (this.#kind === "unknown" && piece !== undefined) return;
    const text = piece === undefined ? "" : await readRest(this.source.body, this.#head);
    this.#end(answerEvents(this.source.readWhole(text)));
  }

  #takeEvents(piece: string | undefined): void {
    this.#readFrames(piece ?? BODY_END);
    if (piece === undefined || this.#reader.state === "closed") this.#isOver = true;
    if (!this.#isOver) return;
    this.#end(this.#reader.end());
    // The answer is whole; the rest of the body is nobody's business any more.
    this.source.body.drain();
  }

  #end(events: readonly ModelEvent[]): void {
    this.#isOver = true;
    this.#events.push(...events);
  }

  #takeFrame({ event, data }: SseFrame): void {
    if (this.#isOver || this.#reader.state === "closed") return;
    const parsed = data.length < 16 && data.trim() === "[DONE]" ? DONE : tryParseJson(data);
    if (parsed === DONE) this.#isOver = true;
    else if (isRecord(parsed)) this.#reader.read(typedEvent(parsed, event), this.#events);
    else if (data.trim() !== "") throw this.#notJson(event, data);
  }

  #notJson(event: string | undefined, data: string): ModelError {
    if (event === "error") return reportedFailure({ message: data }, this.source.facts);
    return badResponse(
      `The model's stream holds an event that is no JSON object: ${excerpt(data)}.`,
      this.source.facts,
    );
  }
}

const DONE = Symbol("[DONE]");

/** The type stands in the data, too; some gateways drop it there. */
function typedEvent(data: JsonRecord, event: string | undefined): JsonRecord {
  if (event === undefined) return data;
  const { type } = data;
  if (event === "error" && type !== "error" && !isRecord(data["error"])) return { type: "error", error: data };
  return typeof type === "string" ? data : { ...data, type: event };
}
