/**
 * A document on the disk: a head and a body, in two lines, put in place of the one before as a whole.
 *
 * Wing (store). A list reads the heads only.
 */
import { checkVersion } from "../records/check-version.ts";
import { toText } from "../records/json-text.ts";
import { checkedLine, openPart, splitLines } from "./checked-line.ts";
import type { Disk } from "./disk.ts";
import { storeDamaged } from "./failures.ts";
import { readWhole, replaceFile } from "./files.ts";
import { checkOwner, headLine, openHead } from "./head.ts";

/** What is kept as a document. */
export interface DocumentKind {
  /** The name of the body in its line. */
  readonly name: "run" | "session";
  /** The newest version that this package reads. */
  readonly version: number;
}

/** A document has an id and a version of its own. */
interface Versioned {
  readonly id: string;
  readonly schemaVersion: number;
}

/** Writes a document in place of the one before. */
export async function writeDocument(
  disk: Disk,
  path: string,
  { kind, body, summary }: { readonly kind: DocumentKind; readonly body: Versioned; readonly summary: unknown },
): Promise<void> {
  const text = headLine(body.id, summary) + checkedLine(kind.name, toText(body, `the ${kind.name} ${body.id}`));
  await replaceFile(disk, path, text);
}

/**
 * Reads a document; `undefined` when there is none.
 *
 * @throws ContextError CONTEXT_STORE_DAMAGED, CONTEXT_SNAPSHOT_VERSION.
 */
export function readDocument(path: string, kind: DocumentKind, id: string): Versioned | undefined {
  const bytes = readWhole(path);
  if (bytes === undefined) return undefined;
  const { lines, rest } = splitLines(bytes);
  const [first, second] = lines;
  if (first === undefined) throw storeDamaged(path, "it was cut in its first line.");
  checkOwner(openHead(first, path), id, path);
  if (second === undefined || lines.length > 2 || rest.length > 0) {
    throw storeDamaged(path, `it must have two whole lines and nothing more, and has ${lines.length}.`);
  }
  const body = openPart<Versioned>(second, kind.name);
  if (body === undefined) throw storeDamaged(path, "its checksum does not fit.", { line: 2 });
  checkVersion(body.schemaVersion, kind.version, `The ${kind.name} in ${path}`);
  return body;
}
