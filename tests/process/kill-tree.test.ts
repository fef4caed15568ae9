import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { isGroupAlive, isGroupDeaf, type KillHost, killGroupNow, killTree } from "../../src/process/kill-tree.ts";
import { allIgnore, hasLiveMember } from "../../src/process/process-table.ts";

interface Recorded {
  host: KillHost;
  log: string[];
  failTaskkill(): void;
}

function recordingHost(platform: NodeJS.Platform, more: Partial<KillHost> = {}): Recorded {
  const log: string[] = [];
  let fail = () => {};
  const host: KillHost = {
    platform,
    systemRoot: "D:\\Windows",
    kill: (pid, signal) => void log.push(`kill ${pid} ${signal}`),
    start: (file, args, onFailure) => {
      log.push([file, ...args].join(" "));
      fail = onFailure;
    },
    runSync: (file, args) => void log.push(["sync", file, ...args].join(" ")),
    hasLiveMember: () => true,
    allIgnore: (_, signal) => signal === 15,
    ...more,
  };
  return { host, log, failTaskkill: () => fail() };
}

const noSuchProcess = () => {
  throw Object.assign(new Error("kill ESRCH"), { code: "ESRCH" });
};

function recordingChild(log: string[], pid?: number) {
  return { pid, kill: (signal: string) => log.push(`child ${signal}`) > 0 };
}

describe("a process tree", () => {
  it("gets the signal as one group", () => {
    const { host, log } = recordingHost("linux");
    killTree(recordingChild(log, 7), "SIGTERM", host);
    expect(log).toEqual(["kill -7 SIGTERM"]);
  });

  it("whose group cannot be reached is at least rid of its leader", () => {
    const { host, log } = recordingHost("darwin", { kill: noSuchProcess });
    killTree(recordingChild(log, 7), "SIGTERM", host);
    expect(log).toEqual(["child SIGTERM"]);
  });

  it("without a pid is left alone", () => {
    const { host, log } = recordingHost("linux");
    killTree(recordingChild(log), "SIGTERM", host);
    expect(log).toEqual([]);
  });

  it.each([0, 1, -1, Number.NaN])("is never taken to be our own group or everybody: %i", (pid) => {
    const { host, log } = recordingHost("linux");
    killTree(recordingChild(log, pid), "SIGTERM", host);
    killGroupNow(pid, host);
    expect(isGroupAlive(pid, host)).toBe(false);
    expect(log).toEqual(["child SIGTERM"]);
  });

  it("is ended by taskkill on Windows, called by its absolute path, before the child is touched", () => {
    const { host, log } = recordingHost("win32");
    killTree(recordingChild(log, 7), "SIGTERM", host);
    expect(log).toEqual(["D:\\Windows\\System32\\taskkill.exe /pid 7 /T /F"]);
  });

  it("is ended through the child on Windows when taskkill fails", () => {
    const { host, log, failTaskkill } = recordingHost("win32", { systemRoot: undefined });
    killTree(recordingChild(log, 7), "SIGKILL", host);
    failTaskkill();
    expect(log).toEqual(["C:\\Windows\\System32\\taskkill.exe /pid 7 /T /F", "child SIGKILL"]);
  });

  it("can be killed on the spot", () => {
    const linux = recordingHost("linux");
    killGroupNow(7, linux.host);
    expect(linux.log).toEqual(["kill -7 SIGKILL"]);
    const windows = recordingHost("win32");
    killGroupNow(7, windows.host);
    expect(windows.log).toEqual(["sync D:\\Windows\\System32\\taskkill.exe /pid 7 /T /F"]);
  });

  it("may be gone already", () => {
    expect(() => killGroupNow(7, recordingHost("linux", { kill: noSuchProcess }).host)).not.toThrow();
  });
});

