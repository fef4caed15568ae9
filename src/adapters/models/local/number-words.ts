/**
 * Reads numbers in words: "twenty-one", "三百零五".
 *
 * Wing (models/local). Whole numbers below a hundred million, which is what people spell out.
 */

const ENGLISH_UNITS =
  "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen".split(
    " ",
  );
const ENGLISH_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split(" ");
const ENGLISH: ReadonlyMap<string, number> = new Map([
  ...ENGLISH_UNITS.map((word, value) => [word, value] as const),
  ...ENGLISH_TENS.map((word, index) => [word, (index + 2) * 10] as const),
]);
const ENGLISH_SCALES: ReadonlyMap<string, number> = new Map([
  ["hundred", 100],
  ["thousand", 1_000],
  ["million", 1_000_000],
]);
const ENGLISH_WORD = [...ENGLISH.keys(), ...ENGLISH_SCALES.keys()].join("|");
const ENGLISH_NUMBER = new RegExp(
  `\\b(?:${[...ENGLISH.keys()].join("|")})(?:[ -](?:and )?(?:${ENGLISH_WORD}))*\\b`,
  "giu",
);

/** Writes English number words as digits. */
export function readEnglishNumbers(text: string): string {
  return text.replace(ENGLISH_NUMBER, (words) => String(englishValue(words.toLowerCase().split(/[ -](?:and )?/))));
}

function englishValue(words: readonly string[]): number {
  let [total, group] = [0, 0];
  for (const word of words) {
    const scale = ENGLISH_SCALES.get(word);
    if (scale === undefined) group += ENGLISH.get(word) ?? 0;
    else if (scale === 100) group *= scale;
    else [total, group] = [total + group * scale, 0];
  }
  return total + group;
}

const CHINESE_DIGITS = "零一二三四五六七八九";
const CHINESE_UNITS: ReadonlyMap<string, number> = new Map([
  ["十", 10],
  ["百", 100],
  ["千", 1_000],
]);
const CHINESE = "[零〇一二两三四五六七八九十百千万]{1,20}";
const CHINESE_OPERATOR = "(?:[-+*/×÷^]|加上?|减去?|乘[以上]?|除以?)";
/** Only beside an operator or another number word: 一下 and 一起 are no numbers. */
const CHINESE_NUMBER = new RegExp(
  `${CHINESE}(?=\\s*(?:${CHINESE_OPERATOR}|的(?:平方|立方|\\s*${CHINESE}\\s*次方)))|(?<=${CHINESE_OPERATOR}\\s*)${CHINESE}|(?<=的\\s*)${CHINESE}(?=\\s*次方)`,
  "gu",
);

/** Writes Chinese numerals beside an operator as digits. */
export function readChineseNumbers(text: string): string {
  return text.replace(CHINESE_NUMBER, (numerals) => String(chineseValue(numerals)));
}

function chineseValue(numerals: string): number {
  let [total, section, digit] = [0, 0, 0];
  for (const numeral of numerals.replaceAll("两", "二").replaceAll("〇", "零")) {
    const unit = CHINESE_UNITS.get(numeral);
    if (unit !== undefined) [section, digit] = [section + (digit === 0 ? 1 : digit) * unit, 0];
    else if (numeral === "万") [total, section, digit] = [(total + section + digit) * 10_000, 0, 0];
    else digit = digit * (section === 0 ? 10 : 1) + CHINESE_DIGITS.indexOf(numeral);
  }
  return total + section + digit;
}
