import type { EventEmitter } from "node:events";
import { PassThrough, Writable } from "node:stream";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { OutputChunk, Plan } from "../../src/process/options.ts";
import { supervise } from "../../src/process/supervise.ts";
import { type FakeChild, fakeChild, NOBODY, planOf } from "./fake-child.ts";

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(async () => {
  // The listeners on this process go a moment after the last command.
  await vi.advanceTimersByTimeAsync(60_000);
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
});

type Live = Parameters<typeof supervise>[2];

/** Follows a fake child; `settled` tells the ending once there is one. */
function follow(fake: FakeChild, plan: Partial<Plan> = {}, live: Live = {}) {
  const ending = supervise(fake.child, planOf(plan), live);
  let isSettled = false;
  void ending.then(() => {
    isSettled = true;
  });
  return { ending, isSettled: () => isSettled };
}

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

describe("a command that is followed", () => {
  it("ends when it has exited and its pipes are closed, and says all that is known", async () => {
    const fake = fakeChild();
    const { ending, isSettled } = follow(fake);
    fake.stdout.write("out");
    fake.stderr.write("err!");
    await pass(10);
    fake.exit(3);
    await pass(100);
    expect(isSettled()).toBe(false);
    fake.stdout.write(" late");
    await pass(0);
    fake.close();
    expect(await ending).toEqual({
      pid: NOBODY,
      exitCode: 3,
      signal: null,
      stopped: undefined,
      escalated: false,
      background: "none",
      error: undefined,
      stdinClosedEarly: false,
      stdout: { text: "out late", info: { bytes: 8, omittedBytes: 0, binary: false } },
      stderr: { text: "err!", info: { bytes: 4, omittedBytes: 0, binary: false } },
      report: "",
    });
    expect([fake.signals, fake.isUnreferenced(), fake.stdout.destroyed]).toEqual([[], false, false]);
  });

  it("tells the signal that ended it", async () => {
    const fake = fakeChild();
    const { ending } = follow(fake);
    fake.exit(null, "SIGSEGV");
    fake.close();
    expect(await ending).toMatchObject({ exitCode: null, signal: "SIGSEGV", stopped: undefined });
  });

  it("is not followed any longer than its drain when a pipe is held, and lets go of it", async () => {
    const fake = fakeChild(new PassThrough());
    const { ending, isSettled } = follow(fake);
    fake.stdout.write("out");
    fake.exit(0);
    await pass(249);
    expect(isSettled()).toBe(false);
    await pass(2);
    expect(await ending).toMatchObject({ exitCode: 0, stdout: { text: "out" } });
    expect(fake.child.stdio.map((stream) => stream?.destroyed)).toEqual([true, true, true]);
    expect(fake.isUnreferenced()).toBe(true);
  });

  it("is waited for anew with each piece of output", async () => {
    const fake = fakeChild();
    const { isSettled } = follow(fake);
    fake.exit(0);
    await pass(200);
    fake.stdout.write("1");
    await pass(200);
    fake.stderr.write("2");
    await pass(200);
    expect(isSettled()).toBe(false);
    await pass(500);
    expect(isSettled()).toBe(true);
  });

  it("is not waited for any more after an abort, when it has exited already", async () => {
    const fake = fakeChild();
    const controller = new AbortController();
    const { ending } = follow(fake, {}, { signal: controller.signal });
    fake.exit(0);
    await pass(10);
    controller.abort();
    expect(await ending).toMatchObject({ exitCode: 0, stopped: undefined });
    expect(fake.signals).toEqual([]);
  });

  it("survives errors of its process and of its pipes", async () => {
    const fake = fakeChild();
    const { ending } = follow(fake);
    for (const emitter of [fake.child, fake.stdout, fake.stderr] as EventEmitter[]) emitter.emit("error", new Error());
    fake.exit(0);
    fake.close();
    expect(await ending).toMatchObject({ exitCode: 0, error: undefined });
  });

  it("may have no pipes at all", async () => {
    const fake = fakeChild();
    Object.assign(fake.child, { stdout: null, stderr: undefined, stdio: [null, null, undefined] });
    const { ending } = follow(fake);
    fake.exit(0);
    await pass(300);
    expect(await ending).toMatchObject({ exitCode: 0, stdout: { text: "" }, stderr: { text: "" } });
  });
});

