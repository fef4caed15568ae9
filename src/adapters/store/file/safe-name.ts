/**
 * Turns any id into a file name.
 *
 * Wing (store). Two ids never share a name, also where the file system ignores case; no id leaves its folder.
 */
import { createHash } from "node:crypto";

const PLAIN = /^[a-z0-9][a-z0-9_-]{0,63}$/;

/** Devices on Windows, with any ending. @see https://learn.microsoft.com/windows/win32/fileio/naming-a-file */
const RESERVED = /^(?:con|prn|aux|nul|com\d|lpt\d)$/;

const SHOWN_CHARS = 24;

/** The id itself where it is a plain lower-case name, else its readable characters and a hash of all of it. */
export function safeName(id: string): string {
  if (PLAIN.test(id) && !RESERVED.test(id)) return id;
  const shown = id
    .slice(0, SHOWN_CHARS)
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "_");
  // Over UTF-16: in UTF-8 all lone surrogates would be the same.
  const hash = createHash("sha256").update(id, "utf16le").digest("hex").slice(0, 32);
  return `${shown}~${hash}`;
}
