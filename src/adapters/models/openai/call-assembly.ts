/**
 * Tells which tool call each streamed piece belongs to.
 *
 * Wing adapters (models/openai). Servers repeat ids, leave them out, send a new one with every piece,
 * interleave calls, or label all of them index 0. Each call gets a position of its own here, and its
 * first event carries its id and name.
 *
 * @see https://github.com/huggingface/smolagents/pull/1958 (same index)
 * @see https://github.com/openai/openai-agents-python/pull/990 (repeated ids)
 */
import type { ModelEvent } from "../../../contract/model.ts";
import { badResponse } from "../http/failures.ts";
import { isRecord, type JsonRecord, textOrNothing, tryParseJson } from "../http/json.ts";
import type { NameMap } from "../http/names.ts";
import { createCallId } from "../http/tool-calls.ts";

/** One call as far as it came. */
interface OpenCall {
  readonly index: number;
  readonly wireIndex: number | undefined;
  /** As the server says it, which need not be unique. */
  wireId: string | undefined;
  readonly id: string;
  name: string | undefined;
  text: string;
}

/** One piece, read. */
interface Piece {
  readonly index: number | undefined;
  readonly id: string | undefined;
  readonly name: string | undefined;
  readonly text: string;
}

/** The calls of one streamed answer. */
export interface CallAssembly {
  /** The events for one entry of `delta.tool_calls`. */
  add(entry: unknown): ModelEvent[];
  /** Throws for a call that never got a name. */
  check(): void;
  readonly count: number;
  /** `extra_content` of the calls, by id. */
  readonly extras: Readonly<Record<string, unknown>>;
}

/** Starts with no call. */
export function assembleCalls(names: NameMap): CallAssembly {
  const calls: OpenCall[] = [];
  const extras: Record<string, unknown> = {};
  const open = (piece: Piece): OpenCall => {
    const isTaken = piece.id !== undefined && calls.some((call) => call.id === piece.id);
    const call: OpenCall = {
      index: calls.length,
      wireIndex: piece.index,
      wireId: piece.id,
      id: piece.id === undefined || isTaken ? createCallId() : piece.id,
      name: undefined,
      text: "",
    };
    calls.push(call);
    return call;
  };
  return {
    add(entry) {
      const piece = readPiece(entry);
      if (piece.id === undefined && piece.name === undefined && piece.text === "") return [];
      const call = findCall(calls, piece) ?? open(piece);
      if (isRecord(entry) && isRecord(entry["extra_content"])) extras[call.id] = entry["extra_content"];
      return extend(call, piece, names);
    },
    check() {
      if (calls.some((call) => call.name === undefined)) {
        throw badResponse("The model streamed a tool call without the name of a tool.");
      }
    },
    get count() {
      return calls.length;
    },
    extras,
  };
}

/** Arguments as text; some servers send the object itself. */
export function readArguments(value: unknown): string {
  if (typeof value === "string") return value;
  return value === undefined || value === null ? "" : JSON.stringify(value);
}

function readPiece(entry: unknown): Piece {
  if (!isRecord(entry)) throw badResponse("The model streamed a tool call that is not an object.");
  const target: JsonRecord = isRecord(entry["function"]) ? entry["function"] : {};
  return {
    index: typeof entry["index"] === "number" ? entry["index"] : undefined,
    id: textOrNothing(entry["id"]),
    name: textOrNothing(target["name"]),
    text: readArguments(target["arguments"]),
  };
}

/** The call that a piece continues, or `undefined` when it starts one. */
function findCall(calls: readonly OpenCall[], piece: Piece): OpenCall | undefined {
  const atIndex = piece.index === undefined ? undefined : calls.findLast((call) => call.wireIndex === piece.index);
  if (piece.id === undefined) {
    const current = piece.index === undefined ? calls.at(-1) : atIndex;
    return current !== undefined && startsAnother(current, piece) ? undefined : current;
  }
  const sameId = calls.filter((call) => call.wireId === piece.id);
  const known = sameId.find((call) => call.wireIndex === piece.index) ?? sameId[0];
  // The same id at another index, with a name: a server that gives all its calls one id.
  const isElsewhere = piece.index !== undefined && piece.index !== known?.wireIndex;
  if (known !== undefined) return isElsewhere && piece.name !== undefined ? undefined : known;
  // An id that comes late, or a new one with every piece: only a name starts a call.
  if (piece.name === undefined) return piece.index === undefined ? calls.at(-1) : atIndex;
  return atIndex !== undefined && awaitsId(atIndex, piece.name) ? atIndex : undefined;
}

function awaitsId(call: OpenCall, name: string): boolean {
  return call.name === undefined || (call.wireId === undefined && call.text === "" && call.name === name);
}

/** Without an id, a name starts another call unless it only repeats that of a call that is still going on. */
function startsAnother(current: OpenCall, piece: Piece): boolean {
  if (piece.name === undefined || current.name === undefined) return false;
  if (piece.name !== current.name) return true;
  return piece.text !== "" && isRecord(tryParseJson(current.text));
}

function extend(call: OpenCall, piece: Piece, names: NameMap): ModelEvent[] {
  call.wireId ??= piece.id;
  call.text += piece.text;
  if (call.name !== undefined) {
    return piece.text === "" ? [] : [{ type: "toolCall", index: call.index, arguments: piece.text }];
  }
  if (piece.name === undefined) return [];
  call.name = piece.name;
  const start = { type: "toolCall", index: call.index, id: call.id, name: names.fromWire(piece.name) } as const;
  return [call.text === "" ? start : { ...start, arguments: call.text }];
}
