import { EventEmitter } from "node:events";
import { setTimeout as sleep, setImmediate as turn } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { createLiveGroups, type ExitHost } from "../../src/process/live-groups.ts";

function fakeProcess() {
  const log: string[] = [];
  const emitter = new EventEmitter();
  const host = Object.assign(emitter, {
    pid: 1,
    kill: (pid: number, signal: string) => log.push(`raise ${pid} ${signal}`),
  });
  const groups = createLiveGroups(host as unknown as ExitHost, (pid) => void log.push(`kill ${pid}`));
  const listeners = () => ["exit", "SIGINT", "SIGTERM", "SIGHUP"].map((name) => emitter.listenerCount(name));
  return { emitter, groups, log, listeners };
}

describe("running commands", () => {
  it("are killed when this process exits", () => {
    const { emitter, groups, log } = fakeProcess();
    groups.guard(7);
    groups.guard(8);
    emitter.emit("exit");
    expect(log).toEqual(["kill 7", "kill 8"]);
  });

  it.each(["SIGINT", "SIGTERM", "SIGHUP"])("are killed by %s before it ends this process", (signal) => {
    const { emitter, groups, log, listeners } = fakeProcess();
    groups.guard(7);
    emitter.emit(signal, signal);
    expect(log).toEqual(["kill 7", `raise 1 ${signal}`]);
    expect(listeners()[["exit", "SIGINT", "SIGTERM", "SIGHUP"].indexOf(signal)]).toBe(0);
  });

  it("are left to a host that handles the signal itself, also the second time", async () => {
    const { emitter, groups, log, listeners } = fakeProcess();
    emitter.on("SIGINT", () => log.push("host"));
    groups.guard(7);
    emitter.emit("SIGINT", "SIGINT");
    await turn();
    emitter.emit("SIGINT", "SIGINT");
    expect(log).toEqual(["host", "host"]);
    await turn();
    expect(listeners()).toEqual([1, 2, 1, 1]);
    emitter.emit("exit");
    expect(log).toEqual(["host", "host", "kill 7"]);
  });

  it("are looked after before the listeners of a host run", () => {
    const { emitter, groups, log, listeners } = fakeProcess();
    emitter.on("SIGINT", () => log.push(`ours ${(listeners()[1] ?? 0) - 1}`));
    groups.guard(7);
    emitter.emit("SIGINT", "SIGINT");
    expect(log).toEqual(["ours 0"]);
  });

  it("that end while the host decides are not guarded much longer", async () => {
    const { emitter, groups, listeners } = fakeProcess();
    emitter.on("SIGINT", () => {});
    const forget = groups.guard(7);
    emitter.emit("SIGINT", "SIGINT");
    forget();
    await sleep(200);
    expect(listeners()).toEqual([0, 1, 0, 0]);
  });

  it("that start while the host decides are guarded once", async () => {
    const { emitter, groups, listeners } = fakeProcess();
    emitter.on("SIGINT", () => {});
    const forget = groups.guard(7);
    emitter.emit("SIGINT", "SIGINT");
    forget();
    groups.guard(8);
    await turn();
    expect(listeners()).toEqual([1, 2, 1, 1]);
  });

  it("share one listener per event, which goes soon after the last of them", async () => {
    const { groups, log, emitter, listeners } = fakeProcess();
    const first = groups.guard(7);
    const second = groups.guard(8);
    expect(listeners()).toEqual([1, 1, 1, 1]);
    first();
    first();
    await sleep(200);
    expect(listeners()).toEqual([1, 1, 1, 1]);
    emitter.emit("exit");
    expect(log).toEqual(["kill 8"]);
    second();
    expect(listeners()).toEqual([1, 1, 1, 1]);
    await sleep(200);
    expect(listeners()).toEqual([0, 0, 0, 0]);
  });

  it("that follow one another keep the listeners", async () => {
    const { groups, listeners, emitter, log } = fakeProcess();
    groups.guard(7)();
    const second = groups.guard(8);
    await sleep(200);
    expect(listeners()).toEqual([1, 1, 1, 1]);
    second();
    await sleep(200);
    expect(listeners()).toEqual([0, 0, 0, 0]);
    groups.guard(9);
    emitter.emit("SIGTERM", "SIGTERM");
    expect(log).toEqual(["kill 9", "raise 1 SIGTERM"]);
  });

  it("that are over do not keep a signal from ending this process", () => {
    const { groups, emitter, log } = fakeProcess();
    groups.guard(7)();
    emitter.emit("SIGTERM", "SIGTERM");
    expect(log).toEqual(["raise 1 SIGTERM"]);
  });
});
