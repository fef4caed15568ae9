/**
 * Keeps what an approver wants remembered. A grant turns a question into a yes, never a denial.
 *
 * Floor 4 (permission). Node only.
 */
import type { ApprovalRequest, Grant } from "../contract/approval.ts";
import { misuse } from "../util/misuse.ts";
import { quoteValue } from "../util/text.ts";
import { Command } from "./matcher.ts";

/** The call that a grant may be about. */
export type GrantedCall = Pick<ApprovalRequest, "tool" | "argsDigest" | "policyHash" | "runId"> & {
  readonly args: unknown;
};

/** The grants of one gate. */
export interface Grants {
  /** @throws TypeError for a grant that cannot be meant or that allows too much. */
  add(request: ApprovalRequest, grant: Grant): void;
  /** Whether one of the grants is about this call. */
  allows(call: GrantedCall): Promise<boolean>;
}

type Kept = (call: GrantedCall) => boolean | Promise<boolean>;

/** Creates an empty set of grants. */
export function createGrants(): Grants {
  const kept: Kept[] = [];
  return {
    add: (request, grant) => void kept.push(toKept(request, grant)),
    async allows(call) {
      for (const holds of kept) if ((await holds(call)) === true) return true;
      return false;
    },
  };
}

function toKept(request: ApprovalRequest, grant: Grant): Kept {
  const isInScope = inScope(request, grant);
  if (grant.type === "exact") return (call) => isInScope(call) && call.argsDigest === request.argsDigest;
  if (grant.type !== "prefix") throw misuse(`A grant is "exact" or a "prefix", got ${quoteValue(grant)}.`);
  const { words } = grant;
  const shown = quoteValue(Array.isArray(words) ? words.join(" ") : words);
  // Fewer words would allow a program with whatever arguments.
  if (!Array.isArray(words) || words.length < 2 || words.some((word) => !/^[\w.:@/-]+$/.test(String(word)))) {
    throw misuse(`A prefix has at least two plain words, got ${shown}.`);
  }
  const fail = (problem: string) => misuse(`The grant ${shown} ${problem}.`);
  const matcher = Command([...words, "*"]).build("allow", fail);
  return (call) => isInScope(call) && matcher.matches(call.args);
}

/** The same tool under the same rules; in the same run, unless the grant says otherwise. */
function inScope(request: ApprovalRequest, { scope = "run" }: Grant): (call: GrantedCall) => boolean {
  if (scope !== "run" && scope !== "gate")
    throw misuse(`The scope of a grant is "run" or "gate", got ${quoteValue(scope)}.`);
  const { tool, policyHash, runId } = request;
  return (call) => call.tool === tool && call.policyHash === policyHash && (scope === "gate" || call.runId === runId);
}
