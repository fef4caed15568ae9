/**
 * Colors for a terminal, or none.
 *
 * Command line.
 */
import type { Variables } from "./dotenv.ts";
import type { Output } from "./io.ts";

/** Wraps text in a color. */
export type Paint = (text: string) => string;

export interface Colors {
  readonly bold: Paint;
  readonly dim: Paint;
  readonly red: Paint;
  readonly green: Paint;
  readonly yellow: Paint;
  readonly cyan: Paint;
}

const CODES = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  cyan: [36, 39],
} as const;

/** Whether to color: on a terminal, unless an option, NO_COLOR (no-color.org) or a dumb terminal says no. */
export function wantsColor(output: Output, env: Variables, noColor: boolean): boolean {
  return output.isTTY === true && !noColor && (env["NO_COLOR"] ?? "") === "" && env["TERM"] !== "dumb";
}

export function createColors(isOn: boolean): Colors {
  const paint = (name: keyof typeof CODES): Paint => {
    const [open, close] = CODES[name];
    return isOn ? (text) => (text === "" ? "" : `\u001b[${open}m${text}\u001b[${close}m`) : (text) => text;
  };
  return {
    bold: paint("bold"),
    dim: paint("dim"),
    red: paint("red"),
    green: paint("green"),
    yellow: paint("yellow"),
    cyan: paint("cyan"),
  };
}
