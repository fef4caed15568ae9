import {
  chmodSync,
  closeSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { createCapture } from "../../src/process/capture.ts";
import { describeProcess, type ProcessOptions, runProcess, runProcessSync } from "../../src/process/index.ts";
import { createSpill } from "../../src/process/spill.ts";
import { completed } from "./results.ts";

const root = mkdtempSync(join(tmpdir(), "harness-kit-spill-"));
chmodSync(root, 0o755);
afterAll(() => rmSync(root, { recursive: true, force: true }));

let folders = 0;
const freshFolder = () => join(root, String(++folders), "deep");

const listed = (folder: string) => (existsSync(folder) ? readdirSync(folder) : []);

describe("the file of a long output", () => {
  it("holds every byte, whatever the size of the chunks and of what is kept", () => {
    const limits = { headBytes: 3, tailBytes: 7 };
    const chunks = fc.array(fc.uint8Array({ minLength: 1, maxLength: 9 }), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(chunks, fc.nat(10), (parts, fromBytes) => {
        const capture = createCapture(limits, createSpill({ dir: join(root, "all"), fromBytes }, "stdout"));
        for (const part of parts) capture.write(Buffer.from(part));
        const whole = Buffer.concat(parts);
        const { bytes, spillFile, spillError } = capture.finish().info;
        expect([bytes, spillError]).toEqual([whole.length, undefined]);
        expect(spillFile !== undefined).toBe(whole.length > fromBytes);
        if (spillFile !== undefined) expect(readFileSync(spillFile)).toEqual(whole);
      }),
      { numRuns: 200 },
    );
  });

  it("is not made for a short output, nor is its folder", () => {
    const dir = freshFolder();
    const capture = createCapture(undefined, createSpill({ dir, fromBytes: 5 }, "stdout"));
    capture.write(Buffer.from("12345"));
    expect(capture.finish()).toEqual({ text: "12345", info: { bytes: 5, omittedBytes: 0, binary: false } });
    expect(existsSync(dir)).toBe(false);
  });

  it("can be read by us alone, and is named after its stream", () => {
    const dir = freshFolder();
    const spill = createSpill({ dir, fromBytes: 0 }, "stderr");
    spill.write(Buffer.from("secret"));
    const { spillFile = "" } = spill.finish();
    expect(spillFile).toMatch(/\/stderr-[0-9a-f-]{36}\.log$/);
    expect([statSync(spillFile).mode & 0o777, statSync(dirname(spillFile)).mode & 0o777]).toEqual([0o600, 0o700]);
  });

  it("takes nothing more once it is finished", () => {
    const spill = createSpill({ dir: freshFolder(), fromBytes: 0 }, "stdout");
    spill.write(Buffer.from("a"));
    const { spillFile = "" } = spill.finish();
    spill.write(Buffer.from("b"));
    expect(readFileSync(spillFile, "utf8")).toBe("a");
  });

  it("that cannot be made is told, and costs nothing but itself", () => {
    const dir = join(root, "plain");
    writeFileSync(dir, "");
    const spill = createSpill({ dir, fromBytes: 0 }, "stdout");
    spill.write(Buffer.from("a"));
    rmSync(dir);
    spill.write(Buffer.from("b"));
    expect(spill.finish()).toEqual({ spillError: expect.stringContaining("ENOTDIR") });
    expect(existsSync(dir)).toBe(false);
  });

  it.runIf(existsSync("/proc/self/fd"))("that could not be written to the end is removed", () => {
    const dir = freshFolder();
    const spill = createSpill({ dir, fromBytes: 0 }, "stdout");
    spill.write(Buffer.from("a"));
    closeSync(descriptorIn(dir));
    spill.write(Buffer.from("b"));
    spill.write(Buffer.from("c"));
    expect(spill.finish()).toEqual({ spillError: expect.stringContaining("EBADF") });
    expect(readdirSync(dir)).toEqual([]);
  });

  it.runIf(existsSync("/proc/self/fd"))("that could not be closed is removed", () => {
    const dir = freshFolder();
    const spill = createSpill({ dir, fromBytes: 0 }, "stdout");
    spill.write(Buffer.from("a"));
    closeSync(descriptorIn(dir));
    expect(spill.finish()).toEqual({ spillError: expect.stringContaining("EBADF") });
    expect(readdirSync(dir)).toEqual([]);
  });
});

/** The descriptor of our one open file below `dir`. */
function descriptorIn(dir: string): number {
  const targets = readdirSync("/proc/self/fd").map((fd): [string, string] => {
    try {
      return [fd, readlinkSync(`/proc/self/fd/${fd}`)];
    } catch {
      return [fd, ""];
    }
  });
  return Number(targets.find(([, target]) => target.startsWith(dir))?.[0]);
}

/** Both functions give the same answer here. */
const both: [string, (script: string, options: ProcessOptions) => ReturnType<typeof runProcess>][] = [
  ["runProcess", (script, options) => runProcess("bash", ["-c", script], options)],
  ["runProcessSync", async (script, options) => runProcessSync("bash", ["-c", script], options)],
];

describe.each(both)("%s with a folder for long outputs", (_, run) => {
  it("saves all of a stream of which the result leaves something out, and no other", async () => {
    const spillDir = freshFolder();
    const result = await run("seq 100000; seq 100 >&2", { spillDir });
    const { stdout, stderr } = result.capture;
    expect(stdout.omittedBytes).toBeGreaterThan(0);
    const lines = readFileSync(stdout.spillFile ?? "", "utf8").split("\n");
    expect([lines.length, lines[50_000], lines.at(-2)]).toEqual([100_001, "50001", "100000"]);
    expect([stderr.spillFile, listed(spillDir)]).toEqual([undefined, [stdout.spillFile?.slice(spillDir.length + 1)]]);
  });

  it("saves less than that on demand", async () => {
    const spillDir = freshFolder();
    const short = await run("printf 12345; printf 12345 >&2", { spillDir, spillBytes: 5 });
    const long = await run("printf 12345; printf 123456 >&2", { spillDir, spillBytes: 5 });
    expect([short.capture.stdout.spillFile, short.capture.stderr.spillFile]).toEqual([undefined, undefined]);
    expect(long.capture.stdout.spillFile).toBe(undefined);
    expect(readFileSync(long.capture.stderr.spillFile ?? "", "utf8")).toBe("123456");
  });

  it("never leaves out what it does not save, whatever it is told", async () => {
    const result = await run("seq 100000", { spillDir: freshFolder(), spillBytes: Number.MAX_SAFE_INTEGER });
    expect(statSync(result.capture.stdout.spillFile ?? "").size).toBe(result.capture.stdout.bytes);
  });

  it("saves what a command wrote until it was ended", async () => {
    const result = await run("echo early; sleep 20", { spillDir: freshFolder(), spillBytes: 0, timeoutMs: 500 });
    expect(result).toMatchObject({ reason: "timeout" });
    expect(readFileSync(result.capture.stdout.spillFile ?? "", "utf8")).toBe("early\n");
  });

  it("takes a relative folder from where we are, not from where the command runs", async () => {
    const spillDir = freshFolder();
    const result = await run("echo hi", { cwd: "/", spillDir: relative(process.cwd(), spillDir), spillBytes: 0 });
    expect(result.capture.stdout.spillFile?.startsWith(`${spillDir}/stdout-`)).toBe(true);
  });

  it("runs the command all the same when nothing can be saved", async () => {
    const result = await run("echo hi", { spillDir: "/proc/no/such", spillBytes: 0 });
    expect(result).toMatchObject({ ok: true, stdout: "hi\n", capture: { stdout: { spillError: expect.any(String) } } });
  });

  it.each([
    ["a folder that is no string", { spillDir: 5 as unknown as string }, "spillDir must be a string, got 5."],
    ["a negative length", { spillDir: "x", spillBytes: -1 }, "spillBytes must be a whole number from 0 up, got -1."],
  ])("refuses %s", async (_name, options, message) => {
    const result = await run("true", options);
    expect([result.code, result.cause?.message]).toEqual(["INVALID_ARGUMENT", message]);
  });
});

describe("the description of an output that was saved", () => {
  const long = "0123456789\n".repeat(1_000);
  const info = { bytes: 11_000, omittedBytes: 0, binary: false };
  const nothing = { bytes: 0, omittedBytes: 0, binary: false };
  const described = (more: object, maxChars: number) =>
    describeProcess(completed(0, long, "", { capture: { stdout: { ...info, ...more }, stderr: nothing } }), {
      maxChars,
    });

  it("names the file where something is left out", () => {
    const text = described({ spillFile: "/spill/a.log" }, 2_000);
    expect(text).toMatch(/\n\[stdout had 11,000 bytes; all of it is in \/spill\/a\.log\]$/);
    expect(text.length).toBeLessThanOrEqual(2_000);
  });

  it("does not where nothing is", () => {
    expect(described({ spillFile: "/spill/a.log" }, 20_000)).toBe(long);
  });

  it("says that and why there is no file", () => {
    expect(described({ spillError: `ENOSPC${"!".repeat(500)}` }, 2_000)).toMatch(
      /\n\[stdout had 11,000 bytes and could not be saved \(ENOSPC!{1,200}….*\); to see what is left out, use head, tail or grep\]$/,
    );
  });

  it("names the file of what is no text", () => {
    const text = described({ binary: true, spillFile: "/spill/a.log" }, 2_000);
    expect(text).toBe("[binary output, 11,000 bytes, saved as /spill/a.log]");
  });

  it("keeps the room that a long path needs", () => {
    const text = described({ spillFile: `/${"x".repeat(1_500)}.log` }, 2_000);
    expect(text.length).toBeLessThanOrEqual(2_000);
    expect(text).toContain(`${"x".repeat(1_500)}.log]`);
  });
});
