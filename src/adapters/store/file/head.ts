/**
 * The first line of a file: what it is, whose it is, and what a list shows of it.
 *
 * Wing (store).
 */
import { closeSync, openSync, readSync } from "node:fs";
import { checkVersion } from "../records/check-version.ts";
import { toText } from "../records/json-text.ts";
import { checkedLine, openPart } from "./checked-line.ts";
import { isAbsent, storeDamaged } from "./failures.ts";
import { FORM_VERSION } from "./layout.ts";

/** What a head says. */
export interface Head<Summary = unknown> {
  readonly form: number;
  readonly id: string;
  readonly summary?: Summary | undefined;
}

/** Writes the first line of a file. */
export function headLine(id: string, summary: unknown): string {
  const head: Head = { form: FORM_VERSION, id, summary };
  return checkedLine("head", toText(head, `the head of ${id}`));
}

/**
 * Reads a head from a line.
 *
 * @throws ContextError CONTEXT_STORE_DAMAGED, or CONTEXT_SNAPSHOT_VERSION for a file of a newer form.
 */
export function openHead(line: Buffer, path: string, number = 1): Head {
  const head = openPart<Head>(line, "head");
  if (head === undefined) {
    throw storeDamaged(path, "its checksum does not fit, or it is no line of such a file.", { line: number });
  }
  checkVersion(head.form, FORM_VERSION, `The file ${path}`);
  return head;
}

/** @throws ContextError CONTEXT_STORE_DAMAGED when the file is that of another id. */
export function checkOwner(head: Head, id: string, path: string): void {
  if (head.id === id) return;
  throw storeDamaged(path, `it is that of ${JSON.stringify(head.id)}, not of ${JSON.stringify(id)}.`);
}

const FIRST_READ_BYTES = 4096;

/** The head of a file, without reading the rest of it; `undefined` when there is no such file. */
export function readHead(path: string): Head | undefined {
  const line = firstLineOf(path);
  return line === undefined ? undefined : openHead(line, path);
}

function firstLineOf(path: string): Buffer | undefined {
  let file: number;
  try {
    file = openSync(path, "r");
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw error;
  }
  try {
    return readLine(file);
  } finally {
    closeSync(file);
  }
}

/** Reads up to the first line end; a file without one gives a line that no checksum fits. */
function readLine(file: number): Buffer {
  let bytes = Buffer.alloc(FIRST_READ_BYTES);
  let length = 0;
  for (;;) {
    const count = readSync(file, bytes, length, bytes.length - length, length);
    const end = bytes.subarray(length, length + count).indexOf(0x0a);
    if (end !== -1) return bytes.subarray(0, length + end);
    if (count === 0) return bytes.subarray(0, 0);
    length += count;
    if (length === bytes.length) bytes = Buffer.concat([bytes, Buffer.alloc(bytes.length)]);
  }
}
