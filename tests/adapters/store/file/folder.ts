/**
 * A folder for the stores of a test file, and what lies in it.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { type FileStoreOptions, fileStore } from "harness-kit/store";
import { afterAll } from "vitest";
import type { AgentRun } from "../../../../src/contract/run.ts";
import type { JournalEntry, SessionRecord } from "../../../../src/contract/store.ts";
import { isHarnessError } from "../../../../src/errors/index.ts";

const all = mkdtempSync(join(tmpdir(), "harness-kit-files-"));
afterAll(() => rmSync(all, { recursive: true, force: true }));

/** A fresh folder that ends with the test file. */
export function freshFolder(): string {
  return mkdtempSync(join(all, "f-"));
}

/** A store in a fresh folder. */
export function freshStore(options?: FileStoreOptions) {
  const folder = freshFolder();
  return { folder, store: fileStore(folder, options), path: (...parts: string[]) => join(folder, ...parts) };
}

/** All files below a folder, in order. */
export function filesIn(folder: string): string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => !entry.isDirectory())
    .map((entry) => relative(folder, join(entry.parentPath ?? entry.path, entry.name)))
    .sort();
}

/** Writes a file anew. Taken away first: some file systems wait for the disk when a file is made empty. */
export function put(path: string, bytes: Uint8Array | string): void {
  rmSync(path, { force: true });
  writeFileSync(path, bytes);
}

/** Writes a file anew as `change` makes it of what it is. */
export function rewrite(path: string, change: (bytes: Buffer) => Uint8Array): void {
  put(path, change(readFileSync(path)));
}

/** What a promise gives, or the code and message of the error of the context that it rejects with. */
export async function outcomeOf<T>(promise: Promise<T>): Promise<{ value: T } | { code: string; message: string }> {
  try {
    return { value: await promise };
  } catch (error) {
    if (isHarnessError(error, "context")) return { code: error.code, message: error.message };
    throw error;
  }
}

/** A journal with text in several scripts. */
export const ENTRIES: readonly JournalEntry[] = [
  {
    type: "run:start",
    schemaVersion: 1,
    at: 1_000,
    input: "né 😀",
    messages: [{ role: "user", content: "né 😀" }],
  },
  { type: "effect:start", key: "1/model", at: 1_001 },
  { type: "effect:end", key: "1/model", at: 1_002, value: { content: "#cut\n", toolCalls: [] } },
  { type: "effect:start", key: "1/tool/call_7", at: 1_003 },
];

/** A record with text in several scripts. */
export const RUN: AgentRun = {
  schemaVersion: 1,
  id: "r1",
  input: "né 😀",
  status: "completed",
  stopReason: "finished",
  answer: "工",
  history: [
    { role: "user", content: "né 😀" },
    { role: "assistant", content: "工" },
  ],
  steps: [{ type: "finish", index: 0, startedAt: 1_000, durationMs: 5, stopReason: "finished", answer: "工" }],
  iterations: 1,
  startedAt: 1_000,
  endedAt: 1_005,
  usage: { inputTokens: 1, outputTokens: 2 },
};

/** A session. */
export const SESSION: SessionRecord = {
  schemaVersion: 1,
  id: "s1",
  title: "né 😀",
  createdAt: 1,
  updatedAt: 2,
  runIds: ["r1"],
};
