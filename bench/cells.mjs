/**
 * What is measured, and what must hold: `must` and `aim` are ratios to the floor. Where the target is missed,
 * `held` is what was reached: `bench:check` says that the target is missed, and fails when that is lost as well.
 * The margin comes on top.
 *
 * @typedef {object} Cell
 * @property {string} name
 * @property {"cpu" | "memory" | "concurrent" | "import" | "size"} kind
 * @property {string} unit
 * @property {number} [turns]
 * @property {number} [times] - Runs in one round.
 * @property {number} [deltas]
 * @property {import("./contestant.mjs").TurnOptions} [options]
 * @property {number} [must]
 * @property {number} [aim]
 * @property {number} [held]
 * @property {boolean} [slow] - Left out for contestants whose time grows with the square of the turns.
 */

const KB_100 = "x".repeat(100_000);

/** @type {readonly Cell[]} */
export const CELLS = [
  { name: "N=1, a runtime each", kind: "cpu", unit: "µs/turn", turns: 1, times: 4_000, must: 8, aim: 5, held: 16 },
  { name: "N=10", kind: "cpu", unit: "µs/turn", turns: 10, times: 800, must: 5, aim: 3, held: 8 },
  { name: "N=100", kind: "cpu", unit: "µs/turn", turns: 100, times: 100, must: 5, aim: 3, held: 7 },
  { name: "N=1000", kind: "cpu", unit: "µs/turn", turns: 1_000, times: 12, must: 5, aim: 3, held: 8 },
  { name: "N=10000", kind: "cpu", unit: "µs/turn", turns: 10_000, times: 1, must: 3.5, aim: 2.5, held: 7, slow: true },
  {
    name: "N=100, signals read",
    ...{ kind: "cpu", unit: "µs/turn", turns: 100, times: 80, must: 6, aim: 4, held: 18 },
    options: { readSignal: true },
  },
  {
    name: "8 parallel calls",
    ...{ kind: "cpu", unit: "µs/turn", turns: 100, times: 40, must: 5, aim: 3, held: 7 },
    options: { calls: 8 },
  },
  {
    name: "100 KB results",
    ...{ kind: "cpu", unit: "µs/turn", turns: 100, times: 60, must: 4, aim: 2.5, held: 12 },
    options: { text: KB_100 },
  },
  { name: "text deltas", kind: "cpu", unit: "µs/delta", deltas: 1_000, times: 60, must: 2.5, aim: 1.8, held: 3.3 },
  { name: "kept per turn, N=1000", kind: "memory", unit: "B", turns: 1_000 },
  { name: "kept per turn, N=10000", kind: "memory", unit: "B", turns: 10_000, slow: true },
  {
    name: "1,000 runs at once",
    ...{ kind: "concurrent", unit: "µs/turn", turns: 10, times: 1_000, must: 3, aim: 2.3, held: 5 },
    options: { pause: true },
  },
];

/** Bounds on our own figures that are no ratios: bytes, exponents, and shares of another cell. */
export const BOUNDS = {
  bytesPerTurn: { must: 760, aim: 640 },
  exponent: { must: 1.08, aim: 1.03 },
  listenerShare: { must: 1.5, aim: 1.4 },
  largeResultShare: { must: 1.5, aim: 1.1 },
  rssPerRunKb: { must: 35, aim: 28, held: 45 },
  /** Of what an empty Node takes: the target was 30 ms where that took 104. */
  importShare: { must: 0.29, aim: 0.14 },
  importRssMb: { must: 5, aim: 2 },
  unpackedKb: { must: 300 },
};

/** How much worse than `must` a figure may be before `bench:check` fails: machines are shared and noisy. */
export const MARGIN = 1.25;
