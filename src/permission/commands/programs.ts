/**
 * The programs that can be allowed: what each of them reads, and which of its options are harmless.
 *
 * Floor 4 (permission). An option is on a list only when it neither runs a program, nor writes a file, nor
 * reads one that is not judged. What is missing is asked about, never allowed.
 */
import { judgeFind } from "./find.ts";
import { judgeGit } from "./git.ts";
import { type GivenOptions, type OptionTable, readOptions } from "./options.ts";
import { type Place, refusePath, refuseText, refuseTree } from "./place.ts";
import type { Argument } from "./words.ts";

/** Says why the arguments of a program are not known to be harmless. */
export type Judge = (args: readonly Argument[], place: Place) => string | undefined;

type Operands = "paths" | "text" | "none" | "onePath";

function program(operands: Operands, table: OptionTable = {}): Judge {
  return (args, place) => {
    const read = readOptions(args, table);
    if (!read.ok) return read.reason;
    return refuseWords(args, place) ?? judgeOperands(operands, read.operands, place);
  };
}

function refuseWords(args: readonly Argument[], place: Place): string | undefined {
  return firstReason(args, (arg) => refuseText(place, arg));
}

function judgeOperands(kind: Operands, operands: readonly Argument[], place: Place): string | undefined {
  if (kind === "none" && operands.length > 0) return "it takes no operands here";
  // The second file of uniq is written.
  if (kind === "onePath" && (operands.length > 1 || operands[0]?.glob !== undefined))
    return "it writes its second file";
  return kind === "text" ? undefined : firstReason(operands, (operand) => refuseInput(place, operand));
}

/** Why an operand may not be read; what its pattern matches was looked at with all other words. */
function refuseInput(place: Place, { value }: Argument): string | undefined {
  return value === "-" ? undefined : refusePath(place, { value });
}

function firstReason(args: readonly Argument[], ask: (arg: Argument) => string | undefined): string | undefined {
  for (const arg of args) {
    const reason = ask(arg);
    if (reason !== undefined) return reason;
  }
  return undefined;
}

const GREP: OptionTable = {
  flags: "EFGPivwxcLlqsbHhnorzZaIUTy",
  values: "eABCm",
  numeric: true,
  long:
    "extended-regexp fixed-strings basic-regexp perl-regexp ignore-case no-ignore-case invert-match word-regexp " +
    "line-regexp count files-without-match files-with-matches quiet silent no-messages byte-offset with-filename " +
    "no-filename line-number only-matching recursive null-data null text initial-tab line-buffered",
  longValues:
    "regexp after-context before-context context max-count include exclude exclude-dir label binary-files " +
    "group-separator",
  longAttached: "color colour",
};

const RG: OptionTable = {
  flags: "iSsnNlcvwxoFUPHI0qapbh.",
  values: "egtTABCmMrdj",
  long:
    "ignore-case smart-case case-sensitive line-number no-line-number files-with-matches files-without-match count " +
    "count-matches invert-match word-regexp line-regexp only-matching fixed-strings multiline pcre2 with-filename " +
    "no-filename null quiet text pretty heading no-heading column trim vimgrep json stats files hidden no-ignore " +
    "no-config crlf multiline-dotall passthru type-list no-messages byte-offset one-file-system",
  longValues:
    "regexp glob iglob type type-not after-context before-context context max-count max-columns replace max-depth " +
    "threads color sort sortr max-filesize encoding engine",
};

const SORT: OptionTable = {
  flags: "bdfgiMhnRrVcCmsuz",
  values: "ktS",
  long:
    "ignore-leading-blanks dictionary-order ignore-case general-numeric-sort ignore-nonprinting month-sort " +
    "human-numeric-sort numeric-sort random-sort reverse version-sort merge stable unique zero-terminated",
  longValues: "key field-separator buffer-size parallel",
  longAttached: "check sort",
};

