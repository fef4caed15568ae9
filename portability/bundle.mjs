/**
 * The bundle for workers: what a bundler makes of the portable part, in a realm with nothing but web globals,
 * and in workerd, on which Cloudflare Workers run.
 */
import { writeFileSync } from "node:fs";
import { builtinModules } from "node:module";
import { join } from "node:path";
import vm from "node:vm";
import { build } from "esbuild";
import { runCommand } from "./command.mjs";

/** What workers and browsers have, and the suite's packages need. Node's are the same by name. */
const WEB_GLOBALS = [
  ...["AbortController", "AbortSignal", "DOMException", "Event", "EventTarget", "TextDecoder", "TextEncoder"],
  ...["Headers", "Request", "Response", "fetch", "FormData", "Blob", "URL", "URLSearchParams"],
  ...["ReadableStream", "WritableStream", "TransformStream", "TextDecoderStream", "TextEncoderStream"],
  ...["atob", "btoa", "clearTimeout", "setTimeout", "clearInterval", "setInterval", "queueMicrotask"],
  ...["console", "crypto", "performance", "structuredClone"],
];

/** Bundles the portable part of the suite with the installed package. @throws when it needs a module of Node. */
export async function bundle({ folder }, options) {
  const { metafile, outputFiles } = await build({
    absWorkingDir: folder,
    entryPoints: [join(folder, "entries/portable.mjs")],
    bundle: true,
    metafile: true,
    platform: "neutral",
    conditions: ["worker", "browser"],
    mainFields: ["module", "main"],
    target: "es2022",
    external: builtinModules.flatMap((name) => [name, `node:${name}`]),
    logLevel: "silent",
    ...options,
  });
  const outside = Object.values(metafile.inputs).flatMap(({ imports }) => imports.filter(({ external }) => external));
  if (outside.length > 0) throw new Error(`the bundle needs ${outside.map(({ path }) => path).join(", ")}`);
  return outputFiles?.[0]?.text;
}

/** A platform: the bundle in a realm of its own, without process, Buffer, require or anything else of Node. */
export async function inBareRealm(consumer, endpoint) {
  const text = await bundle(consumer, { format: "iife", globalName: "portable", write: false });
  const realm = vm.createContext(Object.fromEntries(WEB_GLOBALS.map((name) => [name, globalThis[name]])));
  vm.runInContext(`${text};globalThis.smoke = portable.smoke;`, realm, { filename: "bundle.js" });
  const results = await realm.smoke(endpoint);
  return { version: `${Math.round(text.length / 1024)} KiB`, results };
}

const CONFIG = (endpoint) => `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = (
      modules = [(name = "worker", esModule = embed "worker.mjs"), (name = "bundle.mjs", esModule = embed "bundle.mjs")],
      compatibilityDate = "2026-01-01",
      bindings = [(name = "ENDPOINT", json = ${JSON.stringify(JSON.stringify(endpoint))})],
    )),
    (name = "internet", network = (allow = ["public", "private"])),
  ],
);
`;
const WORKER = `import { smoke } from "bundle.mjs";
export default {
  async test(_controller, { ENDPOINT }) {
    console.log("report " + JSON.stringify(await smoke(ENDPOINT)));
  },
};
`;

/** A platform: the bundle in workerd, without its compatibility with Node. */
export async function inWorkerd(consumer, endpoint) {
  const { folder: cwd } = consumer;
  const program = ["npx", "--yes", "workerd@latest"];
  const asked = await runCommand([...program, "--version"], { cwd });
  if (asked.code !== 0) return { missing: asked.stderr.trim().split("\n").at(-1) };
  await bundle(consumer, { format: "esm", outfile: join(cwd, "bundle.mjs") });
  writeFileSync(join(cwd, "worker.mjs"), WORKER);
  writeFileSync(join(cwd, "config.capnp"), CONFIG(endpoint));
  const { code, stdout, stderr } = await runCommand([...program, "test", "config.capnp"], { cwd });
  const version = /\d{4}-\d{2}-\d{2}/.exec(asked.stdout)?.[0];
  const said = /report (\[.*\])/.exec(`${stdout}\n${stderr}`)?.[1];
  if (code === 0 && said !== undefined) return { version, results: JSON.parse(said) };
  return { version, results: [{ name: "the suite runs to its end", error: `exit code ${code}\n${stdout}${stderr}` }] };
}
