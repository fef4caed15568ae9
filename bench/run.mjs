/**
 * The comparison: `npm run bench` for every contestant that is installed, `npm run bench:check` for the floor and us.
 *
 * Each cell is measured in a process of its own beside the floor. Prints one table of ratios, writes JSON to
 * `bench/results/`; with `--check` it fails where a figure is worse than it must be, with a margin.
 */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { CELLS } from "./cells.mjs";
import { checkFigures } from "./check-figures.mjs";
import { CONTESTANTS } from "./contestant.mjs";
import { importCost, installedSize, unpackedSize } from "./process-cost.mjs";
import { toMarkdown } from "./table.mjs";

const here = fileURLToPath(new URL(".", import.meta.url));
const root = path.dirname(path.resolve(here));
const isCheck = process.argv.includes("--check");
const only = process.argv.find((argument) => argument.startsWith("--only="))?.slice("--only=".length);

/** Contestants with their versions; those that are not installed are left out. */
function present() {
  const known = Object.entries(CONTESTANTS).filter(([name]) => name !== "floor");
  const ours = known.filter(([name]) => name.startsWith("ours"));
  const rivals = known.filter(([name]) => !name.startsWith("ours"));
  const versioned = [...ours, ...(isCheck ? [] : rivals)].map(([name, { package: id }]) => ({
    name,
    id,
    version: versionOf(id),
  }));
  return versioned.filter(({ version, name }) => version !== undefined && (only === undefined || name === only));
}

function versionOf(id) {
  const file =
    id === "harness-kit" ? path.join(root, "package.json") : path.join(here, "rivals/node_modules", id, "package.json");
  return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")).version : undefined;
}

function measure(contestant, cell) {
  try {
    const args = ["--expose-gc", path.join(here, "cell.mjs"), contestant, cell.name];
    return JSON.parse(
      execFileSync(process.execPath, args, { encoding: "utf8", timeout: 240_000, stdio: ["ignore", "pipe", "pipe"] }),
    );
  } catch (error) {
    return {
      contestant,
      cell: cell.name,
      failed: String(error.stderr || error.message)
        .trim()
        .split("\n")
        .findLast((line) => line !== ""),
    };
  }
}

/** A listener changes only what a turn costs; a journal keeps every entry in memory and is no part of the check. */
function isAsked({ name }, cell) {
  if (name === "ours+listener") return cell.name === "N=100" || cell.name === "N=1000";
  if (name === "ours+journal+gate") return !isCheck && (cell.name === "N=10" || cell.name === "N=100");
  return name === "ours" || cell.slow !== true;
}

function costs({ name, id }) {
  if (name === "ours") {
    return { import: importCost(id), install: { bytes: unpackedSize(root), packages: 1 } };
  }
  const rivals = path.join(here, "rivals");
  return { import: importCost(id, rivals), install: installedSize(id, rivals) };
}

const contestants = present();
const figures = [];
for (const cell of CELLS) {
  for (const contestant of contestants) {
    if (!isAsked(contestant, cell)) continue;
    const figure = measure(contestant.name, cell);
    figures.push(figure);
    const ratio =
      figure.failed ??
      (figure.value === undefined ? "does not stream" : `${(figure.value / figure.floor).toFixed(2)} x floor`);
    console.error(`${cell.name.padEnd(24)} ${contestant.name.padEnd(20)} ${ratio}`);
  }
}
const packages = Object.fromEntries(
  contestants
    .filter(({ name }) => name === "ours" || !name.startsWith("ours"))
    .map((contestant) => [contestant.name, costs(contestant)]),
);
const result = {
  date: new Date().toISOString(),
  node: process.version,
  cpu: `${os.cpus().length} x ${os.cpus()[0]?.model}`,
  load: os.loadavg()[0],
  contestants,
  figures,
  packages,
};

console.log(toMarkdown(result));
if (!isCheck) {
  mkdirSync(path.join(here, "results"), { recursive: true });
  writeFileSync(path.join(here, "results", `${result.date.slice(0, 10)}.json`), `${JSON.stringify(result, null, 2)}\n`);
}
const { problems, missed } = checkFigures(result);
for (const target of missed) console.error(`target missed: ${target}`);
for (const problem of problems) console.error(`worse than before: ${problem}`);
if (isCheck && problems.length > 0) process.exitCode = 1;
