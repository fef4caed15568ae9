/**
 * TypeScript programs that use the installed package: strict, with `skipLibCheck: false`, for every way to
 * resolve modules. What was compiled as an ES module and as CommonJS is run, too.
 */
import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { join, posix } from "node:path";
import ts from "typescript";
import { runCommand } from "./command.mjs";

const STRICT = {
  target: "es2022",
  lib: ["es2022"],
  types: ["node"],
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  skipLibCheck: false,
  // The types that come with the compiler are its own affair.
  skipDefaultLibCheck: true,
  rootDir: ".",
};

/** What is compiled. `runs`: the files that come out of it. `without`: a package whose types must not be needed. */
const PROGRAMS = {
  node16: {
    options: { module: "node16", moduleResolution: "node16", outDir: "node16" },
    files: ["program.mts", "program.cts"],
    runs: ["program.mjs", "program.cjs"],
  },
  nodenext: {
    options: { module: "nodenext", moduleResolution: "nodenext", noEmit: true },
    files: ["program.mts", "program.cts"],
  },
  bundler: {
    options: { module: "esnext", moduleResolution: "bundler", noEmit: true },
    files: ["program.ts"],
  },
  page: {
    options: { module: "esnext", moduleResolution: "bundler", noEmit: true, lib: ["es2022", "dom"], types: [] },
    files: ["browser.ts"],
    without: "@types/node",
  },
};

/** A platform: the compiler of this repository. It builds all programs in one go, in a third less time than each alone. */
export async function compiled(consumer) {
  const cwd = join(consumer.folder, "consumers");
  for (const extension of ["mts", "cts"]) copyFileSync(join(cwd, "program.ts"), join(cwd, `program.${extension}`));
  for (const [name, { options, files }] of Object.entries(PROGRAMS)) {
    writeFileSync(join(cwd, projectOf(name)), JSON.stringify({ compilerOptions: { ...STRICT, ...options }, files }));
  }
  const compiler = join(consumer.root, "node_modules/typescript/bin/tsc");
  const asks = ["--build", "--verbose", "--listFiles", "--pretty", "false", ...Object.keys(PROGRAMS).map(projectOf)];
  const { stdout, stderr } = await runCommand([process.execPath, compiler, ...asks], { cwd });
  const results = [coversAll(consumer)];
  for (const [name, program] of Object.entries(PROGRAMS)) {
    const said = stdout.split("Building project ").find((part) => part.startsWith(`'${join(cwd, projectOf(name))}'`));
    results.push(...readOutput(name, program, said ?? `it was not built\n${stdout}${stderr}`));
    for (const file of program.runs ?? []) results.push(await runOutput(join(program.options.outDir, file), cwd));
  }
  return { version: ts.version, results };
}

const projectOf = (name) => `tsconfig.${name}.json`;

/** The compiler names a program's files, and what is wrong with them, behind the name of its project. */
function readOutput(name, { files, without }, said) {
  const lines = said.split("\n");
  const wrong = lines.filter((line) => line.includes("error TS") || line.startsWith(" "));
  const isBuilt = files.every((file) => lines.some((line) => line.endsWith(`/consumers/${file}`)));
  const results = [result(`${name}: it compiles`, isBuilt && wrong.length === 0, isBuilt ? wrong.join("\n") : said)];
  if (without === undefined) return results;
  const found = lines.find((line) => line.includes(`/${without}/`));
  return [...results, result(`${name}: it needs no ${without}`, found === undefined, found)];
}

async function runOutput(file, cwd) {
  const { stdout, stderr } = await runCommand([process.execPath, file], { cwd });
  return result(`${file} runs`, stdout === "The sum is 3. 3 runtime\n", `${stdout}${stderr}`);
}

/** A new subpath must not be forgotten. */
function coversAll({ folder, exports }) {
  const source = readFileSync(join(folder, "consumers/program.ts"), "utf8");
  const subpaths = Object.keys(exports).filter((subpath) => subpath !== "./package.json");
  const left = subpaths.filter((subpath) => !source.includes(`from "${posix.join("harness-kit", subpath)}"`));
  return result("the program uses every subpath", left.length === 0, `it leaves out ${left.join(", ")}`);
}

const result = (name, isRight, error) => (isRight ? { name } : { name, error });
