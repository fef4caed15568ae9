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

/** Everything that is worse than it must be with the margin, one sentence each. */
export function checkFigures({ figures, packages }) {
  const problems = [];
  const hold = (what, value, must) => {
    if (value === undefined || Number.isNaN(value)) problems.push(`${what}: no figure`);
    else if (value > must * MARGIN)
      problems.push(`${what}: ${value.toFixed(2)}, must be ${must} (with margin ${(must * MARGIN).toFixed(2)})`);
  };
  for (const { name, must } of CELLS) {
    const figure = figureOf(figures, name);
    if (must !== undefined) hold(name, figure && figure.value / figure.floor, must);
  }
  const value = (cell, contestant) => figureOf(figures, cell, contestant)?.value;
  hold("kept per turn, N=1000", value("kept per turn, N=1000"), BOUNDS.bytesPerTurn.must);
  hold("kept per turn, N=10000", value("kept per turn, N=10000"), BOUNDS.bytesPerTurn.must);
  hold("listener on all events", value("N=100", "ours+listener") / value("N=100"), BOUNDS.listenerShare.must);
  hold("100 KB results against 10 bytes", value("100 KB results") / value("N=100"), BOUNDS.largeResultShare.must);
  hold("growth exponent 100 to 1000", growthExponent(figures), BOUNDS.exponent.must);
  hold("memory per run at once (KB)", figureOf(figures, "1,000 runs at once")?.rssPerRunKb, BOUNDS.rssPerRunKb.must);
  const own = packages.ours;
  hold("import (ms of CPU)", own?.import.cpuMs, BOUNDS.importCpuMs.must);
  hold("import (MB of memory)", own?.import.rssMb, BOUNDS.importRssMb.must);
  return problems;
}
