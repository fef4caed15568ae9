/**
 * Finds, behind a wrapper that is running, the process group of the command itself.
 *
 * Floor 2 (process). A signal to the wrapper would end the wrapper: the command would get no chance to
 * clean up, or would go on alone.
 */
import type { Readable } from "node:stream";
import type { Killable } from "../kill-tree.ts";
import { guardGroup } from "../live-groups.ts";
import type { RunningChild } from "../start-child.ts";
import { leash } from "./leash.ts";
import type { WrapperControl } from "./types.ts";

/** The file descriptor that wrappers report on. */
export const REPORT_FD = 3;

/** A report is a few lines; whatever comes after this many characters is not read. */
const MAX_REPORT_CHARS = 65_536;

/** A command behind its wrapper. */
export interface Followed {
  /** Takes the signals: the group of the command once it is known, that of the wrapper until then. */
  readonly target: Killable & { readonly pid: number };
  /** What the wrapper has written so far. */
  report(): string;
  /** To be called when nothing of the command runs any more. */
  forget(): void;
}

/** Follows `child`; `onGroup` is called when the group of the command is known. */
export function followWrapper(
  child: RunningChild,
  control: WrapperControl,
  onGroup: (group: number) => void,
): Followed {
  let report = "";
  let group: number | undefined;
  const cleanups: (() => void)[] = [];

  function look(): void {
    group = groupOf(control, report);
    if (group === undefined) return;
    cleanups.push(guardGroup(group), leash(group));
    onGroup(group);
  }

  const stream = child.stdio[REPORT_FD] as Readable | null | undefined;
  stream?.on("error", () => {});
  stream?.on("data", (chunk: Buffer) => {
    if (report.length < MAX_REPORT_CHARS) report += chunk.toString("latin1");
    if (group === undefined) look();
  });
  return {
    target: {
      get pid() {
        return group ?? child.pid;
      },
      kill: (signal) => child.kill(signal),
    },
    report: () => report,
    forget() {
      for (const cleanup of cleanups) cleanup();
    },
  };
}

/** The group of the command, if the report names one that can be signalled. Never throws. */
export function groupOf(control: WrapperControl, report: string): number | undefined {
  try {
    const group = control.groupOf(report);
    return Number.isSafeInteger(group) && Number(group) > 1 ? group : undefined;
  } catch {
    return undefined;
  }
}
