/**
 * Judges `find`, whose expression can run programs, delete and write.
 *
 * Floor 4 (permission).
 */
import { type Place, refusePath, refuseText } from "./place.ts";
import type { Argument } from "./words.ts";

const TESTS: ReadonlySet<string> = new Set(
  (
    "-print -print0 -ls -not -a -and -o -or ( ) ! , -prune -true -false -empty -readable -writable -executable " +
    "-nouser -nogroup -depth -mount -xdev -daystart -noleaf -warn -nowarn -ignore_readdir_race -noignore_readdir_race"
  ).split(" "),
);
const WITH_TEXT: ReadonlySet<string> = new Set(
  (
    "-name -iname -path -ipath -wholename -iwholename -regex -iregex -regextype -lname -ilname -type -xtype -size " +
    "-mtime -mmin -atime -amin -ctime -cmin -newermt -newerat -newerct -maxdepth -mindepth -perm -user -group -uid " +
    "-gid -links -inum -used -fstype -printf"
  ).split(" "),
);
const WITH_PATH: ReadonlySet<string> = new Set(["-newer", "-anewer", "-cnewer", "-samefile"]);

/** Says why not. */
export function judgeFind(args: readonly Argument[], place: Place): string | undefined {
  const pending = [...args].reverse();
  let inExpression = false;
  for (let arg = pending.pop(); arg !== undefined; arg = pending.pop()) {
    const { value } = arg;
    if (!inExpression && value === "-P") continue;
    inExpression ||= /^(-.|[()!,])/.test(value);
    if (!inExpression) {
      const refused = refusePath(place, arg);
      if (refused !== undefined) return refused;
      continue;
    }
    const refused = refuseText(place, arg) ?? judgeTest(value, pending, place);
    if (refused !== undefined) return refused;
  }
  return undefined;
}

function judgeTest(test: string, pending: Argument[], place: Place): string | undefined {
  if (TESTS.has(test)) return undefined;
  const takesPath = WITH_PATH.has(test);
  if (!takesPath && !WITH_TEXT.has(test)) return `its expression ${test} is not known to be harmless`;
  const operand = pending.pop();
  if (operand === undefined) return `its expression ${test} has no value`;
  return takesPath ? refusePath(place, operand) : refuseText(place, operand);
}
