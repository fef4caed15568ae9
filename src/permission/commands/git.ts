/**
 * Judges `git`: only status, log and diff, with options that neither write nor run a program by themselves.
 *
 * Floor 4 (permission). What the repository's own configuration makes git run cannot be seen here: in a
 * repository that is not trusted git belongs into a sandbox.
 */
import { type OptionTable, readOptions } from "./options.ts";
import { type Place, refusePath, refuseText } from "./place.ts";
import type { Argument } from "./words.ts";

const STATUS: OptionTable = {
  flags: "sbz",
  attached: "u",
  long: "short branch long show-stash ahead-behind no-ahead-behind renames no-renames",
  longAttached: "porcelain untracked-files ignored find-renames",
};

const DIFF_LONG =
  "patch no-patch raw patch-with-stat minimal patience histogram numstat shortstat summary name-only name-status " +
  "no-color no-renames full-index binary text ignore-space-at-eol ignore-cr-at-eol ignore-space-change " +
  "ignore-all-space ignore-blank-lines function-context exit-code quiet no-ext-diff no-textconv check pickaxe-all " +
  "pickaxe-regex no-prefix cached staged merge-base compact-summary cumulative irreversible-delete";
const DIFF_VALUES = "diff-algorithm diff-filter inter-hunk-context anchored";
const DIFF_ATTACHED = "stat unified color word-diff color-words find-renames find-copies abbrev dirstat";

const DIFF: OptionTable = {
  flags: "puszwbaWR",
  values: "SGl",
  attached: "UMCB",
  long: DIFF_LONG,
  longValues: DIFF_VALUES,
  longAttached: DIFF_ATTACHED,
};

const LOG: OptionTable = {
  flags: "puszwbaWRiEFPgcmt",
  values: "SGln",
  attached: "UMCB",
  numeric: true,
  long:
    `${DIFF_LONG} oneline graph all no-merges merges reverse follow first-parent abbrev-commit no-abbrev-commit ` +
    "left-right cherry-pick cherry-mark topo-order date-order author-date-order source full-history parents children " +
    "boundary no-decorate relative-date walk-reflogs regexp-ignore-case extended-regexp fixed-strings perl-regexp " +
    "all-match invert-grep log-size no-walk simplify-by-decoration ancestry-path",
  longValues: `${DIFF_VALUES} max-count skip since after until before author committer grep date min-parents max-parents`,
  longAttached: `${DIFF_ATTACHED} decorate pretty format branches tags remotes glob exclude encoding`,
};

const COMMANDS: ReadonlyMap<string, OptionTable> = new Map([
  ["status", STATUS],
  ["log", LOG],
  ["diff", DIFF],
]);

/** Says why not. */
export function judgeGit(args: readonly Argument[], place: Place): string | undefined {
  const words = args[0]?.value === "--no-pager" ? args.slice(1) : args;
  const [command, ...rest] = words;
  const table = COMMANDS.get(command?.value ?? "");
  if (table === undefined) return "of git only status, log and diff are known to be harmless";
  const read = readOptions(rest, table);
  if (!read.ok) return read.reason;
  // %G? and its kind run the program that checks signatures.
  const format = `${read.given.get("format") ?? ""}${read.given.get("pretty") ?? ""}`;
  if (/%[-+ ]?G/.test(format)) return "its format runs a program that checks signatures";
  for (const word of rest) {
    const reason = refuseText(place, word);
    if (reason !== undefined) return reason;
  }
  for (const operand of read.operands) {
    const reason = refuseOperand(place, operand);
    if (reason !== undefined) return reason;
  }
  return undefined;
}

/** A path, a revision, or both: `main:src/index.ts`. Outside of the repository diff compares any two files. */
function refuseOperand(place: Place, { value }: Argument): string | undefined {
  if (value.startsWith(":")) return "a path with magic is not judged";
  const colon = value.indexOf(":");
  const inner = colon < 0 ? undefined : refusePath(place, { value: value.slice(colon + 1) || "." });
  // What its pattern matches was looked at with all other words.
  return inner ?? refusePath(place, { value });
}
