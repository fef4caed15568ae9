import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { fileStore } from "../../src/adapters/store/index.ts";
import { runCli } from "../../src/cli/run-cli.ts";
import { createTools } from "../../src/cli/tools.ts";
import { createRuntime } from "../../src/runtime/create-runtime.ts";
import { callTool, scriptedModel } from "../../src/testing/index.ts";
import { dying } from "../runtime/crash.ts";
import { cli, emptyDirectory, FakeIo } from "./fake-io.ts";

describe("a session of the command line", () => {
  it("is kept from one command to the next", async () => {
    const store = emptyDirectory();
    await cli(["--store", store, "--session", "sums", "what is 17 * 38?"]);
    const { out, status } = await cli(["--store", store, "--session", "sums", "--json", "what is 1+1?"]);
    expect(status).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ sessionId: "sums", status: "completed" });
    expect(JSON.parse(out).history[0]).toEqual({ role: "user", content: "what is 17 * 38?" });
  });

  it("is listed with its title and its runs, newest first, as text and as JSON", async () => {
    const store = emptyDirectory();
    expect((await cli(["--store", store, "--sessions"])).out).toContain("No sessions yet.");
    await cli(["--store", store, "--session", "one", "what is 1+1?"]);
    await cli(["--store", store, "--session", "two", "what is 2+2?\nand more"]);
    await cli(["--store", store, "--session", "two", "what is 3+3?"]);
    const { out } = await cli(["--store", store, "--sessions"]);
    expect(out.split("\n").map((line) => line.replace(/\d{4}-\d\d-\d\d \d\d:\d\d/u, "…"))).toEqual([
      "two  …  2 runs  what is 2+2?",
      "one  …  1 run   what is 1+1?",
      "",
    ]);
    const { out: json } = await cli(["--store", store, "--sessions", "--json"]);
    expect(JSON.parse(json)).toMatchObject([
      { id: "two", runs: 2 },
      { id: "one", runs: 1 },
    ]);
  });

  it("is kept in the home directory, or where HARNESS_STORE says, and only when it is asked for", async () => {
    const home = emptyDirectory();
    const env = { HOME: home };
    await cli(["what is 1+1?"], { env });
    expect(existsSync(join(home, ".harness-kit"))).toBe(false);
    await cli(["--session", "s", "what is 1+1?"], { env });
    expect(existsSync(join(home, ".harness-kit"))).toBe(true);
    const other = emptyDirectory();
    await cli(["--session", "s", "what is 1+1?"], { env: { ...env, HARNESS_STORE: other } });
    expect(await fileStore(other).listSessions()).toHaveLength(1);
  });

  it("is talked in at a terminal", async () => {
    const store = emptyDirectory();
    const io = new FakeIo({ argv: ["--store", store, "--session", "talk"], isTerminal: true });
    const ended = runCli(io);
    await io.until("A chat.");
    io.stdin.write("what is 1+1?\n");
    await io.until("completed");
    io.stdin.write("exit\n");
    expect(await ended).toBe(0);
    expect(await fileStore(store).listSessions()).toMatchObject([{ id: "talk", runs: 1 }]);
  });
});

describe("--resume", () => {
  /** A run that died behind its first tool call, in a session. */
  async function interrupted(): Promise<string> {
    const dir = emptyDirectory();
    const { store } = dying(fileStore(dir), { at: 5, isWritten: true });
    const model = scriptedModel([callTool("calculator", { expression: "17 * 38" }, "c1"), "never said"]);
    const runtime = createRuntime({ model, store, storeTimeoutMs: 100 });
    for (const tool of createTools({
      workspace: ".",
      readOnly: false,
      sandboxed: false,
      timeoutMs: undefined,
      keyVariable: "K",
    }))
      runtime.registry.register(tool);
    await Promise.race([
      runtime.session("s1").run("what is 17 * 38?"),
      new Promise((resolve) => setTimeout(resolve, 1_000)),
    ]);
    return dir;
  }

  it("goes on with an interrupted run, by its session and by its own id", async () => {
    for (const byRun of [false, true]) {
      const store = await interrupted();
      const [run] = await fileStore(store).listRuns();
      const { status, out } = await cli(["--store", store, "--resume", byRun ? (run?.id ?? "") : "s1"]);
      expect(out).toContain("17 * 38 = 646");
      expect(status).toBe(0);
    }
  });

  it("is named where the next prompt of the session is refused", async () => {
    const store = await interrupted();
    const { status, err } = await cli(["--store", store, "--session", "s1", "and now?"]);
    expect(err).toMatch(/was interrupted .*--resume ID/su);
    expect(status).toBe(1);
  });

  it("says what it cannot do", async () => {
    const store = emptyDirectory();
    expect(await cli(["--store", store, "--resume", "nobody"])).toMatchObject({
      status: 1,
      err: expect.stringContaining('The store has no run "nobody"'),
    });
    expect(await cli(["--store", store, "--resume", "r1", "and a prompt"])).toMatchObject({
      status: 2,
      err: expect.stringContaining("--resume goes on with what was asked"),
    });
  });
});
