/**
 * A context as plain JSON that can be stored, with a checksum that finds damage.
 *
 * Floor 4 (context).
 */
import type { Message } from "../contract/message.ts";
import { ContextError } from "../errors/index.ts";
import { crc32 } from "../util/checksum.ts";
import { canonicalJson, type JsonValue } from "../util/json.ts";
import { quoteValue } from "../util/text.ts";
import { normalizeMessage } from "./normalize.ts";

/** The version of the snapshot's form. */
export const SNAPSHOT_VERSION = 1;

/** What `AgentContext.snapshot()` gives. Fields beyond these are ignored by `restore`. */
export interface ContextSnapshot {
  readonly schemaVersion: number;
  readonly messages: readonly Message[];
  /** CRC-32 over the version and the messages in canonical form. */
  readonly checksum: string;
}

/** Makes a snapshot of messages that are frozen already. */
export function snapshotOf(messages: readonly Message[]): ContextSnapshot {
  return Object.freeze({
    schemaVersion: SNAPSHOT_VERSION,
    messages,
    checksum: checksumOf(SNAPSHOT_VERSION, messages),
  });
}

/**
 * Reads the messages of a snapshot, given as an object or as its JSON text; they come back normal and frozen.
 *
 * @throws ContextError CONTEXT_SNAPSHOT_VERSION for a newer form, CONTEXT_SNAPSHOT_INVALID for all else.
 */
export function readSnapshot(snapshot: unknown): readonly Message[] {
  const value = typeof snapshot === "string" ? parse(snapshot) : snapshot;
  if (typeof value !== "object" || value === null) {
    throw invalidSnapshot(
      `A snapshot must be what AgentContext.snapshot() gave, or its JSON text, got ${quoteValue(value)}.`,
    );
  }
  const { schemaVersion, messages, checksum } = value as Partial<ContextSnapshot>;
  checkVersion(schemaVersion);
  if (!Array.isArray(messages))
    throw invalidSnapshot(`The snapshot has no list of messages, got ${quoteValue(messages)}.`);
  const read = Array.from(messages, (message) => normalizeMessage(message));
  // Checked over what was read, not over what was given: what fits is the context that was stored.
  if (checksum !== checksumOf(SNAPSHOT_VERSION, read)) {
    throw invalidSnapshot("The snapshot is damaged: its checksum does not fit its messages. Restore an older one.");
  }
  return read;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw invalidSnapshot("The snapshot is not valid JSON: it was cut or damaged. Restore an older one.", error);
  }
}

function checkVersion(version: unknown): void {
  if (version === SNAPSHOT_VERSION) return;
  if (typeof version === "number" && Number.isInteger(version) && version > SNAPSHOT_VERSION) {
    throw new ContextError(
      `The snapshot has version ${version}, this package reads up to ${SNAPSHOT_VERSION}. Update harness-kit to restore it.`,
      { code: "CONTEXT_SNAPSHOT_VERSION" },
    );
  }
  throw invalidSnapshot(
    `The snapshot has the version ${quoteValue(version)}; this package reads version ${SNAPSHOT_VERSION}.`,
  );
}

/** Takes messages that are normal, and so plain JSON. */
function checksumOf(version: number, messages: readonly Message[]): string {
  return crc32(`${version}\n${messages.map((message) => canonicalJson(message as unknown as JsonValue)).join("\n")}`);
}

/** The error for a snapshot that is no whole and unchanged one. */
export function invalidSnapshot(message: string, cause?: unknown): ContextError {
  return new ContextError(message, { code: "CONTEXT_SNAPSHOT_INVALID", ...(cause !== undefined && { cause }) });
}
