/**
 * The flags that confined files and directories are opened with.
 *
 * Floor 2 (process). Windows knows neither O_NOFOLLOW nor O_DIRECTORY; there the descriptor alone is looked at.
 */
import type { constants } from "node:fs";
import type { OpenFlags } from "./confine-types.ts";

type Known = Partial<Pick<typeof constants, "O_NOFOLLOW" | "O_NONBLOCK" | "O_DIRECTORY">> &
  Pick<typeof constants, "O_RDONLY" | "O_WRONLY" | "O_RDWR" | "O_CREAT" | "O_EXCL" | "O_APPEND">;

/** Numbers for `open`. */
export interface OpenNumbers {
  readonly file: Readonly<Record<OpenFlags, number>>;
  readonly directory: number;
}

/** Puts the flags together from what the system knows. */
export function openNumbers(known: Known): OpenNumbers {
  const { O_RDONLY, O_WRONLY, O_RDWR, O_CREAT, O_EXCL, O_APPEND } = known;
  const { O_NOFOLLOW = 0, O_NONBLOCK = 0, O_DIRECTORY = 0 } = known;
  // O_NONBLOCK: opening a FIFO that nobody writes to would wait for ever.
  const always = O_NOFOLLOW | O_NONBLOCK;
  return {
    // Without O_TRUNC: nothing is cut before it is known what was opened.
    file: {
      r: O_RDONLY | always,
      "r+": O_RDWR | always,
      w: O_WRONLY | O_CREAT | always,
      a: O_WRONLY | O_CREAT | O_APPEND | always,
      wx: O_WRONLY | O_CREAT | O_EXCL | always,
    },
    directory: O_RDONLY | O_DIRECTORY | O_NOFOLLOW,
  };
}
