import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const SOURCE = fileURLToPath(new URL("../src", import.meta.url));

/** The floor of each folder. A file imports its own folder or a lower floor. */
const FLOORS: Readonly<Record<string, number>> = {
  util: 0,
  errors: 1,
  process: 2,
  contract: 3,
  registry: 4,
  context: 4,
  permission: 4,
  events: 4,
  retry: 4,
  runtime: 5,
  "index.ts": 6,
};

/** Wings beside the floors: up to which floor they may look, and which folder of theirs they share. */
const ADAPTER_FLOOR = 3;
const TESTING_FLOOR = 4;
const SHARED_BY_ADAPTERS: Readonly<Record<string, string>> = {
  "adapters/models/http": "adapters/models/",
  "adapters/store/records": "adapters/store/",
};

/** What may be imported from outside, and by whom; the rest of the package imports nothing foreign. */
const FOREIGN: Readonly<Record<string, RegExp>> = {
  "eventsource-parser": /^adapters\/models\/http\//,
  eventemitter3: /^events\//,
  "@cfworker/json-schema": /^contract\/json-schema/,
  "@standard-schema/spec": /^contract\/(compile-)?schema/,
  unbash: /^permission\/commands\//,
  diff: /^adapters\/tools\/files\//,
  ignore: /^adapters\/tools\/files\//,
};
const NODE_ONLY = /^(process|testing|cli|adapters\/tools|adapters\/store\/file|permission\/(?!allow-tools|check-call))/;

interface Import {
  readonly from: string;
  readonly to: string;
}

function sourceFiles(folder = SOURCE): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return sourceFiles(path);
    return entry.name.endsWith(".ts") ? [relative(SOURCE, path)] : [];
  });
}

const SPECIFIER =
  /(?:^|[^\w.])(?:import|export)\s[^;"']*?from\s*["']([^"']+)["']|import\s*\(\s*["']([^"']+)["']|import\s+["']([^"']+)["']/g;

function importsOf(file: string): string[] {
  const text = readFileSync(join(SOURCE, file), "utf8").replace(/\/\*[\s\S]*?\*\//g, "");
  return [...text.matchAll(SPECIFIER)].map((match) => match[1] ?? match[2] ?? match[3] ?? "");
}

const files = sourceFiles();
const all: Import[] = files.flatMap((from) => importsOf(from).map((to) => ({ from, to })));
const inner = all
  .filter(({ to }) => to.startsWith("."))
  .map(({ from, to }) => ({ from, to: relative(SOURCE, resolve(SOURCE, dirname(from), to)) }));

/** `adapters/models/openai` for an adapter, the first folder otherwise. */
function placeOf(file: string): string {
  const parts = file.split("/");
  return parts[0] === "adapters" ? parts.slice(0, 3).join("/").replace(/\.ts$/, "") : (parts[0] ?? file);
}

function mayImport(from: string, to: string): boolean {
  const here = placeOf(from);
  const there = placeOf(to);
  if (here === there) return true;
  const floor = FLOORS[there];
  if (here === "cli") return true;
  if (here === "testing") return floor !== undefined && floor <= TESTING_FLOOR;
  if (here.startsWith("adapters/")) {
    const sharers = SHARED_BY_ADAPTERS[there];
    if (sharers !== undefined) return here.startsWith(sharers);
    const isSubpathList = /^adapters\/(tools|store)\/index$/.test(here) && there.startsWith(here.replace(/index$/, ""));
    return isSubpathList || (floor !== undefined && floor <= ADAPTER_FLOOR);
  }
  const own = FLOORS[here];
  return own !== undefined && floor !== undefined && floor < own;
}

describe("the floors", () => {
  it("are imported downward only, never up and never sideways", () => {
    const wrong = inner.filter(({ from, to }) => !mayImport(from, to)).map(({ from, to }) => `${from} -> ${to}`);
    expect(wrong).toEqual([]);
  });

  it("hold every file of the package", () => {
    const places = new Set(files.map(placeOf));
    const unknown = [...places].filter((place) => !(place in FLOORS) && !/^(adapters\/|testing$|cli$)/.test(place));
    expect(unknown).toEqual([]);
  });

  it("import from outside only what is meant for them", () => {
    const foreign = all.filter(({ to }) => !to.startsWith("."));
    const wrong = foreign.filter(({ from, to }) => {
      if (to.startsWith("node:")) return !NODE_ONLY.test(from);
      return !(FOREIGN[to]?.test(from) ?? false);
    });
    expect(wrong.map(({ from, to }) => `${from} -> ${to}`)).toEqual([]);
  });

  it("have no import cycles", () => {
    expect(findCycle(inner)).toBeUndefined();
  });
});

describe("the files", () => {
  it("stay under 300 lines", () => {
    const long = files.filter((file) => readFileSync(join(SOURCE, file), "utf8").split("\n").length > 301);
    expect(long).toEqual([]);
  });

  it("export by name and by hand, and know no any", () => {
    const wrong = files.filter((file) =>
      /^export (default|\*)|[:<] ?any\b|\bas any\b/m.test(
        readFileSync(join(SOURCE, file), "utf8").replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, ""),
      ),
    );
    expect(wrong).toEqual([]);
  });

  it("say in their first lines what they are for", () => {
    const silent = files.filter((file) => !/^(#!.*\n)?\/\*\*[ \n]/.test(readFileSync(join(SOURCE, file), "utf8")));
    expect(silent).toEqual([]);
  });
});

function findCycle(edges: readonly Import[]): string | undefined {
  const graph = new Map<string, string[]>();
  for (const { from, to } of edges) graph.set(from, [...(graph.get(from) ?? []), to]);
  const done = new Set<string>();
  const visit = (file: string, path: readonly string[]): string | undefined => {
    if (path.includes(file)) return [...path.slice(path.indexOf(file)), file].join(" -> ");
    if (done.has(file)) return undefined;
    for (const next of graph.get(file) ?? []) {
      const cycle = visit(next, [...path, file]);
      if (cycle !== undefined) return cycle;
    }
    done.add(file);
    return undefined;
  };
  for (const file of graph.keys()) {
    const cycle = visit(file, []);
    if (cycle !== undefined) return cycle;
  }
  return undefined;
}
