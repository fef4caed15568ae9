/**
 * The form of a rule, as hosts write it.
 *
 * Floor 4 (permission).
 */
import type { Decision, PermissionContext } from "../contract/permission.ts";
import type { CommandMatcher, PathMatcher } from "./matcher.ts";

/** What a rule may look at. */
export interface JudgedCall {
  readonly tool: string;
  /** A frozen copy. */
  readonly args: unknown;
  readonly context: PermissionContext;
}

/** Decides by the arguments. Must answer with a boolean; anything else, a throw or a long wait denies the call. */
export type ArgumentTest = (args: unknown, call: JudgedCall) => boolean | Promise<boolean>;

/** Arguments by name: a value must be equal, a pattern must be found in the text, a test must say true. */
export interface ArgumentValues {
  readonly [argument: string]: string | number | boolean | null | RegExp | ((value: unknown) => boolean);
}

/** What a rule asks of the arguments. */
export type ArgumentMatcher = ArgumentTest | ArgumentValues | CommandMatcher | PathMatcher;

/** One rule. The strictest of all rules that match wins, in whatever order they stand. */
export interface Rule {
  /** The name of a tool; `*` stands for any characters. */
  readonly tool: string;
  /** @defaultValue every call of the tool */
  readonly when?: ArgumentMatcher | undefined;
  readonly decision: Decision;
  /** Read by the model and by people. */
  readonly reason?: string | undefined;
  /** Names the rule in the record. @defaultValue made of its decision and its tool */
  readonly id?: string | undefined;
  /** Arguments that the rule must match, and arguments that it must not; checked when the gate is made. */
  readonly examples?: { readonly match?: readonly unknown[]; readonly notMatch?: readonly unknown[] } | undefined;
}
