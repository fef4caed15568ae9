/**
 * Writes a result as the text that a model reads: the evidence first, the status line last.
 *
 * Floor 2 (process).
 */
import { clipEnd, formatCount } from "../util/text.ts";
import { fitOutput, type OutputText, outputLength, outputText, shareRoom } from "./fit-output.ts";
import type { CaptureInfo, ProcessResult } from "./result.ts";
import { formatBytes, statusLine } from "./status-line.ts";

/** What {@link describeProcess} takes beside the result. */
export interface DescribeOptions {
  /** Most characters of the whole text. The status line is never cut. @defaultValue 30_000 */
  maxChars?: number | undefined;
}

/** How long the text of a command may be where nobody says otherwise. */
export const DEFAULT_MAX_CHARS = 30_000;

const STDERR_LABEL = "[stderr] ";

/**
 * Describes how a command ended, for a model: stdout, then `[stderr] …`, then what there is to say
 * about the outcome in brackets. Terminal escapes are stripped, a long output keeps its start and end.
 *
 * @example
 * describeProcess(runProcessSync("grep", ["needle", "hay.txt"])); // "[exit code 1: no lines matched]"
 */
export function describeProcess(result: ProcessResult, options: DescribeOptions = {}): string {
  const stdout = readable(result.stdout, result.capture.stdout);
  const stderr = readable(result.stderr, result.capture.stderr);
  const notes = notesOf(result);
  // Room for the notes that say a stream was cut is kept free, needed or not.
  const cutNotes = {
    stdout: cutNote("stdout", result.capture.stdout),
    stderr: cutNote("stderr", result.capture.stderr),
  };
  const spare = cutNotes.stdout.length + cutNotes.stderr.length + STDERR_LABEL.length + 8;
  const fixed = notes.join("\n").length + spare;
  const room = Math.max(0, (options.maxChars ?? DEFAULT_MAX_CHARS) - fixed);
  const share = shareRoom(outputLength(stdout), outputLength(stderr), room);
  const out = fitOutput(stdout, share.stdout);
  const err = fitOutput(stderr, share.stderr);
  const cuts = [...(out.cut ? [cutNotes.stdout] : []), ...(err.cut ? [cutNotes.stderr] : [])];
  const parts = [out.text, err.text === "" ? "" : `${STDERR_LABEL}${err.text}`, ...cuts, ...notes];
  const text = joinLines(parts);
  // Providers refuse a message of white space only.
  return text.trim() === "" ? "(no output)" : text;
}

function readable(text: string, { binary, bytes, omittedBytes, spillFile }: CaptureInfo): OutputText {
  const place = spillFile === undefined ? "" : `, saved as ${spillFile}`;
  return binary
    ? { head: `[binary output, ${formatCount(bytes)} bytes${place}]`, omittedBytes: 0 }
    : outputText(text, omittedBytes);
}

function cutNote(stream: "stdout" | "stderr", { bytes, spillFile, spillError }: CaptureInfo): string {
  const size = `${stream} had ${formatCount(bytes)} bytes`;
  if (spillFile !== undefined) return `[${size}; all of it is in ${spillFile}]`;
  const failure = spillError === undefined ? "" : ` and could not be saved (${clipEnd(spillError, 200)})`;
  return `[${size}${failure}; to see what is left out, use head, tail or grep]`;
}

/** What stands after the output, the status line last. */
function notesOf(result: ProcessResult): string[] {
  const notes: string[] = [];
  if (result.status === "completed") {
    if (result.errno === "ENOBUFS") {
      const bytes = Math.max(result.capture.stdout.bytes, result.capture.stderr.bytes);
      notes.push(`[output was cut off at the limit of ${formatBytes(bytes)}]`);
    }
    if (result.background === "killed") notes.push(result.sandbox === undefined ? BACKGROUND_KILLED : ALL_KILLED);
    if (result.background === "left") notes.push("[a background process is still running]");
  }
  const status = statusLine(result);
  return status === undefined ? notes : [...notes, status];
}

const BACKGROUND_KILLED =
  "[a background process was still running and was killed; redirect its output and use setsid to keep it: setsid command >log 2>&1 &]";

/** In a sandbox there is no way to keep it. */
const ALL_KILLED = "[a background process was still running and was killed with the command]";

/** Joins with one line break where there is none yet. */
function joinLines(parts: readonly string[]): string {
  return parts
    .filter((part) => part !== "")
    .reduce((text, part) => (text === "" || text.endsWith("\n") ? text + part : `${text}\n${part}`), "");
}
