/**
 * The part of the system that every sandboxed command sees: programs, libraries, settings, an own `/proc`.
 *
 * Floor 2 (process). A list of what is shown, not of what is hidden: secrets come and go. Home directories,
 * `/var`, `/run`, `/srv`, `/mnt` and `/sys` are not on it.
 */
import {
  accessSync,
  constants,
  existsSync,
  lstatSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  statSync,
} from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, join } from "node:path";
import { isInside } from "../confine-resolve.ts";
import type { Mount } from "./mounts.ts";

const FOLDERS = [
  "/usr",
  "/etc",
  "/opt",
  "/bin",
  "/sbin",
  "/lib",
  "/lib32",
  "/lib64",
  "/libx32",
  "/nix/store",
  "/gnu/store",
];

/**
 * Root without any capability still owns these. bwrap closes some, but leaves `/proc/sys/kernel/core_pattern`
 * writable, which names a program that the kernel runs outside. The lists are those of the OCI runtime
 * specification (linux.maskedPaths, linux.readonlyPaths) and what else only root may read.
 */
const READ_ONLY_PROC = ["acpi", "bus", "fs", "irq", "mtrr", "sys", "sysrq-trigger"];
const HIDDEN_PROC = [
  ...["kcore", "keys", "kmsg", "kpagecgroup", "kpagecount", "kpageflags", "latency_stats", "pagetypeinfo"],
  ...["sched_debug", "slabinfo", "timer_list", "timer_stats", "vmallocinfo"],
];

/** What of the machine a command sees. */
export function systemMounts(network: boolean): Mount[] {
  return [
    ...FOLDERS.flatMap(folderMount),
    ...closedFiles("/etc").map(covered),
    ...runtimeMounts(process.execPath, homedir()),
    ...(network ? resolverMounts() : []),
    { type: "proc", path: "/proc" },
    ...(process.getuid?.() === 0 ? rootsProc() : []),
    { type: "dev", path: "/dev" },
    { type: "scratch", path: "/tmp" },
    { type: "scratch", path: "/var/tmp" },
  ];
}

function rootsProc(): Mount[] {
  return [
    ...present("/proc", READ_ONLY_PROC).map((path): Mount => ({ type: "readOnly", path })),
    ...present("/proc", HIDDEN_PROC).map(covered),
  ];
}

function folderMount(path: string): Mount[] {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats?.isSymbolicLink()) return [{ type: "link", path, target: readlinkSync(path) }];
  return stats?.isDirectory() ? [{ type: "readOnly", path }] : [];
}

/** Hides a file or a directory. */
export function covered(path: string): Mount {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory()
    ? { type: "emptyDirectory", path }
    : { type: "covered", path, source: "/dev/null" };
}

function present(folder: string, names: readonly string[]): string[] {
  return names.map((name) => join(folder, name)).filter((path) => existsSync(path));
}

const OTHERS_MAY_READ = 0o004;
const OTHERS_MAY_ENTER = 0o001;

/** What we may read but not everybody: as root, or in a group that a command has no business in. */
export function closedFiles(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    const mode = entry.isSymbolicLink() ? undefined : lstatSync(path, { throwIfNoEntry: false })?.mode;
    if (mode === undefined) return [];
    const needed = entry.isDirectory() ? OTHERS_MAY_READ | OTHERS_MAY_ENTER : OTHERS_MAY_READ;
    if ((mode & needed) !== needed) return isReadable(path) ? [path] : [];
    return entry.isDirectory() ? closedFiles(path) : [];
  });
}

function isReadable(path: string): boolean {
  try {
    accessSync(path, constants.R_OK);
    return true;
  } catch {
    return false;
  }
}

/** The Node that runs us, which may live in a home directory: with its libraries where that shows nothing else. */
export function runtimeMounts(program: string, home: string): Mount[] {
  if (FOLDERS.some((folder) => isInside(folder, program))) return [];
  const prefix = dirname(dirname(program));
  const isOwnFolder = basename(dirname(program)) === "bin" && !isInside(prefix, home);
  return [{ type: "readOnly", path: isOwnFolder ? prefix : program }];
}

/** Often a link into `/run`. */
function resolverMounts(): Mount[] {
  try {
    const real = realpathSync("/etc/resolv.conf");
    return isInside("/etc", real) ? [] : [{ type: "readOnly", path: real }];
  } catch {
    return [];
  }
}
