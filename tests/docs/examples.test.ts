import { describe, expect, it } from "vitest";
import { type Example, pageExamples, sourceExamples, uncheckedExamples } from "./collect-examples.ts";
import { compileExamples } from "./compile-examples.ts";

const sources = sourceExamples();
const pages = pageExamples();
const wrong: Example[] = [
  { place: "an option that does not exist", code: "createRuntime({ model, maxTurns: 3 });" },
  { place: "a name that nobody declares", code: 'await runtime.run("Hello", { signal: sgnal });' },
  { place: "an import that is left out", code: 'import { defineTool } from "harness-kit";\ncreateRuntime({ model });' },
  { place: "code that is cut off", code: "createRuntime({ model" },
];
const problems = compileExamples([...sources, ...pages, ...wrong]);

describe("the examples", () => {
  it.each([...sources, ...pages].map(({ place }) => place))("at %s compiles", (place) => {
    expect(problems.get(place)).toEqual([]);
  });

  it.each(wrong.map(({ place }) => place))("are refused for %s", (place) => {
    expect(problems.get(place)).not.toEqual([]);
  });

  it("are there in number, in the sources and on the pages", () => {
    expect(sources.length).toBeGreaterThan(40);
    expect(pages.length).toBeGreaterThan(20);
  });

  it("are left unchecked only where another test holds them word for word", () => {
    expect(uncheckedExamples().map(({ code }) => /export const (\w+)/.exec(code)?.[1])).toEqual(["myStreamingModel"]);
  });
});
