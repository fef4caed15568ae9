/**
 * What a host decides about its bubblewrap sandbox.
 *
 * Floor 2 (process).
 */
import { realpathSync } from "node:fs";
import { isAbsolute, resolve } from "node:path";
import { misuse } from "../../util/misuse.ts";
import { quoteValue } from "../../util/text.ts";
import { PROTECTED_NAMES, READ_ONLY_NAMES } from "../confine-names.ts";
import { isInside } from "../confine-resolve.ts";

/** What `bubblewrapSandbox` takes. Paths are absolute, or relative to the workspace. */
export interface BubblewrapOptions {
  /** The directory that commands work in and may write to. It must exist. */
  readonly workspace: string;
  /** Whether commands reach the network as this machine does, services on `localhost` included. @defaultValue false */
  readonly network?: boolean | undefined;
  /** More that commands may write, such as a cache. Each must exist. */
  readonly writable?: readonly string[] | undefined;
  /** More that commands may read, such as a tool chain in your home directory. Each must exist. */
  readonly readable?: readonly string[] | undefined;
  /** What they may neither read nor write, wherever it lies; what does not exist when a command starts is left out. */
  readonly hidden?: readonly string[] | undefined;
  /** Names inside of the workspace that are hidden; `*` stands for any characters. @defaultValue `PROTECTED_NAMES` without repositories */
  readonly protectedNames?: readonly string[] | undefined;
  /** Names inside of the workspace that can be read but not written. @defaultValue `READ_ONLY_NAMES` and repositories */
  readonly readOnlyNames?: readonly string[] | undefined;
  /**
   * Names that cannot be created at the top of the workspace either; a `/` at the end means a directory. While a
   * command runs, something empty of that name stands there. @defaultValue `ABSENT_NAMES`
   */
  readonly absentNames?: readonly string[] | undefined;
  /** How many levels below the workspace names are looked for. `node_modules` is left out. @defaultValue 4 */
  readonly scanDepth?: number | undefined;
  /** Absolute path of bwrap. @defaultValue the first one in the absolute directories of PATH that no command can write to */
  readonly program?: string | undefined;
}

const REPOSITORIES = [".git", "git~1", ".hg", ".svn"];

/** What programs act on at the top of a workspace with nobody asked, so that creating it is as good as changing it. */
export const ABSENT_NAMES: readonly string[] = [
  ...[".git/", ".claude/", ".codex/", ".cursor/", ".gemini/", ".githooks/", ".husky/", ".idea/", ".vscode/"],
  ...[".env", ".mcp.json", ".npmrc"],
];

const DEFAULTS = {
  protectedNames: PROTECTED_NAMES.filter((name) => !REPOSITORIES.includes(name)),
  readOnlyNames: [...READ_ONLY_NAMES, ...REPOSITORIES],
  absentNames: ABSENT_NAMES,
  scanDepth: 4,
} as const;

/** Options that have been checked. All paths are absolute; the workspace is a real path. */
export interface BubblewrapSettings {
  readonly workspace: string;
  readonly network: boolean;
  readonly writable: readonly string[];
  readonly readable: readonly string[];
  readonly hidden: readonly string[];
  readonly protectedNames: readonly string[];
  readonly readOnlyNames: readonly string[];
  readonly absentNames: readonly string[];
  readonly scanDepth: number;
  readonly program: string | undefined;
}

/** @throws TypeError when an option makes no sense, or the workspace is no directory that can be one. */
export function resolveBubblewrapOptions(options: BubblewrapOptions): BubblewrapSettings {
  const workspace = realWorkspace(options.workspace);
  const paths = (name: "writable" | "readable" | "hidden") =>
    texts(name, options[name] ?? []).map((path) => resolve(workspace, path));
  const { scanDepth = DEFAULTS.scanDepth, network = false, program } = options;
  if (!Number.isSafeInteger(scanDepth) || scanDepth < 1) {
    throw misuse(`bubblewrapSandbox: scanDepth must be a whole number from 1 up, got ${quoteValue(scanDepth)}.`);
  }
  if (typeof network !== "boolean") {
    throw misuse(`bubblewrapSandbox: network must be true or false, got ${quoteValue(network)}.`);
  }
  const writable = paths("writable");
  checkProgram(program, [workspace, ...writable]);
  return {
    workspace,
    network,
    writable,
    readable: paths("readable"),
    hidden: paths("hidden"),
    protectedNames: texts("protectedNames", options.protectedNames ?? DEFAULTS.protectedNames),
    readOnlyNames: texts("readOnlyNames", options.readOnlyNames ?? DEFAULTS.readOnlyNames),
    absentNames: absent(options.absentNames ?? DEFAULTS.absentNames),
    scanDepth,
    program,
  };
}

/** Directories of the system: a workspace in one of them would make it writable. */
const NO_WORKSPACE = ["/proc", "/sys", "/dev"];

function realWorkspace(workspace: unknown): string {
  if (typeof workspace !== "string" || workspace === "") {
    throw misuse(`bubblewrapSandbox needs a workspace, got ${quoteValue(workspace)}. Write workspace: "/srv/project".`);
  }
  const real = realPath(resolve(workspace));
  if (real === undefined) throw misuse(`bubblewrapSandbox: the workspace ${quoteValue(workspace)} does not exist.`);
  if (real === "/" || NO_WORKSPACE.some((folder) => isInside(folder, real))) {
    throw misuse(`bubblewrapSandbox: ${real} cannot be a workspace. Take a directory that holds a project.`);
  }
  return real;
}

function realPath(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}

function texts(name: string, list: readonly string[]): readonly string[] {
  const isList = Array.isArray(list) && list.every((item) => typeof item === "string" && /^[^\0]+$/.test(item));
  if (!isList) throw misuse(`bubblewrapSandbox: ${name} must be a list of texts, got ${quoteValue(list)}.`);
  const tilde = list.find((item) => item.startsWith("~/"));
  if (tilde !== undefined) {
    throw misuse(
      `bubblewrapSandbox: ${name} holds ${quoteValue(tilde)}; only a shell understands ~, write it in full.`,
    );
  }
  return list;
}

function absent(names: readonly string[]): readonly string[] {
  const wrong = texts("absentNames", names).find((name) => /[*/]|^\.{0,2}$/.test(name.replace(/\/$/, "")));
  if (wrong === undefined) return names;
  throw misuse(`bubblewrapSandbox: absentNames holds ${quoteValue(wrong)}, which is not one plain name.`);
}

function checkProgram(program: unknown, writable: readonly string[]): void {
  if (program === undefined) return;
  if (typeof program !== "string" || !isAbsolute(program)) {
    throw misuse(`bubblewrapSandbox: program must be the absolute path of bwrap, got ${quoteValue(program)}.`);
  }
  if (writable.some((folder) => isInside(folder, program))) {
    throw misuse(`bubblewrapSandbox: ${program} lies where commands can replace it. Take a bwrap from outside.`);
  }
}
