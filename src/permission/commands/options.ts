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
  | { readonly ok: true; readonly operands: readonly Argument[]; readonly given: ReadonlyMap<string, string> }
  | { readonly ok: false; readonly reason: string };

/** Takes arguments apart. `given` holds the options by letter or name, with their last value. */
export function readOptions(args: readonly Argument[], table: OptionTable): ReadOptions {
  const operands: Argument[] = [];
  const given = new Map<string, string>();
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
    const wantsNext = value.startsWith("--") ? readLong(value, table, given) : readShort(value, table, given);
    if (wantsNext === undefined) return { ok: false, reason: `its option ${value} is not known to be harmless` };
    if (wantsNext === "") continue;
    const next = pending.pop();
    if (next === undefined) return { ok: false, reason: `its option ${value} has no value` };
    given.set(wantsNext, next.value);
  }
  return { ok: true, operands, given };
}

/** The option that the next argument belongs to; "" when none does; `undefined` for one that is not listed. */
function readLong(word: string, table: OptionTable, given: Map<string, string>): string | undefined {
  const equals = word.indexOf("=");
  const name = equals < 0 ? word.slice(2) : word.slice(2, equals);
  const value = equals < 0 ? undefined : word.slice(equals + 1);
  if (lists(table.longValues, name)) {
    if (value === undefined) return name;
  } else if (
    value === undefined
      ? !lists(table.long, name) && !lists(table.longAttached, name)
      : !lists(table.longAttached, name)
  ) {
    return undefined;
  }
  given.set(name, value ?? "");
  return "";
}

function readShort(word: string, table: OptionTable, given: Map<string, string>): string | undefined {
  for (let at = 1; at < word.length; at++) {
    const letter = word[at] ?? "";
    if (table.values?.includes(letter)) {
      const value = word.slice(at + 1);
      if (value === "") return letter;
      given.set(letter, value);
      return "";
    }
    if (table.attached?.includes(letter)) {
      given.set(letter, word.slice(at + 1));
      return "";
    }
    if (!table.flags?.includes(letter)) return undefined;
    given.set(letter, "");
  }
  return "";
}

function lists(names: string | undefined, name: string): boolean {
  return name !== "" && names !== undefined && names.split(" ").includes(name);
}