const DIFF: OptionTable = {
  flags: "qscunyiEZbwBaNtTdpr",
  values: "UCWIF",
  long:
    "brief report-identical-files side-by-side left-column suppress-common-lines ignore-case ignore-tab-expansion " +
    "ignore-trailing-space ignore-space-change ignore-all-space ignore-blank-lines strip-trailing-cr text minimal " +
    "recursive new-file normal show-c-function expand-tabs",
  longValues: "width ignore-matching-lines label show-function-line",
  longAttached: "unified context color",
};

const LS: OptionTable = {
  flags: "aAbBcCdfFgGhHiklLmnNopqQrRsStuUvxXZ1",
  long:
    "all almost-all escape ignore-backups directory classify file-type human-readable si inode kibibytes " +
    "numeric-uid-gid no-group literal quote-name reverse recursive size full-time group-directories-first zero",
  longValues: "block-size format indicator-style quoting-style sort time time-style hide ignore width tabsize",
  longAttached: "color hyperlink classify",
};

const HEAD: OptionTable = {
  flags: "qvz",
  values: "nc",
  numeric: true,
  long: "quiet silent verbose zero-terminated",
  longValues: "lines bytes",
};

/** Searches a tree: in the current directory when no path is given and `isTree` says so. */
function searcher(table: OptionTable, isTree: (given: GivenOptions) => boolean): Judge {
  return (args, place) => {
    const read = readOptions(args, table);
    if (!read.ok) return read.reason;
    const { given } = read;
    const hasPattern = given.has("e") || given.has("regexp") || given.has("files") || given.has("type-list");
    const paths = hasPattern ? read.operands : read.operands.slice(1);
    const tree = isTree(given);
    const searched = tree && paths.length === 0 ? [{ value: "." }] : paths;
    const skips = (name: string) =>
      excludes(args, name) || (table === RG && !seesHidden(given) && name.startsWith("."));
    return (
      refuseWords(args, place) ??
      firstReason(searched, (path) => (tree ? refuseTree(place, path, skips) : refuseInput(place, path)))
    );
  };
}

function excludes(args: readonly Argument[], name: string): boolean {
  return args.some(({ value }) => value === `--exclude-dir=${name}`);
}

function seesHidden(given: GivenOptions): boolean {
  return given.has("hidden") || given.has(".");
}

const judgeDiff: Judge = (args, place) => {
  const read = readOptions(args, DIFF);
  if (!read.ok) return read.reason;
  const isTree = read.given.has("r") || read.given.has("recursive");
  return (
    refuseWords(args, place) ??
    firstReason(read.operands, (path) => (isTree ? refuseTree(place, path) : refuseInput(place, path)))
  );
};

/** Prints lines by their numbers and nothing else: `sed -n '5,10p'`. */
const judgeSed: Judge = (args, place) => {
  const [flag, script, ...files] = args;
  if (flag?.value !== "-n" || !/^(\d+|\$)(,(\d+|\$))?p$/.test(script?.value ?? "")) {
    return "of sed only -n with lines to print is known to be harmless";
  }
  if (files.some(({ value }) => value.startsWith("-")))
    return "of sed only -n with lines to print is known to be harmless";
  return firstReason(files, (file) => refusePath(place, file));
};

