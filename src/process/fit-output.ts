/**
 * Fits what a command wrote into what a model should read: the start, the end, and a count between.
 *
 * Floor 2 (process).
 */
import { omissionMarker } from "./capture.ts";
import { cleanOutput } from "./clean-output.ts";

/** The start says what a command does, the end how it went. */
const HEAD_SHARE = 0.2;

/** The least part of the room that stderr can count on. */
const STDERR_SHARE = 1 / 3;

/** One stream, cleaned. Without `tail` nothing was left out yet. */
export interface OutputText {
  readonly head: string;
  readonly tail?: string | undefined;
  readonly omittedBytes: number;
}

/** Cleans the text of a capture, keeping apart what stands before and after its gap. */
export function outputText(text: string, omittedBytes: number): OutputText {
  const marker = `\n${omissionMarker(omittedBytes)}\n`;
  const gap = omittedBytes > 0 ? text.indexOf(marker) : -1;
  if (gap < 0) return { head: cleanOutput(text), omittedBytes };
  return {
    head: cleanOutput(text.slice(0, gap)),
    tail: cleanOutput(text.slice(gap + marker.length)),
    omittedBytes,
  };
}

/** Shares `room` characters between both streams: stderr gets a third if it needs it, each gets what the other leaves. */
export function shareRoom(stdoutChars: number, stderrChars: number, room: number): { stdout: number; stderr: number } {
  const guaranteed = Math.floor(room * STDERR_SHARE);
  const stderr = Math.min(stderrChars, Math.max(guaranteed, room - stdoutChars));
  return { stdout: room - stderr, stderr };
}

/** How many characters the text has with nothing more left out. */
export function outputLength({ head, tail, omittedBytes }: OutputText): number {
  return tail === undefined ? head.length : head.length + tail.length + omissionMarker(omittedBytes).length + 2;
}

/** Shortens the text to at most `room` characters, marker included. Never splits a character. */
export function fitOutput(output: OutputText, room: number): { text: string; cut: boolean } {
  const { head, tail } = output;
  if (outputLength(output) <= room) return { text: whole(output), cut: tail !== undefined };
  // As long as the marker can become: every byte of it counted.
  const markerRoom = omissionMarker(output.omittedBytes + 4 * outputLength(output)).length + 2;
  const free = Math.max(0, room - markerRoom);
  const end = tail ?? head;
  // Room that a short start leaves goes to the end, and the other way round.
  const headRoom = Math.max(Math.floor(free * HEAD_SHARE), free - end.length);
  const start = cutTo(head, headRoom, "start");
  const rest = cutTo(end, Math.max(0, free - Math.min(headRoom, start.length)), "end");
  const dropped = output.omittedBytes + byteLength(head) + (tail === undefined ? 0 : byteLength(tail));
  const omitted = dropped - byteLength(start) - byteLength(rest);
  return { text: `${start}\n${omissionMarker(omitted)}\n${rest}`, cut: true };
}

function whole({ head, tail, omittedBytes }: OutputText): string {
  return tail === undefined ? head : `${head}\n${omissionMarker(omittedBytes)}\n${tail}`;
}

/** Keeps whole lines where that costs at most a fifth of the room. */
function cutTo(text: string, room: number, keep: "start" | "end"): string {
  if (text.length <= room) return text;
  if (room === 0) return "";
  const slack = Math.floor(room / 5);
  if (keep === "start") {
    const newline = text.lastIndexOf("\n", room);
    return newline >= room - slack && newline > 0 ? text.slice(0, newline) : withoutHalf(text.slice(0, room));
  }
  const from = text.length - room;
  const newline = text.indexOf("\n", from - 1);
  const near = newline >= 0 && newline <= from + slack && newline < text.length - 1;
  return near ? text.slice(newline + 1) : withoutHalf(text.slice(from));
}

/** Drops half a surrogate pair at either end. */
function withoutHalf(text: string): string {
  return text.replace(/^[\uDC00-\uDFFF]|[\uD800-\uDBFF]$/g, "");
}

function byteLength(text: string): number {
  return Buffer.byteLength(text);
}
