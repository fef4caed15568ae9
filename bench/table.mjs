/** Writes the result of a comparison as a table in Markdown. */
import { CELLS } from "./cells.mjs";
import { figureOf, growthExponent } from "./check-figures.mjs";

const MISSING = "–";

function ratio(figure) {
  if (figure?.failed !== undefined) return "failed";
  return figure?.value === undefined ? MISSING : (figure.value / figure.floor).toPrecision(3);
}

function bytes(figure) {
  return figure?.value === undefined ? MISSING : `${Math.round(figure.value)} B`;
}

function row(cells) {
  return `| ${cells.join(" | ")} |`;
}

/** One row per contestant, one column per cell: ratios to the floor, bytes where the cell says so. */
export function toMarkdown({ contestants, figures, packages, node, date, cpu, load }) {
  const head = ["", ...CELLS.map(({ name }) => name), "exponent", "import: CPU, memory", "installed"];
  const rows = contestants.map(({ name, version }) => {
    const cells = CELLS.map((cell) => {
      const figure = figureOf(figures, cell.name, name);
      return cell.kind === "memory" ? bytes(figure) : ratio(figure);
    });
    return row([
      `${name} ${version}`,
      ...cells,
      growthExponent(figures, name)?.toFixed(2) ?? MISSING,
      ...packageCells(packages[name]),
    ]);
  });
  const floorRow = row([
    "floor, absolute",
    ...CELLS.map(({ name, unit }) => `${figureOf(figures, name)?.floor?.toPrecision(3) ?? MISSING} ${unit}`),
    ...[growthOfFloor(figures), MISSING, MISSING],
  ]);
  const about = `${date.slice(0, 10)}, Node ${node.slice(1)}, ${cpu}, load ${load.toFixed(1)} at the end.`;
  return [row(head), row(head.map(() => "---")), floorRow, ...rows, "", about].join("\n");
}

function growthOfFloor(figures) {
  const [short, long] = ["N=100", "N=1000"].map((cell) => figureOf(figures, cell)?.floor);
  return short === undefined || long === undefined ? MISSING : (1 + Math.log10(long / short)).toFixed(2);
}

function packageCells(cost) {
  if (cost === undefined) return [MISSING, MISSING];
  const { cpuMs, rssMb } = cost.import;
  const { bytes: size, packages } = cost.install;
  return [`${cpuMs.toFixed(0)} ms, ${rssMb.toFixed(1)} MB`, `${(size / 1e6).toFixed(2)} MB in ${packages}`];
}
