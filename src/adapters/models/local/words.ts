/**
 * Writes arithmetic in words as signs: "two plus three" → "2 + 3", "三乘以五" → "3 * 5".
 *
 * Wing (models/local). A table of replacements, applied in order.
 */
import { readChineseNumbers, readEnglishNumbers } from "./number-words.ts";

/** A number or a parenthesis, as the left or right side of a word; bounded, so that no text takes long. */
const N = String.raw`(-?(?<!\d)\d[\d,]{0,40}(?:\.\d{1,40})?(?!\d)|\([^()]{1,80}\))`;

const REPLACEMENTS: readonly (readonly [RegExp, string])[] = [
  [/[×∗⋅·]/gu, "*"],
  [/[÷∕⁄]/gu, "/"],
  [/[−–]/gu, "-"],
  [/(?<=[\d)])\s*[x✕✖]\s*(?=[\d(])/giu, " * "],
  // English, from the phrase to the single word.
  [pattern(`\\bsquare root of ${N}`), "sqrt($1)"],
  [pattern(`${N}\\s*(?:%|percent)\\s+of\\s+${N}`), "$1 / 100 * $2"],
  [pattern(`\\badd\\s+${N}\\s+(?:and|to)\\s+${N}`), "$1 + $2"],
  [pattern(`\\bsum of\\s+${N}\\s+and\\s+${N}`), "$1 + $2"],
  [pattern(`\\bproduct of\\s+${N}\\s+and\\s+${N}`), "$1 * $2"],
  [pattern(`\\bsubtract\\s+${N}\\s+from\\s+${N}`), "$2 - $1"],
  [pattern(`\\bmultiply\\s+${N}\\s+(?:by|with|and)\\s+${N}`), "$1 * $2"],
  [pattern(`\\bdivide\\s+${N}\\s+by\\s+${N}`), "$1 / $2"],
  [/(?<=[\d)])\s+(?:raised )?to the power of\s+(?=[-\d(])/giu, " ** "],
  [/(?<=[\d)])\s+(?:multiplied by|times)\s+(?=[-\d(a-z])/giu, " * "],
  [/(?<=[\d)])\s+(?:divided by|over)\s+(?=[-\d(a-z])/giu, " / "],
  [/(?<=[\d)])\s+plus\s+(?=[-\d(a-z])/giu, " + "],
  [/(?<=[\d)])\s+minus\s+(?=[-\d(a-z])/giu, " - "],
  [/(?<=[\d)])\s+mod(?:ulo)?\s+(?=[-\d(a-z])/giu, " % "],
  [/(?<=[\d)])\s+squared\b/giu, " ** 2"],
  [/(?<=[\d)])\s+cubed\b/giu, " ** 3"],
  // Chinese.
  [pattern(`${N}\\s*的\\s*${N}\\s*%`), "$1 * $2 / 100"],
  [pattern(`${N}\\s*的\\s*${N}\\s*次方`), "$1 ** $2"],
  [pattern(`${N}\\s*的平方根`), "sqrt($1)"],
  [pattern(`${N}\\s*(?:的)?开(?:平)?方`), "sqrt($1)"],
  [pattern(`根号\\s*${N}`), "sqrt($1)"],
  [pattern(`${N}\\s*(?:和|与|跟)\\s*${N}\\s*的(?:和|总和)`), "$1 + $2"],
  [pattern(`${N}\\s*(?:和|与|跟)\\s*${N}\\s*的(?:乘积|积)`), "$1 * $2"],
  [/(?<=[\d)])\s*的平方/gu, " ** 2"],
  [/(?<=[\d)])\s*的立方/gu, " ** 3"],
  [/(?<=[\d)])\s*(?:乘以|乘上|乘)\s*(?=[-\d(])/gu, " * "],
  [/(?<=[\d)])\s*(?:除以|除)\s*(?=[-\d(])/gu, " / "],
  [/(?<=[\d)])\s*(?:加上|加)\s*(?=[-\d(])/gu, " + "],
  [/(?<=[\d)])\s*(?:减去|减)\s*(?=[-\d(])/gu, " - "],
];

function pattern(source: string): RegExp {
  return new RegExp(source, "giu");
}

/** Rewrites the words for numbers and operators; everything else stays as it is. */
export function toSigns(text: string): string {
  // Full-width forms as plain ones: ＋ （ １.
  const plain = text.replace(/[！-～]/gu, (sign) => String.fromCharCode(sign.charCodeAt(0) - 0xfee0));
  const withNumbers = readChineseNumbers(readEnglishNumbers(plain));
  return REPLACEMENTS.reduce((current, [words, signs]) => current.replace(words, signs), withNumbers);
}
