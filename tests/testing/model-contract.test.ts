import { readFileSync } from "node:fs";
import { modelContract } from "harness-kit/testing";
import { describe, expect, it } from "vitest";
import { myModel } from "./own-adapter.ts";

describe("the adapter of docs/models.md", () => {
  modelContract(myModel, { it, expect, streams: false });

  it("stands there word for word", () => {
    const [, ...code] = readFileSync(new URL("own-adapter.ts", import.meta.url), "utf8").split("\n");
    const page = readFileSync(new URL("../../docs/models.md", import.meta.url), "utf8");
    expect(page).toContain(code.join("\n").trim());
  });
});
