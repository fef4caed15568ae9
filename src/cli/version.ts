/**
 * The version of the package, from its own package.json.
 *
 * Command line. Looked up from this file upward: the built file and the source lie at different depths.
 */
import { readFileSync } from "node:fs";

export function packageVersion(from = import.meta.url): string {
  for (let directory = new URL(".", from); ; directory = new URL("..", directory)) {
    const manifest = readManifest(new URL("package.json", directory));
    if (manifest?.name === "harness-kit") return manifest.version ?? "unknown";
    if (directory.pathname === new URL("..", directory).pathname) return "unknown";
  }
}

function readManifest(url: URL): { name?: string; version?: string } | undefined {
  try {
    return JSON.parse(readFileSync(url, "utf8")) as { name?: string; version?: string };
  } catch {
    return undefined;
  }
}
