/**
 * What a packed package may hold: the files that its entries lead to, its pages, and nothing else.
 *
 * A file that nothing imports, an import that nobody would have installed, a page that is not there, a source
 * map or a path of the machine that built it: each is a sentence in the list.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { builtinModules } from "node:module";
import { homedir } from "node:os";
import { dirname, join, posix, relative, sep } from "node:path";
import ts from "typescript";

const PAGES = ["CHANGELOG.md", "LICENSE", "README.md", "README.zh-CN.md", "THIRD_PARTY_NOTICES.md", "package.json"];

/** What is wrong with the package that was unpacked into `folder` and built in `root`. */
export function problemsOfContents(folder, root) {
  const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const held = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) =>
      relative(folder, join(entry.parentPath ?? entry.path, entry.name))
        .split(sep)
        .join("/"),
    );
  const { reached, problems } = follow(entriesOf(manifest), folder, manifest);
  const docs = readdirSync(join(root, "docs")).filter((name) => name.endsWith(".md"));
  const allowed = new Set([...PAGES, ...docs.map((name) => `docs/${name}`), ...reached]);
  return [
    ...held.filter((file) => !allowed.has(file)).map((file) => `${file} is held and nobody needs it`),
    ...[...allowed].filter((file) => !held.includes(file)).map((file) => `${file} is missing`),
    ...held.flatMap((file) => tracesOfMachine(join(folder, file), root).map((trace) => `${file} holds ${trace}`)),
    ...unnamedBundled(folder, held),
    ...slowImport(folder, manifest),
    ...problems,
  ];
}

/** Most files that an import of the root may have to read: each costs about a millisecond. */
const MOST_FILES = 4;

function slowImport(folder, manifest) {
  const { reached } = follow([posix.normalize(manifest.exports["."].import.default)], folder, manifest);
  return reached.size <= MOST_FILES
    ? []
    : [`the root is ${reached.size} files to import, at most ${MOST_FILES} are meant`];
}

/** The files that package.json names. */
function entriesOf({ exports, bin }) {
  const filesIn = (target) => (typeof target === "string" ? [target] : Object.values(target).flatMap(filesIn));
  return [...filesIn(exports), ...Object.values(bin)].map((file) => posix.normalize(file));
}

/** Goes from file to file by their imports, types included. */
function follow(entries, folder, manifest) {
  const reached = new Set();
  const problems = [];
  const waiting = [...entries];
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (reached.has(file)) continue;
    reached.add(file);
    if (!existsSync(join(folder, file))) continue;
    for (const name of importsOf(join(folder, file))) {
      if (name.startsWith(".")) waiting.push(fileBehind(name, file));
      else if (!isInstalled(name, manifest)) problems.push(`${file} imports ${name}, which a consumer need not have`);
    }
  }
  return { reached, problems };
}

function importsOf(path) {
  if (!/\.[cm]?[jt]s$/.test(path)) return [];
  return ts.preProcessFile(readFileSync(path, "utf8"), true, true).importedFiles.map(({ fileName }) => fileName);
}

/** Types import the file that they describe. */
function fileBehind(name, importer) {
  const file = posix.join(dirname(importer), name);
  return /\.d\.c?ts$/.test(importer) ? file.replace(/\.(c?)js$/, ".d.$1ts") : file;
}

function isInstalled(name, { dependencies = {}, peerDependencies = {} }) {
  if (name.startsWith("node:")) return builtinModules.includes(name.slice("node:".length));
  const [scope, rest] = name.split("/");
  const owner = name.startsWith("@") ? `${scope}/${rest}` : scope;
  return Object.hasOwn(dependencies, owner) || Object.hasOwn(peerDependencies, owner);
}

/** Paths of the machine that built it, and source maps, which hold such paths. */
function tracesOfMachine(path, root) {
  const text = readFileSync(path, "utf8");
  const traces = [root, homedir()].filter((place) => text.includes(join(place, sep)) && place !== sep);
  return text.includes("sourceMappingURL=") ? ["a source map", ...traces] : traces;
}

/** Packages that are bundled and whose licenses ask to be named; the bundler says where each part is from. */
function unnamedBundled(folder, files) {
  const notices = readFileSync(join(folder, "THIRD_PARTY_NOTICES.md"), "utf8");
  const texts = files.filter((file) => /\.c?js$/.test(file)).map((file) => readFileSync(join(folder, file), "utf8"));
  const parts = texts.flatMap((text) => [...text.matchAll(/^ *\/\/ node_modules\/((?:@[^/\n]+\/)?[^/\n]+)/gm)]);
  const names = [...new Set(parts.map(([, name]) => name))];
  return names
    .filter((name) => !notices.includes(`## ${name}\n`))
    .map((name) => `THIRD_PARTY_NOTICES.md lacks ${name}`);
}
