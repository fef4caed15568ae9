/**
 * Reads the arguments of a program by the list of its harmless options. What is not on the list is not
 * known to be harmless; abbreviations of long options are not on it.
 *
 * Floor 4 (permission).
 */
import type { Argument } from "./words.ts";

/** The harmless options of a program. */
export interface OptionTable {
  /** Short options without a value, as letters. */
  readonly flags?: string | undefined;
  /** Short options whose value is attached or the next argument. */
  readonly values?: string | undefined;
  /** Short options that may have an attached value. */
  readonly attached?: string | undefined;
  /** Long options without a value, without their dashes, parted by blanks. */
  readonly long?: string | undefined;
  /** Long options with a value: `--name=value` or `--name value`. */
  readonly longValues?: string | undefined;
  /** Long options that may have a value: `--name` or `--name=value`. */
  readonly longAttached?: string | undefined;
  /** Whether `-5` is an option. */
  readonly numeric?: boolean | undefined;
}

/** The arguments of a program, taken apart; or why they cannot be. */
export type ReadOptions =
  | { readonly ok: true; readonly operands: readonly Argument[]; readonly given: GivenOptions }
  | { readonly ok: false; readonly reason: string };

/** The options by letter or name, with their last value, if they have one. */
export type GivenOptions = ReadonlyMap<string, string | undefined>;

/** Takes arguments apart. */
export function readOptions(args: readonly Argument[], table: OptionTable): ReadOptions {
  const operands: Argument[] = [];
  const given = new Map<string, string | undefined>();
  const pending = [...args].reverse();
  for (let arg = pending.pop(); arg !== undefined; arg = pending.pop()) {
    const { value } = arg;
    if (value === "--") {
      operands.push(...pending.reverse());
      break;
    }
    if (value === "-" || !value.startsWith("-")) {
      operands.push(arg);
      continue;
    }
    if (table.numeric === true && /^-\d+$/.test(value)) continue;
    const found = value.startsWith("--") ? readLong(value.slice(2), table) : readShort(value.slice(1), table);
    if (found === undefined) return { ok: false, reason: `its option ${value} is not known to be harmless` };
    for (const name of found.names) given.set(name, found.value);
    if (!found.wantsNext) continue;
    const next = pending.pop();
    if (next === undefined) return { ok: false, reason: `its option ${value} has no value` };
    for (const name of found.names) given.set(name, next.value);
  }
  return { ok: true, operands, given };
}

/** What one argument stands for. Several letters share the value of the last one. */
interface FoundOptions {
  readonly names: readonly string[];
  readonly value?: string | undefined;
  /** Whether the value is the next argument. */
  readonly wantsNext: boolean;
}

/** `undefined` for an option that is not listed. */
function readLong(option: string, table: OptionTable): FoundOptions | undefined {
  const [name = "", value] = option.split(/=(.*)/s);
  const names = [name];
  if (lists(table.longValues, name)) return { names, value, wantsNext: value === undefined };
  if (lists(table.longAttached, name)) return { names, value, wantsNext: false };
  return value === undefined && lists(table.long, name) ? { names, wantsNext: false } : undefined;
}

/** `undefined` where one of the letters is not listed. */
function readShort(letters: string, table: OptionTable): FoundOptions | undefined {
  const names: string[] = [];
  for (let rest = letters; rest !== ""; rest = rest.slice(1)) {
    const letter = rest.charAt(0);
    const value = rest.slice(1);
    names.push(letter);
    if (table.values?.includes(letter)) return { names, value, wantsNext: value === "" };
    if (table.attached?.includes(letter)) return { names, value, wantsNext: false };
    if (!table.flags?.includes(letter)) return undefined;
  }
  return { names, wantsNext: false };
}

function lists(names: string | undefined, name: string): boolean {
  return names?.split(" ").includes(name) === true;
}
