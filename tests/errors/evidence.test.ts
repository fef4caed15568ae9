import { describe, expect, it } from "vitest";
import { gatherEvidence, headerIn, requestIdIn } from "../../src/errors/evidence.ts";

const evidenceOf = (...foreign: object[]) => gatherEvidence({ foreign, own: [] });
const failed = (message: string, facts: object = {}) => Object.assign(new Error(message), facts);

describe("the evidence of a failure", () => {
  it("is nothing when no object was thrown", () => {
    expect(evidenceOf()).toEqual({
      facts: [],
      bodies: new Set(),
      status: undefined,
      words: [],
      names: [],
      text: "",
      headers: [],
    });
  });

  it("has of each error its names, its message and its code", () => {
    const error = failed("m", { name: "N", code: "C" });
    const bare = Object.create(null);
    const { facts, names } = evidenceOf(error, bare);
    expect(facts).toEqual([
      { value: error, names: ["N"], message: "m", code: "C" },
      { value: bare, names: [], message: "", code: "" },
    ]);
    expect(names).toEqual(["N"]);
  });

  it("takes only a text as the code of an error", () => {
    expect(evidenceOf({ code: ["ABORT_ERR"] }, { code: Symbol("x") }).facts.map(({ code }) => code)).toEqual(["", ""]);
  });

  it("has all sentences, a line each, those of the errors first", () => {
    const body = { message: "b", error: "e", details: "ds", detail: "d", rawMessage: "r" };
    expect(evidenceOf(failed("m", { data: body }), failed("inner")).text).toBe(
      ["m", "inner", "m", "b", "e", "ds", "d", "r", "inner"].join("\n"),
    );
  });

  it("leaves out sentences that are empty or no text", () => {
    expect(evidenceOf({ message: " ", error: 7, detail: null }).text).toBe("");
  });

  it("has the wait that stands in the details of Google's body, from the first eight of them", () => {
    const details = [{}, { retryDelay: "2s" }, ...Array.from({ length: 6 }, () => ({})), { retryDelay: "9s" }];
    expect(evidenceOf({ details }).text).toBe('\n"retryDelay":"2s"');
  });

  it("is at most 20,000 characters of a message and of all sentences", () => {
    const { facts, text } = evidenceOf(failed("a".repeat(30_000)), failed("b"));
    expect(facts[0]?.message).toHaveLength(20_000);
    expect(text).toHaveLength(20_000);
  });
});

describe("the words of a provider", () => {
  it("are its code, type, status and reasons, in that order", () => {
    const body = {
      code: "c",
      type: "t",
      status: "s",
      __type: "u",
      innererror: { code: "i" },
      details: [{ reason: "r" }, {}, null],
    };
    expect(evidenceOf(body).words).toEqual(["c", "t", "s", "u", "i", "r"]);
  });

  it("are one word each, of at most a hundred characters", () => {
    expect(evidenceOf({ code: "x".repeat(100), type: "two words", status: 7, __type: "" }).words).toEqual([
      "x".repeat(100),
    ]);
    expect(evidenceOf({ code: "x".repeat(101) }).words).toEqual([]);
  });
});

describe("the bodies of an answer", () => {
  it.each([
    ["error", (body: object) => ({ error: body })],
    ["data", (body: object) => ({ data: body })],
    ["response.data", (body: object) => ({ response: { data: body } })],
    ["the text of response.data", (body: object) => ({ response: { data: JSON.stringify(body) } })],
    ["responseBody", (body: object) => ({ responseBody: JSON.stringify(body) })],
    ["body", (body: object) => ({ body: JSON.stringify(body) })],
    ["the message", (body: object) => ({ message: `503 ${JSON.stringify(body)} (end)` })],
  ])("are found in %s", (_, wrap) => {
    const body = { code: "c" };
    const error = wrap(body);
    expect([...evidenceOf(error).bodies]).toEqual([error, body]);
  });

  it("are looked into for three errors inside each other", () => {
    const body = { code: "1", error: { code: "2", error: { code: "3", error: { code: "4" } } } };
    expect(evidenceOf({ data: body }).words).toEqual(["1", "2", "3"]);
  });

  it("count once, however often they are met", () => {
    const body = { code: "c" };
    expect(evidenceOf({ error: body, data: body }, body).words).toEqual(["c"]);
  });

  it("are read from JSON of up to 20,000 characters", () => {
    const json = (length: number) => `{"code":"c"}`.padEnd(length);
    expect(evidenceOf({ body: json(20_000) }).words).toEqual(["c"]);
    expect(evidenceOf({ body: json(20_001) }).words).toEqual([]);
  });

  it.each(["", "{", "}", "} {", "{x}", "no JSON", 7, null])("are not seen in %j", (body) => {
    expect(evidenceOf({ body }).bodies.size).toBe(1);
  });
});

describe("the status of a failure", () => {
  it.each([
    ["the first failure", [{ status: 200 }, { status: 400 }, { status: 503 }], 400],
    ["the first status when none failed", [{}, { status: 201 }, { status: 200 }], 201],
    ["the status before a numeric code", [{ code: 429, status: 503 }], 503],
    ["the numeric code of a body before a status that did not fail", [{ status: 200, error: { code: 400 } }], 400],
    ["the numeric code of the outermost body", [{ error: { code: 429 } }, { code: 500 }], 429],
    ["none for a numeric code below 400", [{ code: 399 }], undefined],
    ["none for a numeric code over 599", [{ code: 600 }], undefined],
  ])("is %s", (_, foreign, expected) => {
    expect(evidenceOf(...foreign).status).toBe(expected);
  });
});

describe("the headers of an answer", () => {
  it("are kept wherever SDKs put them, the outermost first", () => {
    const [a, b, c, d] = [{ a: "1" }, { b: "1" }, { c: "1" }, { d: "1" }];
    const outer = { headers: a, responseHeaders: b, response: { headers: c } };
    expect(evidenceOf(outer, { headers: d }, { headers: "text" }).headers).toEqual([a, b, c, d]);
  });

  it("are asked one after the other", () => {
    const evidence = evidenceOf(
      { headers: { other: "x" } },
      { headers: { "x-a": " 1 " } },
      { headers: { "x-a": "2" } },
    );
    expect(headerIn(evidence, "x-a")).toBe("1");
    expect(headerIn(evidence, "x-b")).toBeUndefined();
  });

  it("give the id of the request when no body has one", () => {
    const headers = { "apim-request-id": "header" };
    expect(requestIdIn(evidenceOf({ headers }))).toBe("header");
    expect(requestIdIn(evidenceOf({ headers }, { requestId: "body" }))).toBe("body");
    expect(requestIdIn(evidenceOf({}))).toBeUndefined();
  });
});
