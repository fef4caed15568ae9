import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

const read = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), "utf8");

/** The names of all fields of the types in a file. */
function fieldsIn(source: string): string[] {
  const text = source.replace(/\/\*[\s\S]*?\*\//g, "");
  return [...new Set([...text.matchAll(/readonly (\w+)\??:/g)].map((match) => match[1] ?? ""))];
}

describe("docs/records.md", () => {
  it.each(["src/contract/run.ts", "src/contract/message.ts", "src/contract/store.ts"])(
    "names every field of %s",
    (path) => {
      const page = read("docs/records.md");
      expect(fieldsIn(read(path)).filter((field) => !new RegExp(`\\b${field}\\b`).test(page))).toEqual([]);
    },
  );
});
