/**
 * What a sandbox is: something that turns a command into one that cannot do harm, or refuses.
 *
 * Floor 2 (process). The boundary itself is the wrapper's (bubblewrap, a container, a remote machine).
 */
import type { NotStarted, NotStartedCode, TerminationReason } from "../result.ts";

/** How far something outside is within reach: not at all, only what was listed, or as without a sandbox. */
export type Containment = "closed" | "listed" | "open";

/** What a sandbox promises about the commands in it. */
export interface SandboxGuarantees {
  /** Which files can be written. */
  readonly fsWrite: Containment;
  /** Which files can be read. */
  readonly fsRead: Containment;
  /** Which hosts can be reached. */
  readonly net: Containment;
  /** Which processes can be seen and signalled besides the command's own. */
  readonly proc: Containment;
}

/** A command, ready to be started. */
export interface SpawnSpec {
  /** An absolute path, or a name that is looked up in the `PATH` of `env`. */
  readonly file: string;
  readonly args: readonly string[];
  /** Absolute. */
  readonly cwd: string;
  /** The whole environment. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** What is to happen to processes that the command leaves running. */
  readonly background: "kill" | "keep";
}

/** What is started instead of the command. */
export interface SandboxedCommand {
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** For a wrapper that writes on file descriptor 3 what becomes of the command. */
  readonly control?: WrapperControl | undefined;
  /** Called once when the command is over, or when it was not started after all. */
  release?(): void;
}

/** Reads what a wrapper reports, so that the command's fate is not taken for the wrapper's. */
export interface WrapperControl {
  /**
   * The process group of the command, as soon as the report names it. Signals go there, and when its leader
   * is killed nothing of the command may be left.
   */
  groupOf(report: string): number | undefined;
  /** What became of the command, told from how its wrapper ended. */
  outcomeOf(end: WrapperEnd): WrapperOutcome;
}

/** How a wrapper ended. */
export interface WrapperEnd {
  /** All that it wrote on file descriptor 3. */
  readonly report: string;
  readonly stderr: string;
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  /** Why we ended it, if we did. */
  readonly stopped: Exclude<TerminationReason, "signal"> | undefined;
}

/** The command's own end, or why it never began. */
export type WrapperOutcome =
  | { readonly status: "ran"; readonly exitCode: number | null; readonly signal: NodeJS.Signals | null }
  | {
      readonly status: "notStarted";
      readonly code: NotStartedCode;
      readonly subject?: NotStarted["subject"] | undefined;
      readonly reason: string;
    };

/** Whether a sandbox does what it promises on this machine. */
export type SandboxCheck = { readonly ok: true } | { readonly ok: false; readonly reason: string };

/**
 * Wraps commands. Give it to `runProcess` or `bashTool` as `sandbox`. It fails closed: when `wrap` throws,
 * answers something unusable or never answers, nothing runs and the result is `SANDBOX_FAILED`.
 */
export interface Sandbox {
  /** Appears in every result as `sandbox`. */
  readonly name: string;
  readonly guarantees: SandboxGuarantees;
  /** One sentence for the model: what a command can do in here. */
  readonly description?: string | undefined;
  /** Finds out whether commands can run in it here, so that a program can say so when it starts. Never rejects. */
  check?(): Promise<SandboxCheck>;
  /** Turns a command into one that runs inside. May be called many times at once. */
  wrap(spec: SpawnSpec): Promise<SandboxedCommand>;
  /** As `wrap`, for `runProcessSync`, which refuses to run without it. */
  wrapSync?(spec: SpawnSpec): SandboxedCommand;
}
