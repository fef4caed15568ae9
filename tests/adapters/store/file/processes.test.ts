import { readdirSync } from "node:fs";
import { fileStore } from "harness-kit/store";
import { beforeAll, describe, expect, it } from "vitest";
import { bundleStore, type Child, startChild } from "./children.ts";
import { ENTRIES, filesIn, freshStore, RUN, SESSION } from "./folder.ts";

beforeAll(bundleStore);

/** Both children go at once; what they say is what they count. */
async function both(children: readonly Child[]): Promise<string[]> {
  for (const child of children) expect(await child.next()).toBe("ready");
  for (const child of children) child.tell("go");
  return Promise.all(children.map((child) => child.next()));
}

const saver = (value: object, call: string) => `
const value = ${JSON.stringify(value)};
say("ready");
await told();
let errors = 0;
for (let index = 0; index < 200; index++) {
  const changed = { ...value, ${call === "saveRun" ? "answer" : "title"}: String(index).repeat(2_000) };
  await store.${call}(changed).catch((error) => { errors++; process.stderr.write(String(error.stack)); });
  await new Promise(setImmediate);
}
say(String(errors));
process.exit(0);
`;

describe("two processes", { timeout: 120_000 }, () => {
  it.each([
    ["run", RUN, "saveRun", (store) => store.loadRun("r1")],
    ["session", SESSION, "saveSession", (store) => store.loadSession("s1")],
  ] as const satisfies readonly (readonly [
    string,
    object,
    string,
    (store: ReturnType<typeof fileStore>) => Promise<unknown>,
  ])[])(
    "save one %s 200 times each without an error, and it is whole at every read",
    async (_name, value, call, load) => {
      const { folder, store } = freshStore();
      const children = [startChild(folder, saver(value, call)), startChild(folder, saver(value, call))];
      let isOver = false;
      const saved = both(children).finally(() => {
        isOver = true;
      });
      let seen = 0;
      while (!isOver) {
        if ((await load(store)) !== undefined) seen++;
        await new Promise((resolve) => setImmediate(resolve));
      }
      expect(await saved).toEqual(["0", "0"]);
      expect(seen).toBeGreaterThan(10);
      expect(await load(store)).toMatchObject({ id: value.id });
      expect(readdirSync(`${folder}/tmp`)).toEqual([]);
    },
  );

  it("add to one journal 200 times each, and nothing is lost", async () => {
    const { folder, store } = freshStore();
    const adder = (name: string) => `
      say("ready");
      await told();
      for (let index = 0; index < 200; index++) {
        await store.append("r1", [{ type: "effect:start", key: "${name}/" + index, at: index }, { type: "effect:end", key: "${name}/" + index, at: index, value: "x".repeat(index * 37 % 9_000) }]);
        await new Promise(setImmediate);
      }
      say("0");
      process.exit(0);
    `;
    expect(await both([startChild(folder, adder("a")), startChild(folder, adder("b"))])).toEqual(["0", "0"]);
    const entries = (await store.readJournal("r1"))?.entries ?? [];
    const keysOf = (name: string) =>
      entries.flatMap((entry) => (entry.type === "effect:end" && entry.key.startsWith(name) ? [entry.key] : []));
    expect(entries.length).toBe(800);
    for (const name of ["a", "b"]) {
      expect(keysOf(name)).toEqual(Array.from({ length: 200 }, (_, index) => `${name}/${index}`));
    }
  });

  it("ask for one key, and one of them gets it, every time", async () => {
    const { folder } = freshStore();
    const claimer = (name: string) => `
      say("ready");
      await told();
      const mine = [];
      for (let index = 0; index < 200; index++) if (await store.claim("key " + index, "${name}")) mine.push(index);
      say(JSON.stringify(mine));
      process.exit(0);
    `;
    const said = await both([startChild(folder, claimer("a")), startChild(folder, claimer("b"))]);
    const claimed = said.flatMap((line) => JSON.parse(line) as number[]);
    expect(claimed.sort((a, b) => a - b)).toEqual(Array.from({ length: 200 }, (_, index) => index));
  });

  it("never have one lock at the same time", async () => {
    const { folder } = freshStore();
    const locker = `
      import { closeSync, openSync, rmSync } from "node:fs";
      const inside = ${JSON.stringify(folder)} + "/inside";
      say("ready");
      await told();
      let times = 0, errors = 0;
      while (times < 100) {
        const unlock = await store.lock("run r1");
        await new Promise(setImmediate);
        if (unlock === undefined) continue;
        try { closeSync(openSync(inside, "wx")); } catch { errors++; }
        await new Promise(setImmediate);
        rmSync(inside, { force: true });
        await unlock();
        times++;
      }
      say(String(errors));
      process.exit(0);
    `;
    expect(await both([startChild(folder, locker), startChild(folder, locker)])).toEqual(["0", "0"]);
    expect(filesIn(folder)).toEqual([]);
  });
});

describe("a process that is killed while it writes", { timeout: 120_000 }, () => {
  it("leaves a journal and a record that can be read, and nothing that stays half written", async () => {
    const { folder, store } = freshStore();
    await store.append("r1", ENTRIES);
    await store.saveRun(RUN);
    const writer = `
      say("ready");
      const text = "x".repeat(500_000);
      for (let index = 0; ; index++) {
        await store.append("r1", [{ type: "effect:end", key: String(index), at: index, value: text }]);
        await store.saveRun({ ...${JSON.stringify(RUN)}, answer: text });
        await new Promise(setImmediate);
      }
    `;
    let length = 0;
    for (let round = 0; round < 8; round++) {
      const child = startChild(folder, writer);
      await child.next();
      await new Promise((resolve) => setTimeout(resolve, round * 7));
      child.process.kill("SIGKILL");
      expect(await child.ended).toBe("SIGKILL");
      const journal = await store.readJournal("r1");
      expect(journal?.entries.length).toBeGreaterThanOrEqual(length);
      length = journal?.entries.length ?? 0;
      expect((await store.loadRun("r1"))?.id).toBe("r1");
    }
    await fileStore(folder).saveRun(RUN);
    expect(filesIn(folder)).toEqual(["runs/r1/journal.jsonl", "runs/r1/run.jsonl"]);
  });
});
