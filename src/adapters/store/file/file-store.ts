/**
 * A store in a folder: what is in it outlives the process, and several processes may use it at once.
 *
 * Wing (store, Node).
 */
import type { Store } from "../../../contract/store.ts";
import { misuse } from "../../../util/misuse.ts";
import { quoteValue } from "../../../util/text.ts";
import { checkId } from "../records/check-id.ts";
import { claimKey } from "./claim.ts";
import { createDisk, type Durability } from "./disk.ts";
import { onDisk } from "./failures.ts";
import { fileRuns } from "./file-runs.ts";
import { fileSessions } from "./file-sessions.ts";
import { layoutOf } from "./layout.ts";
import { takeLock } from "./lock.ts";

/** What {@link fileStore} takes beside its folder. */
export interface FileStoreOptions {
  /**
   * What survives once a method has resolved. "process": the end of the process, `kill -9` included; what the
   * system had not yet written is lost when the machine loses power. "system": that, too, at the price of
   * waiting for the disk at each call. @defaultValue "process"
   */
  readonly durability?: Durability | undefined;
}

/**
 * Makes a store in a folder, which is made when it is first written to. Only the user of this process can
 * read what is in it.
 *
 * @param folder - On a local file system; on a shared one, see docs/records.md.
 * @throws TypeError RUNTIME_INVALID_CONFIG for a folder that is no path and for an unknown durability.
 * @example
 * const runtime = createRuntime({ model, store: fileStore(".harness-kit") });
 */
export function fileStore(folder: string, options: FileStoreOptions = {}): Store {
  if (typeof folder !== "string" || folder === "" || folder.includes("\0")) {
    throw misuse(`fileStore takes the path of a folder, such as fileStore(".harness-kit"), got ${quoteValue(folder)}.`);
  }
  const { durability = "process" } = options;
  if (durability !== "process" && durability !== "system") {
    throw misuse(`fileStore: \`durability\` must be "process" or "system", got ${quoteValue(durability)}.`);
  }
  const layout = layoutOf(folder);
  const disk = createDisk(layout.temps, durability);
  return {
    ...fileRuns(layout, disk),
    ...fileSessions(layout, disk),
    async claim(key, holder) {
      checkId(key, "A key");
      checkId(holder, "A holder");
      const path = layout.claim(key);
      return onDisk("write", path, () => claimKey(disk, path, { key, holder }));
    },
    async lock(name) {
      checkId(name, "The name of a lock");
      const path = layout.lock(name);
      const unlock = await onDisk("write", path, () => takeLock(disk, path, name));
      return unlock && (() => onDisk("delete", path, unlock));
    },
  };
}
