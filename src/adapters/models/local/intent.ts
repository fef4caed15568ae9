/**
 * What an intent of the rule-based model is: a way to read a wish out of a message, and to tell its outcome.
 *
 * Wing (models/local). A new ability is one more file with an {@link Intent} and one more line in `intents.ts`.
 */

/** The language of the question, in which it is answered. */
export type Language = "en" | "zh";

/** A tool call that a message asks for, before it has an id. */
export interface Wish {
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

/** What came of a wish. */
export interface Outcome {
  readonly wish: Wish;
  readonly text: string;
  readonly failed: boolean;
}

/** What an intent found in a message. */
export interface Reading {
  readonly wishes: readonly Wish[];
  /** The message without what this intent has used, so that the next one does not use it again. */
  readonly rest: string;
  /** What to say where the wish is there but cannot be carried out as written. */
  readonly hint?: string | undefined;
}

/** One thing the model can do. */
export interface Intent {
  readonly tool: string;
  /** For "I can …": what it does, with an example to type. */
  readonly ability: Readonly<Record<Language, string>>;
  read(text: string, language: Language): Reading;
  /** Tells one outcome as a sentence or a paragraph. */
  tell(outcome: Outcome, language: Language): string;
}

/** The language of a text: Chinese where it has Chinese characters outside `code`. */
export function languageOf(text: string): Language {
  return /\p{Script=Han}/u.test(text.replace(/`[^`]*`/g, "")) ? "zh" : "en";
}
