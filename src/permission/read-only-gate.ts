/**
 * A gate for agents that look and do not touch.
 *
 * Floor 4 (permission). Node only.
 */
import { createConfinement } from "../process/confine.ts";
import { createGate, type RuleGate } from "./gate.ts";
import { Commands } from "./matcher.ts";
import { ownMember } from "./own-member.ts";
import type { JudgedCall, Rule } from "./rule.ts";

/** What {@link readOnlyGate} takes. */
export interface ReadOnlyGateOptions {
  /** The directory that may be read. */
  readonly root: string;
  /** Further tools to allow, whatever they say they do. */
  readonly allow?: readonly string[] | undefined;
  /** Arguments that hold paths. @defaultValue path, paths, file, filePath, directory and cwd */
  readonly pathArguments?: readonly string[] | undefined;
}

/** Programs that only read, with the options for which that is known. */
const READING =
  "ls cat head tail wc grep rg find sed sort uniq cut diff stat pwd echo true false printf tr basename dirname nl tac " +
  "comm du file realpath readlink md5sum sha1sum sha256sum seq date whoami uname nproc which type cd";
const GIT_READING = ["git status", "git log", "git diff"];
const PATH_ARGUMENTS = ["path", "paths", "file", "filePath", "directory", "cwd"];

/**
 * Allows tools that declare `access` "none" or "read", or nothing, with paths inside of the root; and shell
 * commands that are known to only read there. Everything else is denied, with a reason that the model reads.
 *
 * @throws TypeError when the root is no path.
 * @example
 * const runtime = createRuntime({ model, tools, permission: readOnlyGate({ root: "/srv/project" }) });
 */
export function readOnlyGate(options: ReadOnlyGateOptions): RuleGate {
  const { root, allow = [], pathArguments = PATH_ARGUMENTS } = options;
  const confinement = createConfinement({ roots: [root] });
  const leadsOutside = ({ args }: JudgedCall) =>
    pathArguments
      .flatMap((name) => ownMember(args, name))
      .some((path) => typeof path === "string" && confinement.check({ op: "read", path }).decision === "deny");
  const changes = ({ context: { toolAccess } }: JudgedCall) =>
    toolAccess !== undefined && toolAccess !== "none" && toolAccess !== "read";
  const commands = [...READING.split(" "), ...GIT_READING];
  const named: Rule[] = allow.map((tool) => ({ id: `named ${tool}`, tool, decision: "allow" }));
  return createGate({
    default: "deny",
    rules: [
      ...named,
      { id: "reads", tool: "*", decision: "allow", when: (_, call) => !changes(call) },
      { id: "reading command", tool: "*", decision: "allow", when: Commands(commands, { roots: [root] }) },
      {
        id: "inside of the root",
        tool: "*",
        decision: "deny",
        when: (_, call) => leadsOutside(call),
        reason: `Only what lies in ${root} may be looked at here, and no protected names.`,
      },
      {
        id: "changes nothing",
        tool: "*",
        decision: "deny",
        when: (_, call) => call.context.toolAccess === "write" && !allow.includes(call.tool),
        reason: "This agent only reads: nothing may be written here.",
      },
    ],
  });
}
