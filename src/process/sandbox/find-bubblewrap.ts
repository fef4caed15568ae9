/**
 * Finds the program bwrap, or says what to install.
 *
 * Floor 2 (process).
 */
import { existsSync } from "node:fs";
import { posix } from "node:path";
import { isInside } from "../confine-resolve.ts";
import { sandboxFailure } from "./failure.ts";

/** What the search looks at; tests pass their own. */
export interface BubblewrapHost {
  readonly platform: NodeJS.Platform;
  readonly path: string | undefined;
  exists(path: string): boolean;
}

const thisHost = (): BubblewrapHost => ({
  platform: process.platform,
  path: process.env["PATH"],
  exists: existsSync,
});

/** What decides where bwrap is looked for. */
export interface BubblewrapPlace {
  readonly program: string | undefined;
  readonly workspace: string;
  readonly writable: readonly string[];
}

/** @throws ToolError with TOOL_SANDBOX_FAILED when there is none. */
export function findBubblewrap(place: BubblewrapPlace, host: BubblewrapHost = thisHost()): string {
  if (host.platform !== "linux") {
    throw sandboxFailure(
      `bubblewrapSandbox works on Linux only, and this is ${host.platform}. Run the program in a Linux container or in WSL 2, or pass a sandbox of your own.`,
    );
  }
  const { program, workspace, writable } = place;
  if (program !== undefined && host.exists(program)) return program;
  if (program !== undefined) throw sandboxFailure(`bubblewrapSandbox: ${program} does not exist. ${INSTALL}`);
  // What lies where commands can write may be something that a command put there.
  const isSafe = (folder: string) => ![workspace, ...writable].some((root) => isInside(root, folder));
  const folders = [...(host.path ?? "").split(":"), "/usr/bin", "/bin", "/usr/local/bin"];
  const found = folders
    .filter((folder) => posix.isAbsolute(folder) && isSafe(posix.normalize(folder)))
    .map((folder) => posix.join(folder, "bwrap"))
    .find((path) => host.exists(path));
  if (found === undefined)
    throw sandboxFailure(`bubblewrapSandbox needs the program bwrap, which was not found. ${INSTALL}`);
  return found;
}

const INSTALL =
  "Install version 0.8 or newer: apt install bubblewrap (Debian, Ubuntu), dnf install bubblewrap (Fedora), apk add bubblewrap (Alpine), pacman -S bubblewrap (Arch).";

/** What is known to keep bwrap from working, and what to do about it. */
const HINTS: readonly (readonly [RegExp, string])[] = [
  [/Unknown option/, "bubblewrap 0.8 or newer is needed."],
  [
    /Creating new namespace failed|No permissions to create|setting up uid map|uid map: Permission/,
    "This system lets nobody make user namespaces. In a container, start it with --security-opt seccomp=unconfined; on Ubuntu 24.04, give bwrap an AppArmor profile or set kernel.apparmor_restrict_unprivileged_userns=0.",
  ],
  [
    /mount proc|\/proc: Operation not permitted|max_user_namespaces/,
    "Here /proc cannot be mounted anew. In a container, start it with --security-opt systempaths=unconfined.",
  ],
];

/** What bwrap said, and what to do about it where that is known. */
export function explainBubblewrap(stderr: string): string {
  const said = stderr.trim() === "" ? "bwrap ended without a word." : stderr.trim();
  const hint = HINTS.find(([pattern]) => pattern.test(said))?.[1];
  return hint === undefined ? said : `${said}. ${hint}`;
}
