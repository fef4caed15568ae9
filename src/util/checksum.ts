/**
 * A checksum against damage, not against forgery: CRC-32 (IEEE 802.3) over UTF-8.
 *
 * Floor 0 (util). Finds every single flipped bit and every burst up to 32 bits.
 */

let table: Uint32Array | undefined;

function crcTable(): Uint32Array {
  return Uint32Array.from({ length: 256 }, (_, index) => {
    let value = index;
    for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
    return value >>> 0;
  });
}

/** The checksum as eight hexadecimal digits. */
export function crc32(text: string): string {
  table ??= crcTable();
  let crc = 0xffffffff;
  for (const byte of new TextEncoder().encode(text)) crc = (crc >>> 8) ^ (table[(crc ^ byte) & 0xff] ?? 0);
  return ((crc ^ 0xffffffff) >>> 0).toString(16).padStart(8, "0");
}
