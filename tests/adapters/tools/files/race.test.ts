/**
 * A folder is exchanged for a link to the outside, again and again, while the tools read and write in it.
 *
 * `npm run test:race` makes 10,000 calls; without it there are few enough for every run of the tests.
 */
import { spawn } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import type { ToolResult } from "../../../../src/contract/tool.ts";
import { createTestWorkspace, SECRET, type TestWorkspace } from "./workspace.ts";

const CALLS = Number(process.env["HARNESS_KIT_RACES"] ?? 300);

/** What a tool put in the place of the folder meanwhile is removed: its work is lost, but not leaked. */
const SWAPPER = `
  const { renameSync, rmSync } = require("node:fs");
  const [folder, link, spare] = process.argv.slice(1);
  let swaps = 0;
  process.on("message", () => process.send(swaps));
  const put = (from) => {
    for (;;) {
      try { return renameSync(from, folder); } catch {}
      try { rmSync(folder, { recursive: true, force: true }); } catch {}
    }
  };
  const round = () => {
    for (let i = 0; i < 200; i++) {
      renameSync(folder, spare); put(link);
      renameSync(folder, link); put(spare);
      swaps++;
    }
    setImmediate(round);
  };
  round();`;

/** @returns How often the folder was exchanged. */
async function whileSwapping({ root, outside }: TestWorkspace, work: () => Promise<void>): Promise<number> {
  const base = dirname(root);
  symlinkSync(outside, join(base, "link"));
  const names = [join(root, "swap"), join(base, "link"), join(base, "spare")];
  const swapper = spawn(process.execPath, ["-e", SWAPPER, ...names], {
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  const ended = new Promise<undefined>((resolve) => swapper.on("exit", () => resolve(undefined)));
  const swaps = async () => {
    const count = new Promise<number>((resolve) => swapper.once("message", (message) => resolve(Number(message))));
    if (swapper.connected) swapper.send("how many?");
    const told = await Promise.race([count, ended]);
    if (told === undefined) throw new Error("The swapper ended by itself.");
    return told;
  };
  try {
    await swaps();
    await work();
    return await swaps();
  } finally {
    swapper.kill("SIGKILL");
    await ended;
  }
}

const ARGUMENTS: readonly (readonly [tool: string, args: (index: number) => object])[] = [
  ["readFile", () => ({ path: "swap/secret.txt" })],
  ["writeFile", (index) => ({ path: `swap/new${index % 50}.txt`, content: `written ${index}` })],
  ["editFile", () => ({ path: "swap/secret.txt", edits: [{ oldText: "the ", newText: "the very " }] })],
  ["writeFile", (index) => ({ path: `swap/deep${index % 7}/er/x.txt`, content: "written" })],
  ["grepFiles", () => ({ pattern: "secret", path: "swap" })],
  ["grepFiles", () => ({ pattern: "secret" })],
  ["listFiles", () => ({ path: ".", depth: 3 })],
  ["globFiles", () => ({ pattern: "*" })],
];

it(`nothing of the outside is read, listed or written in ${CALLS} calls`, async () => {
  const workspace = createTestWorkspace();
  const { root, outside, call } = workspace;
  writeFileSync(join(outside, "only-outside.txt"), SECRET);
  mkdirSync(join(root, "swap"));
  writeFileSync(join(root, "swap/secret.txt"), `${"the inside\n".repeat(3)}`);
  for (let index = 0; index < 30; index++) writeFileSync(join(root, `other${index}.txt`), "nothing\n");
  const outcomes = { done: 0, refused: 0, leaked: [] as ToolResult[] };
  const swaps = await whileSwapping(workspace, async () => {
    for (let index = 0; index < CALLS; index++) {
      const [tool, args] = ARGUMENTS[index % ARGUMENTS.length] ?? ["readFile", () => ({})];
      const result = await call(tool, args(index));
      if (result.ok) outcomes.done++;
      else outcomes.refused++;
      // Where a link leads is shown as what it is; nothing of what is there may be.
      const shown = (result.ok ? String(result.value) : result.error).replace(/ -> \S+/g, "");
      if (/secret of the outside|only-outside/.test(shown)) outcomes.leaked.push(result);
    }
  });
  if (process.env["HARNESS_KIT_RACES"] !== undefined) console.log(`${CALLS} calls, ${swaps} swaps:`, outcomes);
  expect(outcomes.leaked).toEqual([]);
  expect(readdirSync(outside).sort()).toEqual(["only-outside.txt", "secret.txt"]);
  expect(readFileSync(join(outside, "secret.txt"), "utf8")).toBe(SECRET);
  expect(outcomes.done).toBeGreaterThan(0);
  expect(swaps).toBeGreaterThan(CALLS);
}, 1_200_000);
