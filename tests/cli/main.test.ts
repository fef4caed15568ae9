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

function start(...argv: string[]): {
  child: ChildProcessWithoutNullStreams;
  ended: Promise<Ended>;
  until(text: string): Promise<void>;
} {
  const { OPENAI_API_KEY: _key, OPENAI_BASE_URL: _url, HARNESS_MODEL: _model, ...env } = process.env;
  const child = spawn(process.execPath, [program, ...argv], { cwd: emptyDirectory(), env });
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