/** `%n` assigns a variable, and an index in its name runs commands. */
const judgePrintf: Judge = (args, place) => {
  const format = args[0]?.value ?? "";
  if (format.startsWith("-") || /%(?![-+ #0]*\d*(\.\d+)?[diouxXeEfgGcsbq])/.test(format.replaceAll("%%", ""))) {
    return "its format is not known to be harmless";
  }
  return refuseWords(args, place);
};

const judgeText: Judge = refuseWords;

const judgeDate: Judge = (args, place) => {
  const read = readOptions(args, {
    flags: "uR",
    attached: "I",
    long: "utc universal rfc-email",
    longAttached: "iso-8601",
  });
  if (!read.ok) return read.reason;
  if (!read.operands.every(({ value }) => value.startsWith("+"))) return "it can set the clock";
  return refuseWords(args, place);
};

const judgeCd: Judge = (args, place) => {
  if (args.length > 1 || args[0]?.value.startsWith("-")) return "only one directory is known to be harmless";
  return firstReason(args, (arg) => refusePath(place, arg));
};

const JUDGES: ReadonlyMap<string, Judge> = new Map([
  ["ls", program("paths", LS)],
  [
    "cat",
    program("paths", {
      flags: "AbeEnstTuv",
      long: "show-all number-nonblank show-ends number squeeze-blank show-tabs show-nonprinting",
    }),
  ],
  ["head", program("paths", HEAD)],
  ["tail", program("paths", HEAD)],
  ["wc", program("paths", { flags: "cmlLw", long: "bytes chars lines max-line-length words", longValues: "total" })],
  ["grep", searcher(GREP, (given) => given.has("r") || given.has("recursive"))],
  ["rg", searcher(RG, () => true)],
  ["find", judgeFind],
  ["git", judgeGit],
  ["sed", judgeSed],
  ["sort", program("paths", SORT)],
  [
    "uniq",
    program("onePath", {
      flags: "cdDiuz",
      values: "fsw",
      long: "count repeated ignore-case unique zero-terminated",
      longValues: "skip-fields skip-chars check-chars",
      longAttached: "all-repeated group",
    }),
  ],
  [
    "cut",
    program("paths", {
      flags: "nsz",
      values: "bcdf",
      long: "complement only-delimited zero-terminated",
      longValues: "bytes characters delimiter fields output-delimiter",
    }),
  ],
  ["diff", judgeDiff],
  ["stat", program("paths", { flags: "ft", values: "c", long: "file-system terse", longValues: "format printf" })],
  ["pwd", program("none", { flags: "LP", long: "logical physical" })],
  ["cd", judgeCd],
  ["echo", judgeText],
  ["printf", judgePrintf],
  ["true", judgeText],
  ["false", judgeText],
  ["tr", program("text", { flags: "cCdst", long: "complement delete squeeze-repeats truncate-set1" })],
  ["basename", program("text", { flags: "az", values: "s", long: "multiple zero", longValues: "suffix" })],
  ["dirname", program("text", { flags: "z", long: "zero" })],
  ["nl", program("paths", { flags: "p", values: "bdfhilnsvw" })],
  ["tac", program("paths", { flags: "br", values: "s", long: "before regex", longValues: "separator" })],
  [
    "comm",
    program("paths", {
      flags: "123z",
      long: "check-order nocheck-order total zero-terminated",
      longValues: "output-delimiter",
    }),
  ],
  [
    "du",
    program("paths", {
      flags: "abchkmsSx0",
      values: "dt",
      long: "all apparent-size bytes human-readable summarize total one-file-system",
      longValues: "max-depth exclude threshold",
    }),
  ],
  ["readlink", program("paths", { flags: "efmnqsvz" })],
  ["realpath", program("paths", { flags: "emLPqsz" })],
  ["file", program("paths", { flags: "bihkLNnprs0", long: "brief mime mime-type mime-encoding dereference" })],
  ["md5sum", program("paths", { flags: "btz" })],
  ["sha1sum", program("paths", { flags: "btz" })],
  ["sha256sum", program("paths", { flags: "btz" })],
  ["seq", program("text", { flags: "w", values: "fs", numeric: true })],
  ["date", judgeDate],
  ["whoami", program("none")],
  ["uname", program("none", { flags: "asnrvmpio", long: "all" })],
  ["nproc", program("none", { long: "all" })],
  ["which", program("text", { flags: "a" })],
  ["type", program("text", { flags: "aftpP" })],
]);

/** The judge of a program; `undefined` for programs that are not known. */
export function judgeOf(name: string): Judge | undefined {
  return JUDGES.get(name);
}
