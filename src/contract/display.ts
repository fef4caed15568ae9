/**
 * A tool call as it is shown to whoever approves it.
 *
 * Floor 3 (contract). Plain JSON.
 */

/** One argument to show. */
export interface DisplayedField {
  readonly name: string;
  /** Escaped: what does not show as itself stands there as `\uXXXX`. */
  readonly text: string;
  /** What is odd about it: "control", "invisible", "bidi", "mixedScript", "truncated". */
  readonly flags: readonly string[];
}

/** What to show of a call. */
export interface DisplayedCall {
  /** One line: the tool, and its command or path. */
  readonly title: string;
  readonly tool: string;
  readonly fields: readonly DisplayedField[];
  /** All flags of all fields: show a warning when there are any. */
  readonly flags: readonly string[];
}
