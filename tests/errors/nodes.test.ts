import { describe, expect, it } from "vitest";
import { ModelError } from "../../src/errors/index.ts";
import { collectNodes } from "../../src/errors/nodes.ts";

describe("the errors inside an error", () => {
  it("are found through every link, the outermost first", () => {
    const deep = { id: "deep" };
    const [a, b, c, d] = [{ cause: deep }, { id: "b" }, { id: "c" }, { id: "d" }];
    const root = { reason: d, originalError: c, lastError: b, cause: a };
    expect(collectNodes(root)).toEqual({ foreign: [root, a, b, c, d, deep], own: [] });
  });

  it("are none in what is no object", () => {
    expect(collectNodes("text")).toEqual({ foreign: [], own: [] });
    expect(collectNodes(undefined)).toEqual({ foreign: [], own: [] });
  });

  it("count once, also when they lead back to themselves", () => {
    const a: Record<string, unknown> = {};
    const b = { cause: a, lastError: a };
    a["cause"] = b;
    expect(collectNodes(a).foreign).toEqual([a, b]);
  });

  it("are kept apart from errors of ours, which are not looked into", () => {
    const own = new ModelError("x", { cause: { id: "inside" } });
    const root = { cause: own };
    expect(collectNodes(root)).toEqual({ foreign: [root], own: [own] });
  });

  it("are followed eight deep", () => {
    let chain: object = {};
    for (let depth = 0; depth < 12; depth++) chain = { cause: chain };
    expect(collectNodes(chain).foreign).toHaveLength(9);
  });

  it("are sixteen at most", () => {
    const bush = (depth: number): object =>
      depth === 0 ? {} : { cause: bush(depth - 1), lastError: bush(depth - 1), reason: bush(depth - 1) };
    expect(collectNodes(bush(4)).foreign).toHaveLength(16);
  });
});
