import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileStore, memoryStore } from "harness-kit/store";
import { storeContract } from "harness-kit/testing";
import { describe, expect, it } from "vitest";

describe("memoryStore", () => {
  storeContract(() => ({ store: memoryStore() }), { it, expect });
});

describe.each(["process", "system"] as const)("fileStore with %s durability", (durability) => {
  storeContract(
    () => {
      const folder = mkdtempSync(join(tmpdir(), "harness-kit-store-"));
      const open = () => fileStore(folder, { durability });
      return { store: open(), reopen: open, dispose: () => rmSync(folder, { recursive: true }) };
    },
    { it, expect },
  );
});
