/**
 * Runs the self-test inside a bubblewrap sandbox.
 *
 * Floor 2 (process).
 */
import { mkdtempSync, readlinkSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { isInside } from "../confine-resolve.ts";
import { describeProcess } from "../describe.ts";
import type { ProcessOptions } from "../options.ts";
import type { ProcessResult } from "../result.ts";
import { runProcess } from "../run-process.ts";
import { runProcessSync } from "../run-process-sync.ts";
import type { BubblewrapSettings } from "./bubblewrap-options.ts";
import { scanOf } from "./bubblewrap-view.ts";
import { sandboxFailure } from "./failure.ts";
import { findProtected } from "./protected-paths.ts";
import { judgeSelfTest, PROBE_NAME, type SelfTestSubject, selfTestCommand } from "./self-test.ts";
import type { Sandbox } from "./types.ts";

/** A sandbox that has not been tried, and how it was set up. */
export interface Untested {
  readonly sandbox: Sandbox;
  readonly settings: BubblewrapSettings;
}

/** Far more than it needs. */
const TIMEOUT_MS = 10_000;
/** Paths that are tried of each kind. */
const MAX_PATHS = 50;

/** @throws ToolError with TOOL_SANDBOX_FAILED when something works that must not. */
export async function testBubblewrap(untested: Untested): Promise<void> {
  const listener = untested.settings.network ? undefined : await listen();
  const canary = layCanary(untested.settings);
  try {
    const { file, args } = selfTestCommand(subjectOf(untested.settings, canary, portOf(listener)));
    judge(untested, await runProcess(file, args, optionsFor(untested)));
  } finally {
    listener?.close();
    removeCanary(canary);
  }
}

/** As {@link testBubblewrap}, but without somebody to connect to: that the network is another one has to do. */
export function testBubblewrapSync(untested: Untested): void {
  const canary = layCanary(untested.settings);
  try {
    const { file, args } = selfTestCommand(subjectOf(untested.settings, canary, 0));
    judge(untested, runProcessSync(file, args, optionsFor(untested)));
  } finally {
    removeCanary(canary);
  }
}

function optionsFor({ sandbox, settings }: Untested): ProcessOptions {
  return { sandbox, cwd: settings.workspace, env: {}, inheritEnv: false, timeoutMs: TIMEOUT_MS };
}

function subjectOf(settings: BubblewrapSettings, canary: string | undefined, port: number): SelfTestSubject {
  const found = findProtected(scanOf(settings));
  const paths = (access: "hidden" | "readOnly") => found.filter((each) => each.access === access).slice(0, MAX_PATHS);
  return {
    canary: canary ?? "/harness-kit-has-no-canary",
    port,
    outsideMounts: ownNamespaces()["mnt"] ?? "",
    hiddenFiles: paths("hidden").flatMap(({ type, path }) => (type === "file" ? [path] : [])),
    readOnlyPaths: ["/usr", "/etc", ...paths("readOnly").map(({ path }) => path)],
  };
}

function judge({ settings }: Untested, result: ProcessResult): void {
  if (result.status !== "completed") {
    const why = result.status === "notStarted" ? result.cause?.message : undefined;
    throw sandboxFailure(`bubblewrap does not work here: ${why ?? describeProcess(result)}`, result.cause);
  }
  const problems = judgeSelfTest(result.stdout, { network: settings.network, outside: ownNamespaces() });
  if (problems.length === 0) return;
  removeProbes();
  throw sandboxFailure(
    `The self-test of bubblewrap failed: ${problems.join("; ")}. A newer bubblewrap or kernel may help; so does not running as root.`,
  );
}

function ownNamespaces(): Record<string, string> {
  const names = ["net", "pid", "mnt", "ipc", "user"];
  return Object.fromEntries(names.map((name) => [name, readlinkSync(`/proc/self/ns/${name}`)]));
}

/** What a sandbox that leaks has let the test create. */
function removeProbes(): void {
  for (const folder of ["/", "/usr", "/etc"]) {
    try {
      rmSync(join(folder, PROBE_NAME), { force: true });
    } catch {
      // Not ours to remove, so it is not there.
    }
  }
}

/** A file outside of all that is shown; `undefined` where there is no such place. */
function layCanary({ workspace, writable, readable }: BubblewrapSettings): string | undefined {
  const shown = [workspace, ...writable, ...readable];
  const places = [tmpdir(), "/var/tmp", homedir()];
  for (const place of places.filter((path) => !shown.some((root) => isInside(root, path)))) {
    try {
      const canary = join(mkdtempSync(join(place, "harness-kit-canary-")), "canary");
      writeFileSync(canary, "outside");
      return canary;
    } catch {
      // The next one.
    }
  }
  return undefined;
}

function removeCanary(canary: string | undefined): void {
  if (canary !== undefined) rmSync(join(canary, ".."), { recursive: true, force: true });
}

function listen(): Promise<Server> {
  const server = createServer((socket) => socket.destroy());
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => resolve(server));
  });
}

function portOf(server: Server | undefined): number {
  const address = server?.address();
  return typeof address === "object" && address !== null ? address.port : 0;
}
