import { realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { OPTIONS } from "../../src/cli/options.ts";
import { runCli } from "../../src/cli/run-cli.ts";
import { createTools } from "../../src/cli/tools.ts";
import { ToolRegistry } from "../../src/registry/tool-registry.ts";
import { parseRun } from "../../src/runtime/parse-run.ts";
import { type Endpoint, startEndpoint } from "./fake-endpoint.ts";
import { cli, emptyDirectory, FakeIo } from "./fake-io.ts";

describe("a prompt", () => {
  it("is run by the embedded model, and everything is printed", async () => {
    const { status, out, err } = await cli(["帮我算一下 17 * 38"]);
    const lines = out.replace(/\d+ ms/, "12 ms").replace(/Run ID {2}: \S+/, "Run ID  : …");
    expect(lines.split("\n")).toEqual([
      "Model   : rule-based demo model, not an LLM (no OPENAI_API_KEY and no base URL)",
      "Run ID  : …",
      "Input   : 帮我算一下 17 * 38",
      "Step 1 · model  → calls calculator",
      "Step 2 · permission → allow calculator (rule:changes nothing)",
      'Step 3 · tool   → calculator({"expression":"17 * 38"}) = 646',
      "Text    : 17 * 38 = 646。",
      "Step 4 · model  → answers",
      "Step 5 · finish → finished",
      "Answer  : 17 * 38 = 646。",
      "Steps   : 2 turns · 4 messages · 5 steps · 12 ms",
      "Status  : completed (finished)",
      "",
    ]);
    expect(err).toBe("");
    expect(status).toBe(0);
  });

  it("with --json gives the record and nothing else", async () => {
    const { status, out, err } = await cli(["--json", "what is 1+2 and 3*4?"]);
    const run = parseRun(out);
    expect(run).toMatchObject({ status: "completed", answer: "1+2 = 3.\n3*4 = 12.", iterations: 2 });
    expect(err).toBe("");
    expect(status).toBe(0);
  });

  it("with leave for bash runs a command in the working directory", async () => {
    const cwd = realpathSync(emptyDirectory());
    const { out } = await cli(["--json", "--allow", "bash", "run `pwd -P`"], { cwd });
    expect(JSON.parse(out).answer).toBe(`\`pwd -P\` gave:\n${cwd}`);
  });

  it("keeps the model's key from commands, whatever its variable is called", async () => {
    vi.stubEnv("PLAIN_NAME", "secret-of-the-model");
    const tools = createTools({
      workspace: ".",
      readOnly: false,
      sandboxed: false,
      timeoutMs: undefined,
      keyVariable: "PLAIN_NAME",
    });
    const registry = new ToolRegistry();
    for (const tool of tools) registry.register(tool);
    const command = 'echo "[$PLAIN_NAME]"';
    expect(await registry.execute({ id: "1", name: "bash", arguments: { command } })).toEqual({
      ok: true,
      value: "[]\n",
    });
    vi.unstubAllEnvs();
  });

  it("shows what a tool printed without letting it touch the terminal", async () => {
    const { out } = await cli(["--allow", "bash", "run `printf '\\033[2J\\007'`"]);
    expect(out).not.toMatch(/[\u001b\u0007]/);
  });

  it("keeps to its limits", async () => {
    const { status, out } = await cli(["--json", "--steps", "1", "what is 1+1?"]);
    expect(JSON.parse(out)).toMatchObject({ stopReason: "maxSteps", incomplete: true, iterations: 1 });
    expect(status).toBe(0);
    const slow = await cli(["--json", "--allow", "bash", "--timeout", "200", "run `sleep 20`"]);
    expect(JSON.parse(slow.out)).toMatchObject({ status: "failed", errorCode: "RUN_TIMEOUT" });
    expect(slow.status).toBe(1);
    const slowTool = await cli(["--json", "--allow", "bash", "--tool-timeout", "200", "run `echo early; sleep 20`"]);
    expect(JSON.parse(slowTool.out).answer).toContain("early");
    expect(slowTool.status).toBe(0);
  });
});

describe("an endpoint", () => {
  let endpoint: Endpoint;
  afterEach(() => endpoint.close());

  it("is asked with the key and the model, and its text is shown as it streams", async () => {
    endpoint = await startEndpoint(["Hel", "lo."]);
    const argv = ["--base-url", endpoint.baseUrl, "--model", "m1", "hi"];
    const { status, out } = await cli(argv, { env: { OPENAI_API_KEY: "k1" } });
    expect(endpoint.asked[0]?.headers.authorization).toBe("Bearer k1");
    expect(endpoint.asked[0]?.body).toMatchObject({ model: "m1", stream: true });
    expect(out).toContain(`Model   : m1 at ${endpoint.baseUrl}\n`);
    expect(out).toContain("Text    : Hello.\n");
    expect(out).toContain("Answer  : Hello.\n");
    expect(status).toBe(0);
  });

  it("may be named by a .env file, which the environment overrules", async () => {
    endpoint = await startEndpoint(["Hi."]);
    const cwd = emptyDirectory();
    writeFileSync(join(cwd, ".env"), `OPENAI_BASE_URL=${endpoint.baseUrl}\nOPENAI_API_KEY=file\nHARNESS_MODEL=file\n`);
    await cli(["hi"], { cwd, env: { HARNESS_MODEL: "environment" } });
    expect(endpoint.asked[0]?.headers.authorization).toBe("Bearer file");
    expect(endpoint.asked[0]?.body["model"]).toBe("environment");
  });

  it("that refuses the key fails the run, and the advice names the variable", async () => {
    endpoint = await startEndpoint({ status: 401, message: "Incorrect API key" });
    const { status, out } = await cli(["--base-url", endpoint.baseUrl, "hi"], { env: { OPENAI_API_KEY: "bad" } });
    expect(out).toMatch(/Step 1 · error → model \(failed\) .*Incorrect API key/);
    expect(out).toMatch(/Status {2}: failed \(failed\) · \[model\] MODEL_AUTH: .*Incorrect API key/);
    expect(out).toContain("--api-key-env NAME");
    expect(status).toBe(1);
  });

  it("that is overloaded is asked again as often as --retries says", async () => {
    endpoint = await startEndpoint({ status: 503, message: "busy" });
    const { status, out } = await cli(["--base-url", endpoint.baseUrl, "--retries", "1", "hi"]);
    expect(endpoint.asked).toHaveLength(2);
    expect(out).toContain("Retry   : model attempt 1 of 2 failed");
    expect(status).toBe(1);
  });
});

describe("without a run", () => {
  it("--help lists every option", async () => {
    const { status, out } = await cli(["--help", "--json"]);
    for (const { flag } of OPTIONS) expect(out).toContain(flag);
    expect(out).toContain("Exit status: 0 completed, 1 failed, 2 wrong usage, 130 aborted.");
    expect(out.split("\n").every((line) => line.length <= 100)).toBe(true);
    expect(status).toBe(0);
  });

  it("--version prints the version", async () => {
    const { status, out } = await cli(["--version"]);
    expect(out).toMatch(/^\d+\.\d+\.\d+\n$/);
    expect(status).toBe(0);
  });

  it("no prompt and no terminal print the help text", async () => {
    const { status, out } = await cli([]);
    expect(out).toContain("Usage: harness-kit");
    expect(status).toBe(0);
  });

  it.each([
    [["--stpes", "3", "hi"], 'There is no option "--stpes". Did you mean --steps?'],
    [["--steps", "abc", "hi"], '--steps takes a whole number from 1 up, got "abc".'],
    [[""], "The prompt is empty."],
    [["--allow", "bahs", "hi"], "Write --allow bash."],
    [["--api-key-env", "NOT_SET_ANYWHERE", "hi"], "NOT_SET_ANYWHERE is not set"],
    [["--base-url", "http://me:pw@127.0.0.1:1/v1", "hi"], "must not hold a user name"],
  ])("misuse is one line on stderr: %j", async (argv, sentence) => {
    const { status, out, err } = await cli(argv);
    expect(err).toContain(sentence);
    expect(err.trimEnd().split("\n")).toHaveLength(1);
    expect(out).toBe("");
    expect(status).toBe(2);
  });
});

describe("the demonstration", () => {
  it("shows a run with tools on the embedded model, whatever the environment", async () => {
    const { status, out } = await cli(["--demo"], { env: { OPENAI_API_KEY: "k" } });
    expect(out).toContain("Model   : rule-based demo model, not an LLM\n");
    expect(out).toContain("= 1267650600228229401496703205376");
    expect(out).toContain("TOOL_REJECTED: Division by zero");
    expect(out).toContain('npm start -- "');
    expect(status).toBe(0);
  });

  it("gives way to a prompt of one's own", async () => {
    const { out } = await cli(["--demo", "what is 1+1?"]);
    expect(out).toContain("Input   : what is 1+1?");
    expect(out).not.toContain("npm start");
  });
});

describe("Ctrl-C", () => {
  it("aborts the run, which still gives its record", async () => {
    const io = new FakeIo({ argv: ["--json", "--allow", "bash", "run `sleep 30`"] });
    const status = runCli(io);
    await new Promise((resolve) => setTimeout(resolve, 300));
    io.pressCtrlC();
    expect(await status).toBe(130);
    expect(JSON.parse(io.out)).toMatchObject({ status: "aborted", error: "Ctrl-C was pressed." });
    expect(io.exits).toEqual([]);
    expect(io.listenerCount).toBe(0);
  });

  it("pressed again ends the process at once", async () => {
    const io = new FakeIo({ argv: ["--allow", "bash", "run `sleep 30`"] });
    const status = runCli(io);
    await io.until("Step 1");
    io.pressCtrlC();
    io.pressCtrlC();
    expect(io.exits).toEqual([130]);
    expect(await status).toBe(130);
  });
});

describe("the chat", () => {
  it("keeps one conversation until exit", async () => {
    const io = new FakeIo({ isTerminal: true });
    const status = runCli(io);
    await io.until("A chat.");
    io.stdin.write("what is 1+1?\n");
    await io.until("completed");
    io.stdin.write("   \nwhat is 2+2?\n");
    await io.until("8 messages");
    io.stdin.write("exit\n");
    expect(await status).toBe(0);
    expect(io.out).toContain("1+1 = 2.");
    expect(io.out).toContain("2+2 = 4.");
    expect(io.listenerCount).toBe(0);
  });

  it("ends with the input", async () => {
    const io = new FakeIo({ isTerminal: true });
    const status = runCli(io);
    await io.until("A chat.");
    io.stdin.end();
    expect(await status).toBe(0);
  });

  it("ends with Ctrl-C at the prompt, whether it comes as a key or as a signal", async () => {
    for (const press of [(io: FakeIo) => io.stdin.write("\u0003"), (io: FakeIo) => io.pressCtrlC()]) {
      const io = new FakeIo({ isTerminal: true });
      const status = runCli(io);
      await io.until("A chat.");
      press(io);
      expect(await status).toBe(0);
    }
  });

  it("goes on after Ctrl-C has stopped an answer", async () => {
    const io = new FakeIo({ isTerminal: true, argv: ["--allow", "bash"] });
    const status = runCli(io);
    await io.until("A chat.");
    io.stdin.write("run `sleep 30`\n");
    await io.until("permission");
    io.stdin.write("\u0003");
    await io.until("aborted (aborted)");
    const seen = io.out.length;
    io.stdin.write("what is 1+1?\n");
    await io.until("completed (finished)", seen);
    io.stdin.end();
    expect(await status).toBe(0);
  });

  it("is not for programs: --json without a prompt prints the help text", async () => {
    const io = new FakeIo({ isTerminal: true, argv: ["--json"] });
    expect(await runCli(io)).toBe(0);
    expect(io.out).toContain("Usage: harness-kit");
  });
});
