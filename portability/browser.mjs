/**
 * Chromium: the published files in a page, as they are, by an import map; and their bundle in a Web Worker.
 *
 * The page comes from a server of its own, so that the suite's requests go to another origin, as they do in life.
 */
import { createReadStream, existsSync } from "node:fs";
import { createServer } from "node:http";
import { delimiter, extname, join, posix } from "node:path";
import { chromium } from "playwright-core";
import { bundle } from "./bundle.mjs";

/** As root and without a network beyond this machine. */
const ARGUMENTS = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];
const NAMES = ["chromium", "chromium-browser", "google-chrome-stable", "google-chrome"];
const TYPES = { ".js": "text/javascript", ".mjs": "text/javascript" };
const WORKER = `import { smoke } from "/bundle.mjs";
onmessage = ({ data }) => smoke(data).then(postMessage);`;

/** A platform: the page and the worker, one after the other. */
export async function inChromium(consumer, endpoint) {
  const executablePath = findChromium();
  if (executablePath === undefined) return { missing: `no ${NAMES.join(", ")} on the PATH` };
  await bundle(consumer, { format: "esm", outfile: join(consumer.folder, "bundle.mjs") });
  const { server, url } = await serve(consumer);
  const browser = await chromium.launch({ executablePath, args: ARGUMENTS });
  try {
    const page = await browser.newPage();
    const loaded = [];
    page.on("request", (request) => loaded.push(request.url()));
    await page.goto(url);
    const inPage = await page.evaluate(runInPage, { entry: "/entries/portable.mjs", endpoint });
    const fromNode = loaded.filter((file) => /dist\/(process|tools|store|permission|testing)\.js$/.test(file));
    const inWorker = await page.evaluate(runInWorker, endpoint);
    const named = (where, results) => results.map((result) => ({ ...result, name: `${where}: ${result.name}` }));
    const isClean = {
      name: "the page loads nothing that is for Node",
      ...(fromNode.length > 0 && { error: fromNode.join() }),
    };
    return { version: browser.version(), results: [...named("page", inPage), isClean, ...named("worker", inWorker)] };
  } finally {
    await browser.close();
    server.close();
  }
}

async function runInPage({ entry, endpoint }) {
  const { smoke } = await import(entry);
  return smoke(endpoint);
}

function runInWorker(endpoint) {
  return new Promise((resolve, reject) => {
    const worker = new Worker("/worker.mjs", { type: "module" });
    worker.onmessage = ({ data }) => resolve(data);
    worker.onerror = (event) => reject(new Error(`the worker failed: ${event.message}`));
    worker.postMessage(endpoint);
  });
}

function findChromium() {
  const folders = (process.env["PATH"] ?? "").split(delimiter);
  return NAMES.flatMap((name) => folders.map((folder) => join(folder, name))).find((path) => existsSync(path));
}

/** Serves the consumer's files; its page maps each subpath to the file that package.json names. */
async function serve({ folder, exports }) {
  const subpaths = Object.entries(exports).filter(([, target]) => typeof target === "object");
  const addressOf = (file) => new URL(file, "http://x/node_modules/harness-kit/").pathname;
  const imports = {
    ...Object.fromEntries(
      subpaths.map(([subpath, target]) => [posix.join("harness-kit", subpath), addressOf(target.import.default)]),
    ),
    "eventsource-parser": "/node_modules/eventsource-parser/dist/index.js",
  };
  const page = `<!doctype html><title>smoke</title><script type="importmap">${JSON.stringify({ imports })}</script>`;
  const server = createServer((request, response) => {
    const path = posix.normalize(new URL(request.url, "http://x").pathname);
    if (path === "/") return response.setHeader("content-type", "text/html").end(page);
    response.setHeader("content-type", TYPES[extname(path)] ?? "application/octet-stream");
    if (path === "/worker.mjs") return response.end(WORKER);
    createReadStream(join(folder, path))
      .on("error", () => response.writeHead(404).end())
      .pipe(response);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { server, url: `http://127.0.0.1:${server.address().port}/` };
}
