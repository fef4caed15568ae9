/**
 * The simplest gates: by the name of the tool and by what it says it may do to the world.
 *
 * Floor 4 (permission). The gate that judges arguments, commands and paths is `harness-kit/permission`.
 */
import type { PermissionCheck } from "../contract/permission.ts";
import { misuse } from "../util/misuse.ts";
import { quoteValue } from "../util/text.ts";

/**
 * Allows the named tools whatever they do, and beside them the ones that change nothing: those that
 * declare `access` "none" or "read", or no access.
 *
 * @throws TypeError when a name is not a non-empty string.
 */
export function allowTools(...names: readonly string[]): PermissionCheck {
  for (const name of names) {
    if (typeof name !== "string" || name === "") {
      throw misuse(`allowTools takes the names of tools, got ${quoteValue(name)}. Write allowTools("bash").`);
    }
  }
  const allowed = new Set(names);
  return (call, { toolAccess }) => {
    if (allowed.has(call.name)) return { decision: "allow", by: "rule:allowTools" };
    // By the harmless ones, not by the others: an access that nobody knows is refused.
    if (toolAccess === undefined || toolAccess === "none" || toolAccess === "read") {
      return { decision: "allow", by: "default" };
    }
    return {
      decision: "deny",
      by: "default",
      reason:
        `The tool "${call.name}" may change the world (access "${toolAccess}") and nothing allows it. ` +
        `Create the runtime with permission: allowTools("${call.name}") to allow it.`,
    };
  };
}

/** Allows every call. For tests, and for hosts whose sandbox is the boundary. */
export function allowAll(): PermissionCheck {
  return () => ({ decision: "allow", by: "rule:allowAll" });
}

/** Denies every call. */
export function denyAll(): PermissionCheck {
  return (call) => ({
    decision: "deny",
    by: "rule:denyAll",
    reason: `No tool may run here, "${call.name}" included. Answer without tools.`,
  });
}
