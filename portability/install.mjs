/**
 * Makes a consumer of the package: a folder into which the packed tarball is installed, with the suite beside it.
 *
 * Packs what `npm run build` left in dist/. What the package needs is copied from this repository's
 * node_modules, so that nothing is downloaded.
 */
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = fileURLToPath(new URL(".", import.meta.url));
const root = dirname(here.replace(/[\\/]$/, ""));

/** What the package asks for, and what a TypeScript program on Node has. */
const NEIGHBOURS = ["zod", "eventsource-parser", "@types/node", "undici-types"];

/** Installs the package. `folder` is the consumer, `installed` the package in it; `remove` takes all away. */
export function install() {
  // Compilers print real paths, and the temporary folder of macOS is a link.
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "harness-kit-portability-")));
  const modules = join(folder, "node_modules");
  mkdirSync(modules);
  const installed = join(modules, "harness-kit");
  const manifest = { name: "consumer", private: true, type: "module", dependencies: { "harness-kit": "*" } };
  writeFileSync(join(folder, "package.json"), JSON.stringify(manifest));
  execFileSync("tar", ["-xzf", pack(folder), "-C", folder]);
  cpSync(join(folder, "package"), installed, { recursive: true });
  for (const name of NEIGHBOURS) cpSync(join(root, "node_modules", name), join(modules, name), { recursive: true });
  for (const part of ["suite", "entries", "consumers"])
    cpSync(join(here, part), join(folder, part), { recursive: true });
  const { exports } = JSON.parse(readFileSync(join(installed, "package.json"), "utf8"));
  return { root, folder, installed, exports, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

function pack(folder) {
  const args = ["pack", "--json", "--ignore-scripts", "--pack-destination", folder];
  const [{ filename }] = JSON.parse(execFileSync("npm", args, { cwd: root, encoding: "utf8" }));
  return join(folder, filename);
}
