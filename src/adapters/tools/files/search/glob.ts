/**
 * Globs as ripgrep and .gitignore files read them: "*.ts" is found in every folder, "src/*.ts" only in "src".
 *
 * Wing (adapters). Matched by the package `ignore`, which is bundled, in a time that no pattern makes
 * long: picomatch needs 9 s for one name of 60 characters and six stars.
 */
import ignore from "ignore";
import { quoteValue } from "../../../../util/text.ts";
import { rejected } from "../refusal.ts";
import { expandBraces } from "./braces.ts";
import { innerGlobstars, MAX_INNER_GLOBSTARS } from "./ignore-rules.ts";

/** Finds out whether a path fits; from the folder on in which the glob starts, parted by "/". */
export type Glob = (path: string) => boolean;

const MAX_PATTERN_CHARS = 1_000;
const MAX_ALTERNATIVES = 100;

/**
 * Compiles a glob. A folder that fits stands for all that is in it.
 *
 * @param root - The absolute path of the folder in which it starts; a pattern may begin with it.
 * @throws ToolError `TOOL_REJECTED` for a pattern that fits nothing or costs too much.
 */
export function compileGlob(pattern: string, root: string): Glob {
  const fits = typeof pattern === "string" && pattern !== "" && pattern.length <= MAX_PATTERN_CHARS;
  if (!fits || /[\0\n\r]/.test(pattern)) {
    throw rejected(`A glob is a text of 1 to ${MAX_PATTERN_CHARS} characters on one line, got ${quoteValue(pattern)}.`);
  }
  const own = ownPattern(pattern, root);
  const alternatives = expandBraces(own, MAX_ALTERNATIVES);
  if (alternatives === undefined) {
    throw rejected(
      `The glob ${quoteValue(pattern)} stands for more than ${MAX_ALTERNATIVES} patterns. Make it simpler.`,
    );
  }
  for (const alternative of alternatives) checkAlternative(alternative, pattern);
  const rules = ignore({ ignorecase: false }).add(alternatives.map(asRule));
  return (path) => rules.ignores(path);
}

function ownPattern(pattern: string, root: string): string {
  const below = `${root}/`;
  if (pattern.startsWith(below)) return `/${pattern.slice(below.length)}`;
  return pattern.replace(/^(\.\/)+/, "/");
}

function checkAlternative(alternative: string, pattern: string): void {
  if (alternative.split("/").includes("..")) {
    throw rejected(`The glob ${quoteValue(pattern)} goes up with "..". Start it in the folder that you give as path.`);
  }
  if (innerGlobstars(alternative) <= MAX_INNER_GLOBSTARS) return;
  throw rejected(`The glob ${quoteValue(pattern)} has more than ${MAX_INNER_GLOBSTARS} "**". Make it simpler.`);
}

/** A line of a .gitignore file that means the same: "!" and "#" at its start, and blanks at its end, are plain. */
function asRule(alternative: string): string {
  return alternative.replace(/^[!#]/, "\\$&").replace(/ (?= *$)/g, "\\ ");
}
