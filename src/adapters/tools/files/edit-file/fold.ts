/**
 * Makes lines alike that differ only in what a model easily gets wrong.
 *
 * Wing (adapters). Pure.
 */

/** What is taken as equal: blanks; also quotation marks, dashes and forms of letters; also upper and lower case. */
export type Likeness = "blanks" | "marks" | "case";

/** The line in the form in which alike lines are equal. */
export function fold(line: string, likeness: Likeness): string {
  const blanks = line.replace(/[\s\u200b-\u200d\u2060]+/g, " ").trim();
  if (likeness === "blanks") return blanks;
  const marks = blanks
    .normalize("NFKC")
    .replace(/[\u2018\u2019\u201a\u201b\u2032`]/g, "'")
    .replace(/[\u201c-\u201f\u2033\u00ab\u00bb]/g, '"')
    .replace(/[\u2010-\u2015\u2212]/g, "-");
  return likeness === "marks" ? marks : marks.toLowerCase();
}
