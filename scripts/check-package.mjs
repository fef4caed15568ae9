/**
 * Checks what would be published: its form (publint), its types for every resolver (attw), one class
 * whatever subpath or format it comes by, and that nothing but what it should hold is in it.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { problemsOfContents } from "./package-contents.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const work = mkdtempSync(join(tmpdir(), "harness-kit-package-"));
const problems = [];

const IDENTITY_BODY = `
  const assert = (isTrue, what) => { if (!isTrue) throw new Error(what); };
  for (const name of ["HarnessError", "ModelError", "ToolError", "RuntimeError", "ContextError", "PermissionError"]) {
    assert(root[name] === errors[name], name + " differs between harness-kit and harness-kit/errors");
    assert(otherRoot[name] !== root[name], "the two formats were expected to be two copies");
    if (name !== "HarnessError") {
      assert(new otherRoot[name]("x") instanceof root[name], name + " of the other format is not recognised");
      assert(new otherRoot[name]("x") instanceof root.HarnessError, name + " of the other format is no HarnessError");
    }
  }
  assert(typeof root.createRuntime === "function" && typeof tools.bashTool === "function", "a subpath is empty");
`;
const SUBPATHS = { root: "harness-kit", errors: "harness-kit/errors", tools: "harness-kit/tools" };
const asImport = ([name, path]) => `import * as ${name} from "${path}";`;
const asRequire = ([name, path]) => `const ${name} = require("${path}");`;
const IDENTITY_ESM = `import { createRequire } from "node:module";
${Object.entries(SUBPATHS).map(asImport).join("\n")}
const otherRoot = createRequire(import.meta.url)("harness-kit");
${IDENTITY_BODY}`;
const IDENTITY_CJS = `${Object.entries(SUBPATHS).map(asRequire).join("\n")}
import("harness-kit").then((otherRoot) => { ${IDENTITY_BODY} }).catch((error) => { console.error(error); process.exitCode = 1; });`;

try {
  const tarball = pack();
  const installed = unpack(tarball);
  check("publint", ["node_modules/publint/src/cli.js", "run", tarball, "--strict"]);
  check("attw", ["node_modules/@arethetypeswrong/cli/dist/index.js", tarball, "--profile", "node16"]);
  problems.push(...problemsOfContents(installed, root));
  checkIdentity("an ES module", "mjs", IDENTITY_ESM);
  checkIdentity("a CommonJS module", "cjs", IDENTITY_CJS);
} finally {
  rmSync(work, { recursive: true, force: true });
}

for (const problem of problems) console.error(`package: ${problem}`);
console.log(
  problems.length === 0
    ? "package: publint, attw, contents and class identity are fine"
    : "package: not fit to publish",
);
process.exitCode = problems.length === 0 ? 0 : 1;

function pack() {
  execFileSync("npm", ["run", "--silent", "build"], { cwd: root, stdio: "inherit" });
  const out = execFileSync("npm", ["pack", "--json", "--ignore-scripts", "--pack-destination", work], { cwd: root });
  const [{ filename }] = JSON.parse(out);
  return join(work, filename);
}

function unpack(tarball) {
  const modules = join(work, "node_modules");
  mkdirSync(modules);
  // A consumer of its own: a package.json further up must not answer for it.
  writeFileSync(join(work, "package.json"), '{ "name": "consumer", "private": true }');
  execFileSync("tar", ["-xzf", tarball, "-C", work]);
  cpSync(join(work, "package"), join(modules, "harness-kit"), { recursive: true });
  for (const name of ["zod", "eventsource-parser"]) {
    symlinkSync(join(root, "node_modules", name), join(modules, name), "junction");
  }
  return join(modules, "harness-kit");
}

function check(name, args) {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: root, encoding: "utf8" });
  if (status !== 0) problems.push(`${name} failed\n${stdout}${stderr}`);
}

function checkIdentity(where, extension, source) {
  const file = join(work, `identity.${extension}`);
  writeFileSync(file, source);
  const { status, stderr } = spawnSync(process.execPath, [file], { cwd: work, encoding: "utf8" });
  if (status !== 0) problems.push(`class identity is broken in ${where}\n${stderr}`);
}
