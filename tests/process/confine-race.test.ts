/**
 * A folder is exchanged for a link to the outside, again and again, while it is read and written through the
 * confinement. `npm run test:race` makes 10,000 tries.
 */
import { spawn } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { createConfinement } from "../../src/process/confine.ts";
import type { Confinement } from "../../src/process/confine-types.ts";

const TRIES = Number(process.env["HARNESS_KIT_RACES"] ?? 400);

const base = realpathSync(mkdtempSync(join(tmpdir(), "harness-race-")));
afterAll(() => rmSync(base, { recursive: true, force: true }));

const SWAPPER = `
  const { renameSync } = require("node:fs");
  const [dir, evil, spare] = process.argv.slice(1);
  let swaps = 0;
  process.on("message", () => process.send(swaps, () => process.exit()));
  const round = () => {
    for (let i = 0; i < 100; i++) {
      renameSync(dir, spare); renameSync(evil, dir);
      renameSync(dir, evil); renameSync(spare, dir);
    }
    swaps += 100;
    setImmediate(round);
  };
  process.send("ready");
  round();`;

/** What is tried, each in its turn; it says what it has read. */
const ATTEMPTS: ((confinement: Confinement) => Promise<string>)[] = [
  async (confinement) => {
    const { handle } = await confinement.open({ op: "read", path: "swap/secret.txt" });
    return handle.readFile("utf8").finally(() => handle.close());
  },
  async (confinement) => {
    const { handle } = await confinement.open({ op: "write", path: "swap/secret.txt", flags: "w" });
    return handle
      .writeFile("inside")
      .then(() => "inside")
      .finally(() => handle.close());
  },
  async (confinement) => {
    const { handle } = await confinement.open({ op: "write", path: "swap/deep/new.txt", flags: "a" });
    return handle
      .writeFile("more")
      .then(() => "inside")
      .finally(() => handle.close());
  },
  async (confinement) => {
    const place = await confinement.openPlace({ op: "write", path: "swap/placed.txt" });
    try {
      writeFileSync(place.at("placed.tmp"), "inside");
      rmSync(place.at("placed.tmp"));
      return "inside";
    } finally {
      await place.handle.close();
    }
  },
];

it(`nothing outside is read or written in ${TRIES} tries`, { timeout: 60_000 + TRIES * 100 }, async () => {
  const [root, out] = [join(base, "proj"), join(base, "out")];
  for (const folder of [join(root, "swap/deep"), join(out, "deep")]) mkdirSync(folder, { recursive: true });
  writeFileSync(join(root, "swap/secret.txt"), "inside");
  writeFileSync(join(out, "secret.txt"), "OUTSIDE");
  symlinkSync(out, join(base, "evil"));
  const confinement = createConfinement({ roots: [root] });

  const names = [join(root, "swap"), join(base, "evil"), join(base, "spare")];
  const swapper = spawn(process.execPath, ["-e", SWAPPER, ...names], {
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  await new Promise((resolve) => swapper.once("message", resolve));
  const seen = { inside: 0, refused: 0, leaked: 0 };
  for (let index = 0; index < TRIES; index++) {
    const attempt = ATTEMPTS[index % ATTEMPTS.length] as (typeof ATTEMPTS)[number];
    const read = await attempt(confinement).catch(() => undefined);
    seen[read === undefined ? "refused" : read.includes("OUTSIDE") ? "leaked" : "inside"]++;
  }
  const swaps = await new Promise<number>((resolve) => {
    swapper.once("message", (message) => resolve(Number(message)));
    swapper.send("stop");
  });

  expect(seen.leaked).toBe(0);
  expect(readFileSync(join(out, "secret.txt"), "utf8")).toBe("OUTSIDE");
  expect([...readdirSync(out), ...readdirSync(join(out, "deep"))].sort()).toEqual(["deep", "secret.txt"]);
  // It was a race: both came to pass.
  expect(swaps).toBeGreaterThan(100);
  expect(seen.refused).toBeGreaterThan(0);
  expect(seen.inside).toBeGreaterThan(0);
});
