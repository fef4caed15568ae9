/** Holds the figures of a comparison against what they must be. */
import { BOUNDS, CELLS, MARGIN } from "./cells.mjs";

/** Our own figure of a cell. */
export function figureOf(figures, cell, contestant = "ours") {
  return figures.find((figure) => figure.cell === cell && figure.contestant === contestant);
}

/** How the time of a whole run grows from 100 to 1,000 turns: 1 is linear. */
export function growthExponent(figures, contestant = "ours") {
  const at = (cell) => figureOf(figures, cell, contestant)?.value;
  const [short, long] = [at("N=100"), at("N=1000")];
  return short === undefined || long === undefined ? undefined : 1 + Math.log10(long / short);
}

/**
 * Holds every figure against its bound.
 *
 * @returns `problems`: what is worse than was reached before, with the margin. `missed`: what is worse than its target.
 */
export function checkFigures({ figures, packages }) {
  const problems = [];
  const missed = [];
  const hold = (what, value, { must, held = must }) => {
    if (value === undefined || Number.isNaN(value)) problems.push(`${what}: no figure`);
    else if (value > Math.max(must, held) * MARGIN)
      problems.push(`${what}: ${value.toFixed(2)}, was ${held} (with margin ${(held * MARGIN).toFixed(2)})`);
    else if (value > must) missed.push(`${what}: ${value.toFixed(2)}, target ${must}`);
  };
  for (const cell of CELLS) {
    const figure = figureOf(figures, cell.name);
    if (cell.must !== undefined) hold(cell.name, figure && figure.value / figure.floor, cell);
  }
  const value = (cell, contestant) => figureOf(figures, cell, contestant)?.value;
  hold("kept per turn, N=1000", value("kept per turn, N=1000"), BOUNDS.bytesPerTurn);
  hold("kept per turn, N=10000", value("kept per turn, N=10000"), BOUNDS.bytesPerTurn);
  hold("listener on all events", value("N=100", "ours+listener") / value("N=100"), BOUNDS.listenerShare);
  hold("100 KB results against 10 bytes", value("100 KB results") / value("N=100"), BOUNDS.largeResultShare);
  hold("growth exponent 100 to 1000", growthExponent(figures), BOUNDS.exponent);
  hold("memory per run at once (KB)", figureOf(figures, "1,000 runs at once")?.rssPerRunKb, BOUNDS.rssPerRunKb);
  const { cpuMs, emptyCpuMs, rssMb } = packages.ours?.import ?? {};
  hold("import, of an empty Node", cpuMs / emptyCpuMs, BOUNDS.importShare);
  hold("import (MB of memory)", rssMb, BOUNDS.importRssMb);
  return { problems, missed };
}
