import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { emptyDirectory } from "./fake-io.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
let program = "";

// The real program, bundled beside the installed packages so that what stays outside can be found.
beforeAll(async () => {
  const cache = join(root, "node_modules/.cache");
  mkdirSync(cache, { recursive: true });
  program = join(mkdtempSync(join(cache, "harness-kit-cli-")), "cli.js");
  await build({
    entryPoints: [join(root, "src/cli/main.ts")],
    outfile: program,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "es2022",
    packages: "external",
    logLevel: "silent",
  });
}, 60_000);

afterAll(() => rmSync(dirname(program), { recursive: true, force: true }));

interface Ended {
  readonly status: number | null;
  readonly out: string;
  readonly err: string;
}

interface Started {
  readonly child: ChildProcessWithoutNullStreams;
  readonly ended: Promise<Ended>;
  /** Waits until stdout holds a text. */
  until(text: string): Promise<void>;
}

function start(...argv: string[]): Started {
  return startProgram(process.execPath, [program, ...argv]);
}

/** The program at a pseudo-terminal; what it prints ends with its status and whether lines are edited by the terminal. */
function startAtTerminal(...argv: string[]): Started {
  const words = [process.execPath, program, ...argv].map((word) => `'${word.replaceAll("'", "'\\''")}'`);
  return startProgram("script", [
    "-qec",
    `${words.join(" ")}; echo "status $?"; stty -a | grep -o ".icanon"`,
    "/dev/null",
  ]);
}

function startProgram(file: string, words: readonly string[]): Started {
  const { OPENAI_API_KEY: _key, OPENAI_BASE_URL: _url, HARNESS_MODEL: _model, ...env } = process.env;
  const child = spawn(file, words, { cwd: emptyDirectory(), env: { ...env, NO_COLOR: "1" } });
  let [out, err] = ["", ""];
  child.stdout.on("data", (chunk) => {
    out += String(chunk);
  });
  child.stderr.on("data", (chunk) => {
    err += String(chunk);
  });
  const ended = new Promise<Ended>((resolve) => child.on("close", (status) => resolve({ status, out, err })));
  return {
    child,
    ended,
    async until(text) {
      while (!out.includes(text)) await new Promise((resolve) => setTimeout(resolve, 10));
    },
  };
}

describe("the program", () => {
  it("runs a prompt and ends with 0", async () => {
    const { status, out, err } = await start("what is 17 * 38?").ended;
    expect(out).toContain("Answer  : 17 * 38 = 646.\n");
    expect({ status, err }).toEqual({ status: 0, err: "" });
  });

  it("prints the record alone with --json", async () => {
    const { status, out, err } = await start("--json", "what is 2 ** 100?").ended;
    expect(JSON.parse(out)).toMatchObject({ status: "completed" });
    expect({ status, err }).toEqual({ status: 0, err: "" });
  });

  it("ends with 1 when the run fails", async () => {
    const { status, out } = await start("--allow", "bash", "--timeout", "300", "run `sleep 30`").ended;
    expect(out).toContain("Status  : failed (timeout)");
    expect(status).toBe(1);
  });

  it("ends with 2 when it is misused", async () => {
    const { status, out, err } = await start("--steps", "abc", "hi").ended;
    expect(err).toContain('--steps takes a whole number from 1 up, got "abc".');
    expect({ status, out }).toEqual({ status: 2, out: "" });
  });

  it("prints the help text where no terminal is attached", async () => {
    const { status, out } = await start().ended;
    expect(out).toContain("Usage: harness-kit");
    expect(status).toBe(0);
  });

  it("finds its version", async () => {
    expect((await start("--version").ended).out).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  it.runIf(process.platform !== "win32")("aborts the run at Ctrl-C, prints the record and ends with 130", async () => {
    const { child, ended, until } = start("--allow", "bash", "run `sleep 30`");
    await until("Step 1");
    child.kill("SIGINT");
    const { status, out } = await ended;
    expect(out).toContain("Status  : aborted (aborted) · [runtime] RUN_ABORTED: Ctrl-C was pressed.");
    expect(status).toBe(130);
  });

  it.runIf(process.platform !== "win32")("ends when its reader goes away", async () => {
    const { child, ended, until } = start("--allow", "bash", "run `sleep 1; echo late`");
    await until("Step 1");
    child.stdout.destroy();
    const { status, err } = await ended;
    expect(err).toBe("");
    expect(status).toBe(130);
  });
});

// A terminal of its own comes from script(1), whose options differ from system to system.
describe.runIf(process.platform === "linux")("the program at a terminal", () => {
  const QUESTION = "Allow   : y/a/n > ";

  it("asks before a tool that may change things, and gives the terminal back", async () => {
    const { child, ended, until } = startAtTerminal("run `echo a > made; cat made`");
    await until(QUESTION);
    child.stdin.write("y\r");
    const { out } = await ended;
    expect(out).toContain("│ command: echo a > made; cat made");
    expect(out).toContain("allow bash (approver)");
    expect(out).toContain("`echo a > made; cat made` gave:");
    expect(out).toMatch(/status 0\s+ icanon/);
  });

  it("takes no answer that was typed ahead", async () => {
    const { child, ended, until } = startAtTerminal("run `echo a`");
    child.stdin.write("y\ry\r");
    await until(QUESTION);
    child.stdin.write("n not now\r");
    const { out } = await ended;
    expect(out).toContain("PERMISSION_DENIED: Denied at the terminal: not now");
    expect(out).toMatch(/status 0\s+ icanon/);
  });

  it("aborts the run at Ctrl-C, and gives the terminal back", async () => {
    const { child, ended, until } = startAtTerminal("run `echo a`");
    await until(QUESTION);
    child.stdin.write("\u0003");
    const { out } = await ended;
    expect(out).toContain("Status  : aborted (aborted) · [runtime] RUN_ABORTED: Ctrl-C was pressed.");
    expect(out).toMatch(/status 130\s+ icanon/);
  });

  it("takes Ctrl-D for a no", async () => {
    const { child, ended, until } = startAtTerminal("run `echo a`");
    await until(QUESTION);
    child.stdin.write("\u0004");
    const { out } = await ended;
    expect(out).toContain("PERMISSION_DENIED: Denied at the terminal: the input ended unanswered.");
    expect(out).toMatch(/status 0\s+ icanon/);
  });

  it("asks in a chat, and goes on after Ctrl-C has stopped an answer", async () => {
    const { child, ended, until } = startAtTerminal();
    await until("A chat.");
    child.stdin.write("run `echo a`\r");
    await until(QUESTION);
    child.stdin.write("\u0003");
    await until("aborted (aborted)");
    child.stdin.write("what is 1+1?\r");
    await until("1+1 = 2.");
    child.stdin.write("exit\r");
    expect((await ended).out).toMatch(/status 0\s+ icanon/);
  });
});
