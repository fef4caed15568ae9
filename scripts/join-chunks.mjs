/**
 * Joins the chunks that tsup made of the ESM build: every file costs an import a millisecond, and the root needs a
 * dozen of them. What the root shares with other subpaths becomes one chunk, what it has for itself another.
 */
import { chmodSync, readdirSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { rollup } from "rollup";

const DIST = fileURLToPath(new URL("../dist/", import.meta.url));

const files = readdirSync(DIST, { recursive: true }).filter((name) => name.endsWith(".js"));
const entries = files.filter((name) => !name.startsWith("chunk-")).map((name) => name.slice(0, -".js".length));

const bundle = await rollup({
  input: Object.fromEntries(entries.map((name) => [name, `${DIST}${name}.js`])),
  external: (id) => !id.startsWith(".") && !id.startsWith("/"),
  // tsup has left out what nobody uses.
  treeshake: false,
});

/** The modules that an entry needs. */
function needsOf(name, getModuleInfo) {
  const needs = new Set();
  const add = (id) => {
    if (needs.has(id)) return;
    needs.add(id);
    for (const next of getModuleInfo(id)?.importedIds ?? []) add(next);
  };
  add(`${DIST}${name}.js`);
  return needs;
}

let groups;

/** The smallest subpath is spared what the others share. */
function groupOf(id, { getModuleInfo }) {
  groups ??= {
    root: needsOf("index", getModuleInfo),
    small: needsOf("models/local", getModuleInfo),
    others: new Set(
      entries.filter((name) => !["index", "cli"].includes(name)).flatMap((name) => [...needsOf(name, getModuleInfo)]),
    ),
  };
  if (!groups.root.has(id) || id === `${DIST}index.js`) return undefined;
  return groups.small.has(id) ? "base" : groups.others.has(id) ? "shared" : "runtime";
}

for (const name of files) rmSync(`${DIST}${name}`);
await bundle.write({
  dir: DIST,
  format: "es",
  chunkFileNames: "[name].js",
  manualChunks: groupOf,
  minifyInternalExports: false,
  hoistTransitiveImports: false,
});
chmodSync(`${DIST}cli.js`, 0o755);
