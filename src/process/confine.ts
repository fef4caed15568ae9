/**
 * Keeps paths that a model chose inside the workspace: the check that the gate and the file tools share.
 *
 * Floor 2 (process). Node only. The roots are real directories, fixed when the confinement is made;
 * whatever a call brings along, its own `cwd` included, is only an operand.
 */
import { statSync } from "node:fs";
import { isAbsolute, relative, resolve } from "node:path";
import { misuse } from "../util/misuse.ts";
import { quoteValue } from "../util/text.ts";
import { type NameList, nameList, PROTECTED_NAMES, READ_ONLY_NAMES } from "./confine-names.ts";
import { openConfined, openingOf, openPlace } from "./confine-open.ts";
import { isInside, resolvePath, split } from "./confine-resolve.ts";
import type {
  Confinement,
  ConfinementOptions,
  OpenRequest,
  PathOp,
  PathRequest,
  PathVerdict,
} from "./confine-types.ts";

/** The names that a confinement refuses. */
export interface ConfinedNames {
  readonly isProtected: NameList;
  readonly isReadOnly: NameList;
}

/**
 * Fixes the roots of a workspace.
 *
 * @throws TypeError when there is no root, or one is no path.
 * @example
 * const workspace = createConfinement({ roots: ["/srv/project"] });
 * workspace.check({ op: "write", path: "../outside.txt" }); // { decision: "deny", reason: … }
 */
export function createConfinement(options: ConfinementOptions): Confinement {
  const roots = realRoots(options.roots);
  const names: ConfinedNames = {
    isProtected: nameList(options.protectedNames ?? PROTECTED_NAMES),
    isReadOnly: nameList(options.readOnlyNames ?? READ_ONLY_NAMES),
  };
  const check = (request: PathRequest) => checkConfined(request, roots, names);
  const opening = openingOf(check);
  return Object.freeze({
    roots,
    isProtected: names.isProtected,
    check,
    open: (request: OpenRequest) => openConfined(request, opening),
    openPlace: (request: PathRequest) => openPlace(request, opening),
  });
}

type Roots = readonly [string, ...string[]];

function realRoots(roots: readonly string[]): Roots {
  if (!Array.isArray(roots) || roots.length === 0)
    throw misuse('A confinement needs roots. Write roots: ["/srv/project"].');
  return Object.freeze(
    roots.map((root: unknown) => {
      if (typeof root !== "string" || root === "" || root.includes("\0")) {
        throw misuse(`A root is the path of a directory, got ${quoteValue(root)}.`);
      }
      const real = resolvePath(process.cwd(), resolve(root));
      if (!real.ok) throw misuse(`The root ${quoteValue(root)} cannot be used: ${real.reason}.`);
      return real.path;
    }),
  ) as Roots;
}

const MAX_PATH_CHARS = 4_096;

function checkConfined(request: PathRequest, roots: Roots, names: ConfinedNames): PathVerdict {
  const { path } = request;
  const misspelt = misspelling(path);
  if (misspelt !== undefined) return deny(misspelt);
  const base = request.base === undefined ? roots[0] : resolve(request.base);
  const resolved = resolvePath(base, path);
  if (!resolved.ok) return deny(resolved.reason);
  const root = roots.find((candidate) => isInside(candidate, resolved.path));
  if (root === undefined) return deny(`${quoteValue(path)} is outside of the workspace ${roots.join(", ")}`, true);
  const system = SYSTEM_FOLDERS.find((folder) => isInside(folder, resolved.path) && !isInside(folder, root));
  if (system !== undefined) return deny(`${system} is no place for files`);
  const refused = refusedName([...split(relative(root, resolved.path)), ...askedNames(path, roots)], request.op, names);
  if (refused !== undefined) return deny(refused);
  const special = resolved.exists ? specialFile(resolved.path) : undefined;
  if (special !== undefined) return deny(`${quoteValue(path)} is ${special}`);
  return { decision: "allow", path: resolved.path, root, exists: resolved.exists };
}

const SYSTEM_FOLDERS = ["/proc", "/sys", "/dev"];

/** What no path that is meant looks like. */
function misspelling(path: unknown): string | undefined {
  if (typeof path !== "string" || path === "") return "a path is a text that is not empty";
  if (path.includes("\0")) return "the path holds a NUL character, which ends a path early for some programs";
  if (path.length > MAX_PATH_CHARS) return `the path is longer than ${MAX_PATH_CHARS} characters`;
  if (path.startsWith("~")) return "the path starts with ~, which only a shell understands; write it in full";
  if (/(^|\\)\.\.\\|\\\.\.($|[\\/])/.test(path)) return "the path goes up with a backslash";
  return undefined;
}

/** The names as they were written, below the root: a protected name may itself be a link to something else. */
function askedNames(path: string, roots: readonly string[]): string[] {
  if (!isAbsolute(path)) return path.split(/[\\/]/);
  const root = roots.find((candidate) => isInside(candidate, resolve(path)));
  return root === undefined ? [] : split(relative(root, resolve(path)));
}

function refusedName(parts: readonly string[], op: PathOp, names: ConfinedNames): string | undefined {
  const reading = op === "read" || op === "list";
  for (const name of parts) {
    if (name === "" || name === "." || name === "..") continue;
    if (names.isProtected(name)) return `${quoteValue(name)} is a protected name`;
    if (!reading && names.isReadOnly(name)) return `${quoteValue(name)} may be read but not written`;
  }
  return undefined;
}

function specialFile(path: string): string | undefined {
  try {
    const stats = statSync(path);
    return stats.isFile() || stats.isDirectory() ? undefined : "no regular file and no directory";
  } catch {
    // Gone or out of reach since it was looked at: whoever opens it is told by the system.
    return undefined;
  }
}

function deny(reason: string, isOutside = false): PathVerdict {
  return { decision: "deny", reason, isOutside };
}
