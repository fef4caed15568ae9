/**
 * What the command line touches of the world, so that tests can stand in for it.
 *
 * Command line.
 */

/** A stream to read, which may be a terminal. */
export type Input = NodeJS.ReadableStream & {
  readonly isTTY?: boolean | undefined;
  /** Whether nothing will ever come again. */
  readonly readableEnded?: boolean | undefined;
};

/** A stream to write, which may be a terminal. */
export type Output = NodeJS.WritableStream & {
  readonly isTTY?: boolean | undefined;
  /** The width of the terminal. */
  readonly columns?: number | undefined;
};

/** Requests from outside to stop: Ctrl-C, a signal, an output that was closed. */
export interface Interrupts {
  /** Calls back at each request; the returned function stops that. */
  listen(callback: OnInterrupt): () => void;
  /** Tells all listeners: where keys are read one by one, Ctrl-C is a key and no signal. */
  raise(why: string): void;
  /** Ends the process at once. */
  exitNow(status: number): void;
}

/** Hears that the person wants to stop, and by what. */
export type OnInterrupt = (why: string) => void;

/** Everything outside of the program. */
export interface CliIo {
  /** The arguments behind the program's own name. */
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly stdin: Input;
  readonly stdout: Output;
  readonly stderr: Output;
  readonly interrupts: Interrupts;
}

/** The exit statuses. */
export const EXIT = { completed: 0, failed: 1, misuse: 2, aborted: 130 } as const;

/** Why a run was aborted at the keyboard. */
export const CTRL_C = "Ctrl-C was pressed.";
