/**
 * What is refused before anything is written.
 *
 * Wing (adapters). Node only.
 */
import { Buffer } from "node:buffer";
import { PermissionError } from "../../../../errors/index.ts";
import { formatCount, quoteValue } from "../../../../util/text.ts";
import { rejected } from "../refusal.ts";
import type { Workspace } from "../workspace.ts";

/** The bytes of a content. @throws ToolError `TOOL_REJECTED` when it is no text that could be read back, or too large. */
export function checkContent(content: string, maxBytes: number): Buffer {
  if (typeof content !== "string") throw rejected(`The content must be a text, got ${quoteValue(content)}.`);
  if (/\p{Surrogate}/u.test(content)) {
    throw rejected("The content holds half of a character (a lone surrogate), which no file can hold. Leave it out.");
  }
  const bytes = Buffer.from(content, "utf8");
  if (bytes.length <= maxBytes) return bytes;
  const size = formatCount(bytes.length);
  throw rejected(`The file would have ${size} bytes; the most is ${formatCount(maxBytes)}. Write it in several files.`);
}

/** The real path to write to. @throws PermissionError when it may not be written. */
export function checkTarget(workspace: Workspace, path: string): string {
  const verdict = workspace.confinement.check({ op: "write", path });
  if (verdict.decision === "allow" && verdict.path !== workspace.root) return verdict.path;
  const reason = verdict.decision === "deny" ? verdict.reason : "it is the workspace itself";
  throw new PermissionError(`The path ${quoteValue(path)} is not allowed: ${reason}.`, { code: "PERMISSION_DENIED" });
}
