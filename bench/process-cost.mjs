/** What a package costs before it does anything: processor time and memory of its import, and its files. */
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

const TIMES = 9;
const here = fileURLToPath(new URL(".", import.meta.url));

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];

function costsOf(specifier, cwd) {
  const work = specifier === undefined ? "" : `await import(${JSON.stringify(specifier)});`;
  const report =
    "const { user, system } = process.cpuUsage(); console.log(JSON.stringify({ cpuMs: (user + system) / 1e3, rssMb: process.memoryUsage().rss / 1048576 }));";
  const args = ["--input-type=module", "-e", `${work}${report}`];
  return JSON.parse(execFileSync(process.execPath, args, { cwd, encoding: "utf8" }));
}

/** What `import` of a package costs above an empty process: medians, the two in turns. */
export function importCost(specifier, cwd = here) {
  const empty = [];
  const loaded = [];
  for (let time = 0; time < TIMES; time++) {
    empty.push(costsOf(undefined, cwd));
    loaded.push(costsOf(specifier, cwd));
  }
  const above = (field) => median(loaded.map((cost) => cost[field])) - median(empty.map((cost) => cost[field]));
  return { cpuMs: above("cpuMs"), rssMb: above("rssMb"), emptyCpuMs: median(empty.map(({ cpuMs }) => cpuMs)) };
}

/** The files of our own package as npm would install it, in bytes, without what it depends on. */
export function unpackedSize(root) {
  const [{ unpackedSize: bytes }] = JSON.parse(
    execFileSync("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], { cwd: root, encoding: "utf8" }),
  );
  return bytes;
}

/** The files of an installed package and of everything that it depends on, peers left out. */
export function installedSize(name, folder) {
  const seen = new Set();
  const visit = (dependency, from) => {
    const found = findPackage(dependency, from);
    if (found === undefined || seen.has(found)) return;
    seen.add(found);
    const { dependencies = {} } = JSON.parse(readFileSync(path.join(found, "package.json"), "utf8"));
    for (const next of Object.keys(dependencies)) visit(next, found);
  };
  visit(name, folder);
  const bytes = [...seen].reduce((sum, at) => sum + folderSize(at), 0);
  return { bytes, packages: seen.size };
}

function findPackage(name, from) {
  for (let at = from; ; at = path.dirname(at)) {
    const candidate = path.join(at, "node_modules", name);
    if (existsSync(path.join(candidate, "package.json"))) return candidate;
    if (path.dirname(at) === at) return undefined;
  }
}

function folderSize(folder) {
  let bytes = 0;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.name === "node_modules") continue;
    const at = path.join(folder, entry.name);
    if (entry.isDirectory()) bytes += folderSize(at);
    else if (entry.isFile()) bytes += statSync(at).size;
  }
  return bytes;
}
