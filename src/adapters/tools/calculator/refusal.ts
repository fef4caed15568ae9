/**
 * Why an expression has no result, as it passes from the tokeniser, parser and arithmetic to `evaluate`.
 *
 * Wing (tools/calculator). Never leaves this folder: `evaluate` turns it into a value.
 */
export class Refusal extends Error {}

/** Refuses at a character of the expression; people count characters from 1. */
export function refuseAt(index: number, problem: string): Refusal {
  return new Refusal(`${problem} (at position ${index + 1}).`);
}
