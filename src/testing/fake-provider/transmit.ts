/**
 * Sends a body over a socket, faithfully or with scripted faults, byte by byte where asked.
 *
 * Testing (Node).
 */
import type { ServerResponse } from "node:http";
import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import type { FakeEvent } from "./dialect.ts";
import type { FakeCut, FakeTransport } from "./reply.ts";

/** A body in the pieces in which it is written. */
export interface Payload {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly pieces: readonly Buffer[];
}

/** Writes events as an event stream, with the line ends and comments that `transport` asks for. */
export function encodeEvents(events: readonly FakeEvent[], transport: FakeTransport): Buffer[] {
  const lineEnd = transport.lineEnd ?? "\n";
  return events.map(({ event, data }) => {
    const text = typeof data === "string" ? data : JSON.stringify(data);
    const lines = [
      ...(transport.comments === true ? [": keep-alive", ""] : []),
      ...(event === undefined ? [] : [`event: ${event}`]),
      ...text.split("\n").map((line) => `data: ${line}`),
      "",
      "",
    ];
    return Buffer.from(lines.join(lineEnd));
  });
}

/** Sends one answer. Resolves when everything that will be sent was sent; a client that left ends it. */
export async function transmit(
  response: ServerResponse,
  payload: Payload,
  { transport, signal }: { readonly transport: FakeTransport; readonly signal: AbortSignal },
): Promise<void> {
  await pause(transport.headerDelayMs ?? 0, signal);
  response.writeHead(payload.status, payload.headers);
  response.flushHeaders();
  const whole = Buffer.concat([
    ...(transport.bom === true ? [Buffer.from([0xef, 0xbb, 0xbf])] : []),
    ...payload.pieces,
  ]);
  const cut = transport.cut;
  const sent = cut === undefined ? whole : whole.subarray(0, cut.afterBytes);
  for (const piece of splitAt(sent, positions(transport, payload.pieces, sent.length))) {
    if (response.destroyed) return;
    await write(response, piece);
    // A turn at least, so that a client in the same process reads piece by piece.
    await nextTurn();
    await pause(transport.pieceDelayMs ?? 0, signal);
  }
  if (cut === undefined) response.end();
  else breakOff(response, cut.how);
}

/** Ends a connection the hard way; "stall" leaves it open until the client or the provider closes it. */
export function breakOff(response: ServerResponse, how: FakeCut["how"]): void {
  if (how === "end") response.end();
  if (how === "fin") response.socket?.destroySoon();
  if (how === "reset") response.socket?.resetAndDestroy();
}

function positions(transport: FakeTransport, pieces: readonly Buffer[], length: number): number[] {
  const { split } = transport;
  if (Array.isArray(split)) return split;
  if (typeof split === "number") return Array.from({ length: Math.floor(length / split) }, (_, i) => (i + 1) * split);
  let end = transport.bom === true ? 3 : 0;
  return pieces.map((piece) => {
    end += piece.length;
    return end;
  });
}

function splitAt(bytes: Buffer, ends: readonly number[]): Buffer[] {
  const inside = [...new Set(ends)].filter((end) => end > 0 && end < bytes.length).sort((a, b) => a - b);
  const borders = [0, ...inside, bytes.length];
  return borders.slice(1).map((end, index) => bytes.subarray(borders[index], end));
}

function write(response: ServerResponse, piece: Buffer): Promise<void> {
  if (piece.length === 0) return Promise.resolve();
  // A client that hangs up makes the write fail; that is its right, and no error of the provider.
  return new Promise((resolve) => response.write(piece, () => resolve()));
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (ms > 0) await sleep(ms, undefined, { signal }).catch(() => {});
}
