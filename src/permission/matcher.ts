/**
 * Conditions on the command or the path in the arguments of a call.
 *
 * Floor 4 (permission). What "match" means depends on the decision: to allow, a call must be proven to fit;
 * to deny or to ask, it must only be possible that it does.
 */
import type { Decision } from "../contract/permission.ts";
import { errorMessage } from "../errors/index.ts";
import { createConfinement } from "../process/confine.ts";
import type { PathOp, PathVerdict } from "../process/confine-types.ts";
import { type JsonValue, toJson } from "../util/json.ts";
import { judgeText } from "./commands/check-command.ts";
import { loadParser } from "./commands/parser.ts";
import { type ResolvedPolicy, resolvePolicy } from "./commands/policy.ts";
import { ownMember } from "./own-member.ts";

/** A condition, built for one decision. */
export interface BuiltMatcher {
  /** What it stands for, as part of the hash of the policy. */
  readonly description: JsonValue;
  matches(args: unknown): boolean | Promise<boolean>;
}

/** Tells a condition from a list of arguments, also one that another copy of the package made. */
const UNBUILT: unique symbol = Symbol.for("harness-kit.condition");

interface Unbuilt<Type extends string> {
  /** @internal */
  readonly [UNBUILT]: true;
  readonly type: Type;
  /** @internal */
  build(decision: Decision, fail: (problem: string) => TypeError): BuiltMatcher;
}

/** Made by {@link Command}. */
export interface CommandMatcher extends Unbuilt<"command"> {
  readonly patterns: readonly string[];
  readonly options: CommandOptions;
}

/** Made by {@link Path}. */
export interface PathMatcher extends Unbuilt<"path"> {
  readonly options: PathOptions;
}

/** Where a command stands in the arguments, and which files it may read. */
export interface CommandOptions {
  /** @defaultValue "command" */
  readonly argument?: string | undefined;
  /** The argument with the directory that the model asks for. @defaultValue "cwd" */
  readonly cwdArgument?: string | undefined;
  /** Where commands run. @defaultValue the first root */
  readonly cwd?: string | undefined;
  /** The directories whose files may be read. Without them no command with a path is allowed. */
  readonly roots?: readonly string[] | undefined;
  readonly protectedNames?: readonly string[] | undefined;
}

/** Which paths a rule is about. */
export interface PathOptions {
  readonly op: PathOp;
  readonly roots: readonly string[];
  /** The arguments with the paths. @defaultValue "path" */
  readonly argument?: string | readonly string[] | undefined;
  readonly protectedNames?: readonly string[] | undefined;
}

/**
 * A condition on one shell command: its program and its first words. To allow, the whole text must consist of
 * such commands and be known to be harmless; to deny or to ask, it is enough that one stands anywhere in it.
 *
 * @example
 * const rule: Rule = { tool: "bash", when: Command(["git", "push"]), decision: "ask" };
 */
export function Command(words: string | readonly string[], options: CommandOptions = {}): CommandMatcher {
  return Commands([typeof words === "string" ? words : words.join(" ")], options);
}

/**
 * As {@link Command}, with several: `Commands(["ls", "cat", "git log"], { roots: ["/srv/project"] })`.
 *
 * @throws TypeError when the gate is made, for patterns that cannot be meant or that allow too much.
 */
export function Commands(patterns: readonly string[], options: CommandOptions = {}): CommandMatcher {
  return {
    [UNBUILT]: true,
    type: "command",
    patterns,
    options,
    build: (decision, fail) => buildCommand(patterns, options, decision, fail),
  };
}

/** A condition on paths. To allow, every path must lie inside of the roots and be none of the protected names. */
export function Path(options: PathOptions): PathMatcher {
  return { [UNBUILT]: true, type: "path", options, build: (decision, fail) => buildPath(options, decision, fail) };
}

/** Whether a condition is one of those above, and neither a test nor a list of arguments. */
export function isUnbuilt(when: unknown): when is CommandMatcher | PathMatcher {
  return typeof when === "object" && when !== null && UNBUILT in when;
}

/** Arguments of command tools that cannot change what a command does. */
const HARMLESS_ARGUMENTS = ["timeoutMs", "timeout", "maxOutputChars", "description"];

function buildCommand(
  patterns: readonly string[],
  options: CommandOptions,
  decision: Decision,
  fail: (problem: string) => TypeError,
): BuiltMatcher {
  const { argument = "command", cwdArgument = "cwd", cwd, roots, protectedNames } = options;
  const place = { cwd, roots, protectedNames };
  const rules = decision === "allow" ? { allow: patterns } : { deny: patterns };
  const policy = orFail(fail, () => resolvePolicy({ ...place, ...rules }));
  const known = new Set([argument, cwdArgument, ...HARMLESS_ARGUMENTS]);
  return {
    description: { patterns: [...patterns].sort(), argument, place: describe(place) },
    async matches(args) {
      const command = asCommand(ownMember(args, argument));
      // Nothing to judge is nothing to allow; the schema of the tool says whether it may be missing.
      if (command === undefined) return false;
      const parser = await loadParser();
      if (decision !== "allow") return judgeText(command, policy, parser).decision === "deny";
      if (Object.keys(args as object).some((name) => !known.has(name))) return false;
      const here = placedAt(policy, ownMember(args, cwdArgument));
      return here !== undefined && judgeText(command, here, parser).decision === "allow";
    },
  };
}

/** The policy at the directory that the model asks for, which must be allowed itself. */
function placedAt(policy: ResolvedPolicy, asked: unknown): ResolvedPolicy | undefined {
  if (asked === undefined) return policy;
  // What is no text is no path: the confinement denies it.
  const verdict = policy.confinement?.check({ op: "list", path: asked as string, base: policy.cwd });
  return verdict?.decision === "allow" ? { ...policy, cwd: verdict.path } : undefined;
}

/** A command is a text, or the words of one. */
function asCommand(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  if (!Array.isArray(value) || value.length === 0) return undefined;
  return value.map((word: unknown) => `'${String(word).replaceAll("'", "'\\''")}'`).join(" ");
}

function buildPath(options: PathOptions, decision: Decision, fail: (problem: string) => TypeError): BuiltMatcher {
  const { op, roots, argument = "path", protectedNames } = options;
  const names = typeof argument === "string" ? [argument] : argument;
  const isAllowing = decision === "allow";
  const confinement = orFail(fail, () => createConfinement({ roots, protectedNames }));
  // A protected name inside of the roots is still inside: only an allowing rule leaves it out.
  const fits = (verdict: PathVerdict) => verdict.decision === "allow" || (!isAllowing && !verdict.isOutside);
  return {
    description: {
      op,
      roots: [...confinement.roots],
      names: [...names],
      protected: describe({ protectedNames }),
    },
    matches(args) {
      const paths = names.flatMap((name) => ownMember(args, name) ?? []) as unknown[];
      if (paths.length === 0) return false;
      const verdicts = paths.map((path) => confinement.check({ op, path: path as string }));
      return isAllowing ? verdicts.every(fits) : verdicts.some(fits);
    },
  };
}

function orFail<T>(fail: (problem: string) => TypeError, make: () => T): T {
  try {
    return make();
  } catch (error) {
    throw fail(`has a condition that cannot be meant: ${errorMessage(error).replace(/\.$/, "")}`);
  }
}

function describe(value: unknown): JsonValue {
  return toJson(value);
}