describe("a command that is ended", () => {
  it("by its time limit gets SIGTERM, and its group SIGKILL once it is gone", async () => {
    const fake = fakeChild();
    const { ending } = follow(fake, { timeoutMs: 500 });
    await pass(501);
    expect(fake.signals).toEqual(["SIGTERM"]);
    fake.exit(143);
    fake.close();
    expect(await ending).toMatchObject({ stopped: "timeout", exitCode: 143, escalated: false, background: "none" });
    expect(fake.signals).toEqual(["SIGTERM", "SIGKILL"]);
  });

  it("by its time limit and does not listen gets SIGKILL after its grace period", async () => {
    const fake = fakeChild();
    const { ending } = follow(fake, { timeoutMs: 500, graceMs: 300 });
    await pass(805);
    expect(fake.signals).toEqual(["SIGTERM", "SIGKILL"]);
    fake.exit(null, "SIGKILL");
    fake.close();
    expect(await ending).toMatchObject({ stopped: "timeout", signal: "SIGKILL", escalated: true });
  });

  it("and does not even go by SIGKILL is not waited for for ever", async () => {
    const fake = fakeChild();
    const { ending, isSettled } = follow(fake, { timeoutMs: 500, graceMs: 300 });
    await pass(500 + 300 + 2_000 + 100);
    expect(isSettled()).toBe(false);
    await pass(250);
    expect(await ending).toMatchObject({ stopped: "timeout", exitCode: null, signal: null, escalated: true });
    expect(fake.isUnreferenced()).toBe(true);
  });

  it("by a signal is told as that, and no time limit comes after its exit", async () => {
    const fake = fakeChild();
    const controller = new AbortController();
    const { ending } = follow(fake, { timeoutMs: 500, drainMs: 5_000 }, { signal: controller.signal });
    controller.abort();
    fake.exit(null, "SIGTERM");
    await pass(1_000);
    fake.close();
    expect(await ending).toMatchObject({ stopped: "aborted", signal: "SIGTERM" });
  });

  it("after its exit is no timeout", async () => {
    const fake = fakeChild();
    const { ending } = follow(fake, { timeoutMs: 500, drainMs: 5_000 });
    fake.exit(0);
    await pass(1_000);
    fake.close();
    expect(await ending).toMatchObject({ stopped: undefined, exitCode: 0 });
    expect(fake.signals).toEqual([]);
  });

  it.each(["stdout", "stderr"] as const)("by too much output on %s is not before that", async (name) => {
    const fake = fakeChild();
    const { ending } = follow(fake, { maxOutputBytes: 5 });
    fake[name].write("123");
    fake[name === "stdout" ? "stderr" : "stdout"].write("12345");
    fake[name].write("45");
    await pass(0);
    expect(fake.signals).toEqual([]);
    fake[name].write("6");
    await pass(0);
    expect(fake.signals).toEqual(["SIGTERM"]);
    fake.exit(null, "SIGTERM");
    fake.close();
    expect(await ending).toMatchObject({ stopped: "outputLimit", [name]: { text: "123456" } });
  });

  it("by no output at all when there is no limit", async () => {
    const fake = fakeChild();
    follow(fake, { maxOutputBytes: 0 });
    fake.stdout.write("x".repeat(100_000));
    await pass(0);
    expect(fake.signals).toEqual([]);
    fake.exit(0);
    fake.close();
  });
});

describe("live output", () => {
  it("comes piece by piece, never with half a character, and what is cut off comes last", async () => {
    const fake = fakeChild();
    const chunks: OutputChunk[] = [];
    const { ending } = follow(fake, {}, { onOutput: (chunk) => chunks.push(chunk) });
    const you = Buffer.from("你");
    for (const piece of [Buffer.from("a"), you.subarray(0, 2), you.subarray(2), Buffer.from("b"), you.subarray(0, 1)]) {
      fake.stdout.write(piece);
      await pass(0);
    }
    fake.stderr.write("e");
    await pass(0);
    expect(chunks.map(({ stream, text }) => `${stream} ${text}`)).toEqual([
      "stdout a",
      "stdout 你",
      "stdout b",
      "stderr e",
    ]);
    fake.exit(0);
    fake.close();
    await ending;
    expect(chunks.slice(4)).toEqual([{ stream: "stdout", text: "\uFFFD" }]);
  });

  it("is not told where there is none", async () => {
    const fake = fakeChild();
    const onOutput = vi.fn();
    const { ending } = follow(fake, {}, { onOutput });
    fake.exit(0);
    fake.close();
    await ending;
    expect(onOutput).not.toHaveBeenCalled();
  });

  it.each([
    [
      "throws",
      () => {
        throw new Error("listener");
      },
    ],
    ["rejects", () => Promise.reject(new Error("listener"))],
  ])("goes on when its listener %s", async (_, onOutput) => {
    const fake = fakeChild();
    const { ending } = follow(fake, {}, { onOutput });
    fake.stdout.write("a");
    await pass(0);
    fake.stdout.write("b");
    await pass(0);
    fake.exit(0);
    fake.close();
    expect(await ending).toMatchObject({ exitCode: 0, stdout: { text: "ab" } });
  });
});

describe("input", () => {
  /** A stdin that takes what it is given, or fails with an error. */
  function stdinOf(error?: Error) {
    const taken: Buffer[] = [];
    const stdin = new Writable({
      write(chunk: Buffer, _, done) {
        taken.push(chunk);
        done(error);
      },
    });
    return { stdin, text: () => Buffer.concat(taken).toString() };
  }

  async function ended(stdin: Writable | null, input: string | undefined) {
    const fake = fakeChild(stdin);
    const { ending } = follow(fake, { input });
    await pass(0);
    fake.exit(0);
    fake.close();
    return ending;
  }

  it("is written and closed", async () => {
    const { stdin, text } = stdinOf();
    expect(await ended(stdin, "hello")).toMatchObject({ stdinClosedEarly: false, error: undefined });
    expect([text(), stdin.writableFinished]).toEqual(["hello", true]);
  });

  it("that is empty is still an end", async () => {
    const { stdin } = stdinOf();
    expect(await ended(stdin, "")).toMatchObject({ stdinClosedEarly: false });
    expect(stdin.writableFinished).toBe(true);
  });

  it("that is not read to its end is no failure, and told", async () => {
    const error = Object.assign(new Error("write EPIPE"), { code: "EPIPE" });
    expect(await ended(stdinOf(error).stdin, "hello")).toMatchObject({ stdinClosedEarly: true, error });
  });

  it("that there is none of is not closed early", async () => {
    const { stdin } = stdinOf();
    expect(await ended(stdin, undefined)).toMatchObject({ stdinClosedEarly: false });
    expect(stdin.writableEnded).toBe(false);
    expect(await ended(null, undefined)).toMatchObject({ stdinClosedEarly: false });
  });
});
