/** Faults that users of other runtimes reported, by their number in our list. */
import { describe, expect, it } from "vitest";
import { describeProcess, runProcess, runProcessSync } from "../../src/process/index.ts";
import { expectNoSurvivor } from "./case-runner.ts";
import { uniqueSleep } from "./markers.ts";

const bash = (script: string, options = {}) => runProcess("bash", ["-c", script], options);

describe("a reported fault", () => {
  it("HK-039: NUL bytes never reach the model", async () => {
    expect(describeProcess(await bash("printf 'a\\0b\\0c'"))).toBe("a␀b␀c");
    const binary = describeProcess(await bash('head -c 4096 "$(command -v node)"'));
    expect(binary).toBe("[binary output, 4,096 bytes]");
  });

  it("HK-041: three megabytes are cut to the cap, with their size and their end", async () => {
    const result = await bash("head -c 3000000 /dev/zero | tr '\\0' x; echo END");
    const text = describeProcess(result);
    expect(result).toMatchObject({ status: "completed", exitCode: 0 });
    expect(text.length).toBeLessThanOrEqual(30_000);
    expect(text).toContain("3,000,004");
    expect(text).toMatch(/END\n\[stdout had/);
  });

  it("HK-077: a background process that holds the pipe does not hold the caller", async () => {
    const marker = uniqueSleep();
    const result = await bash(`${marker.command} & echo up`, { timeoutMs: 5_000 });
    expect(result).toMatchObject({ status: "completed", exitCode: 0, ok: true, stdout: "up\n", background: "killed" });
    expect(result.durationMs).toBeLessThan(4_500);
    await expectNoSurvivor(marker.pattern);
  });

  it("HK-077: where the caller must wait, the exit code is told all the same", () => {
    const marker = uniqueSleep();
    const result = runProcessSync("bash", ["-c", `${marker.command} & echo up`], { timeoutMs: 800 });
    expect(result).toMatchObject({ status: "completed", exitCode: 0, stdout: "up\n", errno: "ETIMEDOUT" });
    expect(describeProcess(result)).toMatch(/^up\n\[a background process was still running and was killed/);
  });

  it("HK-079: a loop that ignores SIGTERM is stopped", async () => {
    const script = 'trap "" TERM; echo a; for i in 1 2 3 4 5 6 7 8; do sleep 1; done';
    const result = await bash(script, { timeoutMs: 500 });
    expect(result).toMatchObject({ reason: "timeout", stdout: "a\n" });
    expect(result.durationMs).toBeLessThan(6_000);
    expect(runProcessSync("bash", ["-c", script], { timeoutMs: 500 })).toMatchObject({
      reason: "timeout",
      stdout: "a\n",
    });
  });

  it("HK-081: a prompt ends at once", async () => {
    expect((await bash('read -p "Password: " x; echo "got:[$x]"')).stdout).toBe("got:[]\n");
    expect(await bash("cat")).toMatchObject({ exitCode: 0, stdout: "" });
    const asked = await bash('node -e \'process.stdin.on("data", () => {}).on("end", () => console.log("EOF"))\'');
    expect(asked.stdout).toBe("EOF\n");
  });

  it("HK-083: a killed command is no success and has no exit code null", async () => {
    const result = await bash("echo before; kill -9 $$");
    expect(result).toMatchObject({ status: "terminated", ok: false, signal: "SIGKILL", stdout: "before\n" });
    expect(describeProcess(result)).toBe("before\n[killed by SIGKILL, not by the harness; often out of memory]");
  });

  it("HK-085: what a timed-out command wrote is shown", async () => {
    const result = await bash("echo early; echo warn >&2; sleep 5", { timeoutMs: 300 });
    expect(result).toMatchObject({ reason: "timeout", stdout: "early\n", stderr: "warn\n" });
    expect(describeProcess(result)).toMatch(/^early\n\[stderr\] warn\n\[timed out after 300 ms/);
  });

  it("HK-087: a missing directory is named, and bash not blamed", async () => {
    const text = describeProcess(await bash("pwd", { cwd: "/tmp/none-8f3" }));
    expect(text).toBe("[not started: working directory /tmp/none-8f3 does not exist]");
  });

  it("HK-089: arguments without sense are results", async () => {
    const wrong = [await bash("echo a\u0000b"), await runProcess(""), await bash(undefined as unknown as string)];
    expect(wrong.map((result) => result.code)).toEqual(["INVALID_ARGUMENT", "INVALID_ARGUMENT", "INVALID_ARGUMENT"]);
    const long = await bash(`#${"x".repeat(3_000_000)}`);
    expect(long.code).toBe("ARGUMENTS_TOO_LONG");
    expect(describeProcess(long)).toContain("command of 3000001 bytes exceeds the limit");
  });

  it("HK-091: characters on the border of a chunk survive", async () => {
    const result = await runProcess("node", ["-e", 'process.stdout.write("你".repeat(80000))']);
    expect(result.stdout).toBe("你".repeat(80_000));
  });
});
