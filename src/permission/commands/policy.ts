/**
 * What a host allows, asks about and denies of shell commands.
 *
 * Floor 4 (permission). Read and checked once; patterns that would allow too much are refused by name.
 */
import { createConfinement } from "../../process/confine.ts";
import type { Confinement } from "../../process/confine-types.ts";
import { misuse } from "../../util/misuse.ts";
import { quoteValue } from "../../util/text.ts";
import { type CommandPattern, commandPattern, programName } from "./patterns.ts";
import { judgeOf } from "./programs.ts";
import { INTERPRETERS, WRAPPERS } from "./wrappers.ts";

/** The policy that `checkCommand` decides by. Patterns are programs with their first words: `git`, `git log`. */
export interface CommandPolicy {
  /** Where the command runs. @defaultValue the first root */
  readonly cwd?: string | undefined;
  /** The directories whose files may be read. @defaultValue `cwd`, if there is one */
  readonly roots?: readonly string[] | undefined;
  /**
   * Allowed when everything about the command is known to be harmless. Programs with options that run
   * or write something are judged option by option; a program that the package does not know is allowed with
   * exactly these words, or, with at least two of them and a `*` at the end, with any literal arguments.
   */
  readonly allow?: readonly string[] | undefined;
  /** Asked about wherever they stand in the command, also when they would be allowed. */
  readonly ask?: readonly string[] | undefined;
  /** Denied wherever they stand in the command. */
  readonly deny?: readonly string[] | undefined;
  /** What happens with everything else. @defaultValue "ask" */
  readonly default?: "ask" | "deny" | undefined;
  /** @defaultValue `PROTECTED_NAMES` */
  readonly protectedNames?: readonly string[] | undefined;
}

/** A policy ready to be used. */
export interface ResolvedPolicy {
  readonly cwd: string | undefined;
  readonly confinement: Confinement | undefined;
  readonly allow: readonly CommandPattern[];
  readonly ask: readonly CommandPattern[];
  readonly deny: readonly CommandPattern[];
  readonly fallback: "ask" | "deny";
}

/** @throws TypeError when the policy cannot be meant, with what to write instead. */
export function resolvePolicy(policy: CommandPolicy): ResolvedPolicy {
  if (typeof policy !== "object" || policy === null)
    throw misuse(`A command policy is an object, got ${quoteValue(policy)}.`);
  const { cwd, default: fallback = "ask" } = policy;
  if (fallback !== "ask" && fallback !== "deny") {
    throw misuse(`The default of a command policy is "ask" or "deny", got ${quoteValue(fallback)}.`);
  }
  const roots = policy.roots ?? (cwd === undefined ? [] : [cwd]);
  const { protectedNames } = policy;
  const confinement = roots.length === 0 ? undefined : createConfinement({ roots, protectedNames });
  const allow = patterns(policy.allow);
  allow.forEach(refuseWide);
  const ask = patterns(policy.ask);
  const deny = patterns(policy.deny);
  return { cwd: cwd ?? confinement?.roots[0], confinement, allow, ask, deny, fallback };
}

function patterns(texts: readonly string[] = []): readonly CommandPattern[] {
  return texts.map(commandPattern);
}

/** What could run anything is not allowed with arguments that nobody has seen. */
function refuseWide({ text, tokens, open }: CommandPattern): void {
  const [name = ""] = tokens;
  if (judgeOf(name) !== undefined) return;
  const program = programName(name);
  if (name !== program || !/^[a-z0-9][a-z0-9._+-]*$/.test(name)) {
    throw misuse(`The command pattern ${quoteValue(text)} does not begin with the plain name of a program.`);
  }
  if (WRAPPERS.has(program) || INTERPRETERS.has(program)) {
    throw misuse(`The command pattern ${quoteValue(text)} cannot be allowed: ${name} runs whatever its arguments say.`);
  }
  if (open && tokens.length < 2) {
    throw misuse(
      `The command pattern ${quoteValue(text)} is too wide: write at least two words before the *, like "npm run *".`,
    );
  }
}
