/**
 * Reads what a person typed at a question.
 *
 * Command line. Only what is plainly one of the answers is one: an empty line approves nothing.
 */

export type Answer =
  | { readonly type: "once" }
  | { readonly type: "always" }
  | { readonly type: "no"; readonly reason: string | undefined };

/** The answer; `undefined` for anything that is none. */
export function parseAnswer(line: string): Answer | undefined {
  const said = line.trim();
  if (/^(?:y|yes)$/i.test(said)) return { type: "once" };
  if (/^(?:a|always)$/i.test(said)) return { type: "always" };
  const no = /^(?:n|no)(?:[\s,:.]+(?<reason>.*))?$/is.exec(said);
  if (no === null) return undefined;
  return { type: "no", reason: no.groups?.["reason"] || undefined };
}
