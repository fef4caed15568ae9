/**
 * How long the permission gate takes to decide: typical commands, and the slowest texts that we know.
 *
 * Run with `npx tsx bench/gate.mjs`.
 */
import { judgeText } from "../src/permission/commands/check-command.ts";
import { loadParser } from "../src/permission/commands/parser.ts";
import { resolvePolicy } from "../src/permission/commands/policy.ts";
import { BENIGN, DENIED, HEAVY, NOT_ALLOWED, POLICY } from "../tests/permission/command-tables.ts";

const parser = await loadParser();
const policy = resolvePolicy(POLICY);

function timeOf(command) {
  // The best of three, so that what the machine does beside it does not count.
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 3; round++) {
    const startedAt = performance.now();
    judgeText(command, policy, parser);
    best = Math.min(best, performance.now() - startedAt);
  }
  return best;
}

function report(name, commands, rounds) {
  for (const command of commands) timeOf(command);
  const times = [];
  for (let round = 0; round < rounds; round++) {
    for (const command of commands) times.push({ command, ms: timeOf(command) });
  }
  times.sort((a, b) => a.ms - b.ms);
  const at = (share) => times[Math.min(times.length - 1, Math.floor(times.length * share))];
  const slowest = at(1);
  const figures = [at(0.5), at(0.99), slowest].map(({ ms }) => ms.toFixed(3).padStart(9));
  console.log(`${name.padEnd(10)} p50 ${figures[0]} ms  p99 ${figures[1]} ms  max ${figures[2]} ms`);
  if (slowest.ms > 20)
    console.log(`  slowest: ${JSON.stringify(slowest.command.slice(0, 60))} (${slowest.command.length})`);
}

const heavy = HEAVY.flatMap((piece) =>
  [60, 500, 8_100, 60_000].flatMap((size) => {
    const text = piece.repeat(Math.ceil(size / piece.length));
    return [text, `echo ${text}`, `bash -c '${text}'`, `env ${text}`, `ls "${text}"`];
  }),
);
report("benign", BENIGN, 3);
report("attacks", [...Object.values(DENIED), ...Object.values(NOT_ALLOWED)].flat(), 1);
report("heavy", heavy, 1);
