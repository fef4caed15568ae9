/**
 * Claims on the disk: one file for each key, made once.
 *
 * Wing (store).
 */
import { toText } from "../records/json-text.ts";
import { checkedLine, openPart, splitLines } from "./checked-line.ts";
import type { Disk } from "./disk.ts";
import { storeDamaged } from "./failures.ts";
import { createOnce, readWhole } from "./files.ts";

interface Claim {
  readonly key: string;
  readonly holder: string;
}

/** Whether the holder has the key, which it takes when nobody has. @throws ContextError CONTEXT_STORE_DAMAGED. */
export async function claimKey(disk: Disk, path: string, claim: Claim): Promise<boolean> {
  if (await createOnce(disk, path, checkedLine("claim", toText(claim, "a claim")))) return true;
  const { lines } = splitLines(readWhole(path) ?? Buffer.alloc(0));
  const kept = openPart<Claim>(lines[0], "claim");
  if (kept === undefined) throw storeDamaged(path, "its checksum does not fit, so that nobody knows who has the key.");
  if (kept.key !== claim.key) throw storeDamaged(path, `it is that of ${JSON.stringify(kept.key)}.`);
  return kept.holder === claim.holder;
}