describe("a group", () => {
  it("is alive when a signal would arrive at more than zombies", () => {
    const { host, log } = recordingHost("linux");
    expect(isGroupAlive(7, host)).toBe(true);
    expect(log).toEqual(["kill -7 0"]);
    expect(isGroupAlive(7, recordingHost("linux", { hasLiveMember: () => false }).host)).toBe(false);
    expect(isGroupAlive(7, recordingHost("linux", { kill: noSuchProcess }).host)).toBe(false);
  });

  it("is unknown on Windows", () => {
    const { host, log } = recordingHost("win32");
    expect(isGroupAlive(7, host)).toBe(false);
    expect(isGroupDeaf(7, host)).toBe(false);
    expect(log).toEqual([]);
  });

  it("is deaf when all of it ignores SIGTERM", () => {
    expect(isGroupDeaf(7, recordingHost("linux").host)).toBe(true);
    expect(isGroupDeaf(7, recordingHost("linux", { allIgnore: () => false }).host)).toBe(false);
  });
});

describe("the process table", () => {
  const folders: string[] = [];
  afterAll(() => {
    for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  });

  /** A `/proc` with these processes: pid, name, state, group, mask of ignored signals. */
  function table(...rows: [pid: number, name: string, state: string, group: number, ignored?: string][]): string {
    const root = mkdtempSync(join(tmpdir(), "harness-kit-proc-"));
    folders.push(root);
    mkdirSync(join(root, "self"));
    writeFileSync(join(root, "uptime"), "1 2");
    for (const [pid, name, state, group, ignored] of rows) {
      mkdirSync(join(root, String(pid)));
      writeFileSync(join(root, String(pid), "stat"), `${pid} (${name}) ${state} 1 ${group} ${group} 0 -1`);
      const mask = ignored === undefined ? "" : `SigIgn:\t${ignored}\n`;
      writeFileSync(
        join(root, String(pid), "status"),
        `Name:\t${name}\nSigBlk:\t0000000000004000\n${mask}SigCgt:\t0\n`,
      );
    }
    return root;
  }

  it("knows a running member", () => {
    expect(hasLiveMember(7, table([7, "bash", "Z", 7], [8, "sleep", "S", 7]))).toBe(true);
  });

  it("does not count zombies, the dead and other groups", () => {
    expect(hasLiveMember(7, table([7, "bash", "Z", 7], [8, "x", "X", 7], [9, "y", "S", 9], [77, "z", "R", 77]))).toBe(
      false,
    );
  });

  it("reads names that look like the rest of the line", () => {
    expect(hasLiveMember(7, table([8, "a) S 1 9 (b", "S", 7]))).toBe(true);
    expect(hasLiveMember(9, table([8, "a) S 1 9 (b", "S", 7]))).toBe(false);
  });

  it("does not mind a process that goes while it is looked at", () => {
    const root = table([9, "y", "S", 9]);
    mkdirSync(join(root, "10"));
    expect(hasLiveMember(7, root)).toBe(false);
  });

  it("where there is none lets everybody count as alive, and nobody as deaf", () => {
    expect(hasLiveMember(7, "/no/such/proc")).toBe(true);
    expect(allIgnore(7, 15, "/no/such/proc")).toBe(false);
  });

  it("knows who ignores a signal", () => {
    const term = "0000000000004000";
    const all = "ffffffffffffffff";
    const none = "0000000000000000";
    const others = "ffffffffffffbfff";
    expect(allIgnore(7, 15, table([7, "a", "S", 7, term], [8, "b", "S", 7, all]))).toBe(true);
    expect(allIgnore(7, 15, table([7, "a", "S", 7, term], [8, "b", "S", 7, none]))).toBe(false);
    expect(allIgnore(7, 15, table([7, "a", "S", 7, others]))).toBe(false);
    expect(allIgnore(7, 15, table([7, "a", "S", 7]))).toBe(false);
    expect(allIgnore(7, 15, table([7, "a", "S", 7, term], [8, "b", "Z", 7, none], [9, "c", "S", 9, none]))).toBe(true);
    expect(allIgnore(7, 15, table([8, "b", "S", 8, all]))).toBe(false);
  });
});
