/**
 * Installs the built package into a folder of its own and runs one suite on every platform.
 *
 * npm run smoke                       # builds, then all platforms
 * npm run smoke -- bun deno           # some of them
 * node portability/smoke.mjs --local  # what is here already: nothing is built, nothing downloaded
 */
import { openEndpoint } from "./endpoint.mjs";
import { install } from "./install.mjs";
import { PLATFORMS } from "./platforms.mjs";

const asked = process.argv.slice(2);
const isLocal = asked.includes("--local");
const names = asked.filter((name) => name !== "--local");
const strange = names.filter((name) => !Object.hasOwn(PLATFORMS, name));
if (strange.length > 0) {
  console.error(`There is no platform ${strange.join(", ")}. There are ${Object.keys(PLATFORMS).join(", ")}.`);
  process.exit(2);
}

const consumer = install();
const endpoint = await openEndpoint(consumer.installed);
try {
  for (const [name, { local, run }] of Object.entries(PLATFORMS)) {
    if (names.length > 0 ? !names.includes(name) : isLocal && !local) continue;
    const startedAt = performance.now();
    const where = { url: endpoint.url, closedUrl: endpoint.closedUrl };
    const outcome = await run(consumer, where).catch((error) => ({
      results: [{ name: "the platform can be tried", error: String(error?.stack ?? error) }],
    }));
    tell(name, outcome, Math.round(performance.now() - startedAt) / 1000);
  }
} finally {
  await endpoint.close();
  consumer.remove();
}

/** One line for a platform, and what failed below it. */
function tell(name, { missing, version = "", results = [] }, seconds) {
  const title = `${name} ${version}`.trim().padEnd(28);
  if (missing !== undefined) return console.log(`not installed  ${title} ${missing}`);
  const failures = results.filter(({ error }) => error !== undefined);
  const word = failures.length === 0 && results.length > 0 ? "ok" : "FAILED";
  console.log(
    `${word.padEnd(13)}  ${title} ${results.length - failures.length} of ${results.length} checks, ${seconds.toFixed(1)} s`,
  );
  for (const { name: check, error } of failures) console.log(`    ${check}\n${indent(error)}`);
  if (word !== "ok") process.exitCode = 1;
}

function indent(text) {
  return text
    .trim()
    .split("\n")
    .slice(0, 30)
    .map((line) => `        ${line}`)
    .join("\n");
}
