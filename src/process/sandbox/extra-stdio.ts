/**
 * The descriptors above the three usual ones that a wrapper starts with.
 *
 * Floor 2 (process). What our own parent left open for everybody would be open inside, too: Node closes such
 * descriptors only up to the first gap. `/dev/null` takes their place.
 */
import { closeSync, openSync, readdirSync, readFileSync } from "node:fs";
import type { ExtraStdio } from "../start-child.ts";
import { REPORT_FD } from "./follow-wrapper.ts";

/** See fcntl(2); in octal, as in proc_pid_fdinfo(5). */
const O_CLOEXEC = 0o2000000;

/** Descriptors for a wrapper; close them when it has been started. */
export interface OpenedStdio {
  readonly entries: ExtraStdio;
  close(): void;
}

/** @param hasReport - Whether the wrapper writes a report. */
export function openExtraStdio(hasReport: boolean, fdinfo = "/proc/self/fdinfo"): OpenedStdio {
  const entries: ExtraStdio[number][] = hasReport ? ["pipe"] : [];
  const leaking = inherited(fdinfo).filter((fd) => fd >= REPORT_FD + entries.length);
  if (leaking.length === 0) return { entries, close: () => {} };
  const nothing = openSync("/dev/null", "r+");
  for (const fd of leaking) {
    // An ignored descriptor above the third is left as it is, closed.
    while (entries.length < fd - REPORT_FD) entries.push("ignore");
    entries[fd - REPORT_FD] = nothing;
  }
  return { entries, close: () => closeSync(nothing) };
}

function inherited(fdinfo: string): number[] {
  return names(fdinfo)
    .map(Number)
    .filter((fd) => fd >= REPORT_FD && !closesOnExec(`${fdinfo}/${fd}`))
    .sort((one, other) => one - other);
}

function names(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function closesOnExec(path: string): boolean {
  try {
    const flags = /^flags:\s*([0-7]+)$/m.exec(readFileSync(path, "latin1"))?.[1] ?? "0";
    return (Number.parseInt(flags, 8) & O_CLOEXEC) !== 0;
  } catch {
    // Closed since, as the one that listed the folder.
    return true;
  }
}
