import { readFileSync } from "node:fs";
import { modelContract } from "harness-kit/testing";
import { describe, expect, it } from "vitest";
import { myModel } from "./own-adapter.ts";
import { myStreamingModel } from "./own-stream.ts";

describe("the adapter of docs/models.md", () => {
  modelContract(myModel, { it, expect, streams: false });

  describe("with streams", () => {
    modelContract(myStreamingModel, { it, expect });
  });

  it.each(["own-adapter.ts", "own-stream.ts"])("stands there word for word: %s", (file) => {
    const [, ...code] = readFileSync(new URL(file, import.meta.url), "utf8").split("\n");
    const page = readFileSync(new URL("../../docs/models.md", import.meta.url), "utf8");
    expect(page).toContain(code.join("\n").replaceAll("./own-adapter.ts", "./my-model.ts").trim());
  });
});
