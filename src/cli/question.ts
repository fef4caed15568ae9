/**
 * Writes down a question about a tool call: whole, escaped, and so that no part of it can pass for the terminal's own.
 *
 * Command line. Every line of the call stands behind a bar, wrapped here: a terminal would begin the rest of a
 * long line at its left edge, where a command could write an answer of its own.
 */
import type { ApprovalRequest } from "../contract/approval.ts";
import { describeRequest } from "../permission/describe-request.ts";
import type { Colors } from "./colors.ts";
import type { Output } from "./io.ts";
import { field } from "./render-run.ts";

/** For how long "always" is meant. */
export type Remembering = "run" | "chat";

export interface QuestionStyle {
  readonly colors: Colors;
  /** Where it is shown, and how wide that is. */
  readonly output: Pick<Output, "columns">;
  readonly remembering: Remembering;
}

export const ANSWER_PROMPT = "Allow   : y/a/n > ";

const BAR = `${" ".repeat(10)}│ `;
const MIN_COLUMNS = 20;
/** For a terminal that does not tell, or says 0. */
const USUAL_COLUMNS = 80;

const WARNINGS: Readonly<Record<string, string>> = {
  control: "characters that control a terminal",
  invisible: "characters that are not seen",
  bidi: "marks that turn the direction of reading",
  mixedScript: "words with letters of several scripts that look alike",
};

/** The lines of a question, without the prompt behind them. */
export function questionText(request: ApprovalRequest, { colors, output, remembering }: QuestionStyle): string {
  const { tool, fields, flags } = describeRequest(
    { name: request.tool, arguments: request.arguments },
    Number.POSITIVE_INFINITY,
  );
  const width = Math.max(MIN_COLUMNS, output.columns || USUAL_COLUMNS) - BAR.length;
  const call = fields.flatMap(({ name, text }) => `${name}: ${text}`.split("\n").flatMap((line) => wrap(line, width)));
  const warning = flags.map((flag) => WARNINGS[flag] ?? flag).join(", ");
  return [
    field("Asks", `May "${tool}" run with exactly this?`, colors, colors.yellow),
    ...call.map((line) => colors.dim(BAR) + line),
    ...(warning === "" ? [] : [field("Careful", `This holds ${warning}.`, colors, colors.red)]),
    field("Why", request.reason, colors),
    field("Answers", `${ANSWERS[remembering]}\n${NO}`, colors),
    "",
  ].join("\n");
}

const ANSWERS: Readonly<Record<Remembering, string>> = {
  run: "y = yes, once; a = yes, and exactly this need not be asked again in this run;",
  chat: "y = yes, once; a = yes, and exactly this need not be asked again in this chat;",
};
const NO = "n = no; n and a reason = no, and the model is told why";

/** Pieces of at most `width` cells. A letter outside of ASCII counts as two, as the wide ones are. */
export function wrap(line: string, width: number): string[] {
  const pieces: string[] = [];
  let piece = "";
  let cells = 0;
  for (const letter of line) {
    const wide = letter <= "\u007f" ? 1 : 2;
    if (cells + wide > width) {
      pieces.push(piece);
      piece = "";
      cells = 0;
    }
    piece += letter;
    cells += wide;
  }
  return [...pieces, piece];
}
