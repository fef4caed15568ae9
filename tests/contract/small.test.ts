import { describe, expect, it } from "vitest";
import { z } from "zod";
import { defineTool } from "../../src/contract/define-tool.ts";
import { contentText } from "../../src/contract/message.ts";
import { nameOf } from "../../src/contract/model.ts";

describe("defineTool", () => {
  it("returns the tool itself", () => {
    const tool = { name: "t", description: "d", parameters: z.object({}), execute: () => 1 };
    expect(defineTool(tool)).toBe(tool);
  });
});

describe("contentText", () => {
  it("joins the text of all parts and leaves images out", () => {
    expect(contentText("as it is")).toBe("as it is");
    expect(
      contentText([
        { type: "text", text: "a" },
        { type: "image", url: "https://a.b/c.png" },
        { type: "text", text: "b" },
      ]),
    ).toBe("a\nb");
    expect(contentText([])).toBe("");
  });
});

describe("nameOf", () => {
  it("calls a model without a name a model", () => {
    const generate = async () => ({ content: "", toolCalls: [] });
    expect(nameOf({ generate })).toBe("model");
    expect(nameOf({ generate, name: "gpt" })).toBe("gpt");
  });
});
