/**
 * Reads an open file piece by piece.
 *
 * Wing (adapters). Node only.
 */
import type { FileHandle } from "node:fs/promises";

const CHUNK_BYTES = 128 * 1024;

/** The bytes of a file from its start, at most `maxBytes` of them. */
export async function* readChunks(
  handle: FileHandle,
  signal: AbortSignal,
  maxBytes = Number.POSITIVE_INFINITY,
): AsyncGenerator<Buffer> {
  for (let position = 0; position < maxBytes; ) {
    signal.throwIfAborted();
    const buffer = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, maxBytes - position));
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, position);
    if (bytesRead === 0) return;
    position += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

/** All bytes of a file; `undefined` when there are more than `maxBytes`, also when it grows meanwhile. */
export async function readWhole(
  handle: FileHandle,
  signal: AbortSignal,
  maxBytes: number,
): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of readChunks(handle, signal, maxBytes + 1)) {
    chunks.push(chunk);
    length += chunk.length;
  }
  return length > maxBytes ? undefined : Buffer.concat(chunks, length);
}
