/**
 * Makes text safe to show to whoever approves it: nothing hidden, nothing moved, nothing left out.
 *
 * Floor 4 (permission). Escaped, never stripped: what is shown and what runs must stay the same text
 * (CVE-2024-27936 was a prompt that stripped).
 */

/** What an approver should be warned of. */
export type DisplayFlag = "control" | "invisible" | "bidi" | "mixedScript" | "truncated";

/** Text to show, and what is odd about it. */
export interface DisplayText {
  readonly text: string;
  readonly flags: readonly DisplayFlag[];
}

/** The longest text shown whole. */
export const MAX_DISPLAY_CHARS = 8_000;

/** Everything that is not seen, moves what is seen, or is not assigned yet; every blank that is not a space. */
const UNSAFE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cs}\p{Cn}\p{Default_Ignorable_Code_Point}\u2800]|(?! )\p{Zs}/gu;
const CONTROL = /(?![\n\t])\p{Cc}/u;
const INVISIBLE = /[\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cn}\p{Cs}\p{Default_Ignorable_Code_Point}\u2800]/u;
const BIDI = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/;

/** Scripts with letters that look like Latin ones. */
const CONFUSABLE = [
  /\p{Script=Latin}/u,
  /\p{Script=Cyrillic}/u,
  /\p{Script=Greek}/u,
  /\p{Script=Armenian}/u,
  /\p{Script=Cherokee}/u,
  /\p{Script=Coptic}/u,
];

/**
 * Escapes what does not show as itself, as `\uXXXX`, `\r` or `\t`. A line end stays one, marked with "⏎".
 *
 * @param maxChars - Longer text keeps its start and its end, with the number of characters left out between them.
 * @example
 * sanitizeForDisplay("ls\r rm -rf build"); // { text: "ls\\r rm -rf build", flags: ["control"] }
 */
export function sanitizeForDisplay(text: string, maxChars: number = MAX_DISPLAY_CHARS): DisplayText {
  const flags: DisplayFlag[] = [];
  if (CONTROL.test(text)) flags.push("control");
  if (INVISIBLE.test(text)) flags.push("invisible");
  if (BIDI.test(text)) flags.push("bidi");
  if (mixesScripts(text)) flags.push("mixedScript");
  if (text.length <= maxChars) return { text: escapeUnsafe(text), flags };
  flags.push("truncated");
  const half = Math.max(1, Math.floor(maxChars / 2));
  const hidden = text.length - 2 * half;
  const marker = `\n[... ${hidden} of ${text.length} characters not shown ...]\n`;
  return { text: escapeUnsafe(text.slice(0, half)) + marker + escapeUnsafe(text.slice(-half)), flags };
}

function escapeUnsafe(text: string): string {
  return text.replace(UNSAFE, (character) => {
    if (character === "\n") return "⏎\n";
    if (character === "\r") return "\\r";
    if (character === "\t") return "\\t";
    let escaped = "";
    for (let at = 0; at < character.length; at++) {
      escaped += `\\u${character.charCodeAt(at).toString(16).padStart(4, "0")}`;
    }
    return escaped;
  });
}

/** Whether one word holds letters of two scripts that are taken for each other. */
function mixesScripts(text: string): boolean {
  for (const word of text.match(/[\p{L}\p{M}\p{N}_-]+/gu) ?? []) {
    if (CONFUSABLE.filter((script) => script.test(word)).length > 1) return true;
  }
  return false;
}
