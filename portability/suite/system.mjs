/** What needs a system below: processes, files, the store, the testing kit. Runs on Node, Bun and Deno. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { equal, holds, sleep } from "./checks.mjs";

/** Gives `use` a folder of its own. */
async function inFolder(use) {
  const folder = mkdtempSync(join(tmpdir(), "harness-kit-smoke-"));
  try {
    return await use(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const processChecks = ({ process: { runProcess, runProcessSync } }) => ({
  "runProcess tells exit code 3, with both streams": async () => {
    const result = await runProcess("sh", ["-c", "cat; echo err >&2; exit 3"], { input: "in 三\n" });
    equal([result.status, result.exitCode, result.code], ["completed", 3, "EXIT_NONZERO"], "the end");
    equal([result.stdout, result.stderr], ["in 三\n", "err\n"], "the output");
  },
  "runProcess ends a command that takes too long, and all that it started": () =>
    inFolder(async (folder) => {
      const script = "echo before; (sleep 1; echo late > late) & wait";
      const result = await runProcess("sh", ["-c", script], { cwd: folder, timeoutMs: 300, graceMs: 300 });
      equal([result.status, result.code, result.stdout], ["terminated", "PROCESS_TIMEOUT", "before\n"], "the end");
      await sleep(1_200);
      holds(!existsSync(join(folder, "late")), "what it started is gone");
    }),
  "runProcess ends a command on a signal": async () => {
    const controller = new AbortController();
    const running = runProcess("sleep", ["60"], { signal: controller.signal });
    setTimeout(() => controller.abort(), 100);
    const result = await running;
    equal([result.status, result.code], ["terminated", "PROCESS_ABORTED"], "the end");
  },
  "runProcess keeps the ends of a long output": async () => {
    const result = await runProcess("sh", ["-c", "head -c 3000000 /dev/zero | tr '\\0' x; echo end"]);
    equal([result.status, result.capture.stdout.bytes], ["completed", 3_000_004], "the end");
    holds(result.stdout.endsWith("xend\n") && result.capture.stdout.omittedBytes > 0, "the middle is left out");
  },
  "a program and a folder that are not there are told apart": async () => {
    const results = [
      await runProcess("no-such-program-here", []),
      runProcessSync("no-such-program-here", []),
      await runProcess("sh", ["-c", ":"], { cwd: "/no/such/folder" }),
    ];
    equal(
      results.map(({ status, code }) => [status, code].join()),
      ["notStarted,COMMAND_NOT_FOUND", "notStarted,COMMAND_NOT_FOUND", "notStarted,CWD_NOT_FOUND"],
      "the ends",
    );
  },
  "runProcessSync ends what a finished command leaves running": () =>
    inFolder(async (folder) => {
      const script = "(sleep 1; echo late > late) >/dev/null 2>&1 & echo started";
      const result = runProcessSync("sh", ["-c", script], { cwd: folder });
      equal([result.status, result.stdout, result.background], ["completed", "started\n", "killed"], "the end");
      await sleep(1_500);
      holds(!existsSync(join(folder, "late")), "what it started is gone");
    }),
  "runProcessSync tells exit code 3 and a timeout": async () => {
    const failed = runProcessSync("sh", ["-c", "echo out; echo err >&2; exit 3"]);
    equal(
      [failed.status, failed.exitCode, failed.stdout, failed.stderr],
      ["completed", 3, "out\n", "err\n"],
      "the exit",
    );
    const late = runProcessSync("sh", ["-c", "echo before; exec sleep 60"], { timeoutMs: 500 });
    equal([late.status, late.code, late.stdout], ["terminated", "PROCESS_TIMEOUT", "before\n"], "the timeout");
  },
});

const toolChecks = ({ root, testing, tools, permission }) => ({
  "bashTool gives the model the exit code and the timeout of a command": async () => {
    const commands = [{ command: "echo out; exit 3" }, { command: "echo before; sleep 60", timeoutMs: 500 }];
    const model = testing.scriptedModel([...commands.map((args) => testing.callTool("bash", args)), "done"]);
    const runtime = root.createRuntime({ model, tools: [tools.bashTool()], permission: root.allowTools("bash") });
    const run = await runtime.run("Run both.");
    const results = run.steps.filter(({ type }) => type === "tool").map(({ result }) => result);
    equal(
      results.map(({ code }) => code),
      ["TOOL_PROCESS_EXIT", "TOOL_PROCESS_TIMEOUT"],
      "the codes",
    );
    holds(results[0].error.includes("out") && results[0].error.includes("3"), "the output and the exit code are told");
    holds(results[1].error.includes("before"), "what was written before the timeout is told");
    testing.assertRunInvariants(run);
  },
  "workspace tools write, edit and search, and do not leave their folder": () =>
    inFolder(async (folder) => {
      const calls = [
        ["writeFile", { path: "notes/a.txt", content: "one\ntwo\n" }],
        ["editFile", { path: "notes/a.txt", edits: [{ oldText: "two", newText: "三" }] }],
        ["grepFiles", { pattern: "三" }],
        ["readFile", { path: "../../etc/passwd" }],
      ];
      const model = testing.scriptedModel([...calls.map(([name, args]) => testing.callTool(name, args)), "done"]);
      const permission = root.allowTools("writeFile", "editFile");
      const run = await root.createRuntime({ model, tools: tools.workspaceTools(folder), permission }).run("Work.");
      const results = run.steps.filter(({ type }) => type === "tool").map(({ result }) => result);
      equal(
        results.map(({ ok }) => ok),
        [true, true, true, false],
        `the results (${JSON.stringify(results).slice(0, 600)})`,
      );
      equal(readFileSync(join(folder, "notes/a.txt"), "utf8"), "one\n三\n", "the file");
      holds(JSON.stringify(results[2].value).includes("a.txt"), "the search found it");
    }),
  "a gate of rules judges calls": async () => {
    const gate = permission.createGate({ rules: [{ decision: "deny", tool: "calculator" }] });
    const model = testing.scriptedModel([testing.callTool("calculator", { expression: "1+1" }), "done"]);
    const run = await root.createRuntime({ model, tools: [tools.calculator], permission: gate }).run("Add.");
    equal(run.steps.find(({ type }) => type === "tool").result.kind, "permission", "the result");
  },
});

const storeChecks = ({ root, store, testing }) => ({
  "fileStore keeps runs and sessions for the next process": () =>
    inFolder(async (folder) => {
      const model = testing.scriptedModel(["one", "two"]);
      const runtime = root.createRuntime({ model, store: store.fileStore(folder) });
      const run = await runtime.run("First.");
      await runtime.session("talk").run("Second.");
      const later = store.fileStore(folder);
      equal(await later.loadRun(run.id), run, "the record");
      equal((await later.listRuns()).length, 2, "how many runs it lists");
      equal(
        (await later.listSessions()).map(({ id }) => id),
        ["talk"],
        "the sessions",
      );
    }),
  "fileStore locks a name and claims a key once": () =>
    inFolder(async (folder) => {
      const [mine, theirs] = [store.fileStore(folder), store.fileStore(folder)];
      const unlock = await mine.lock("name");
      equal([typeof unlock, await theirs.lock("name")], ["function", undefined], "the lock");
      await unlock();
      const again = await theirs.lock("name");
      equal(typeof again, "function", "the lock after it was given back");
      await again();
      equal([await mine.claim("key", "me"), await theirs.claim("key", "they")], [true, false], "the claim");
    }),
  "the lock of a process that is killed is free again": () =>
    inFolder(async (folder) => {
      const program = fileURLToPath(new URL("../entries/holder.mjs", import.meta.url));
      const holder = spawn(process.execPath, [program, folder], { stdio: ["ignore", "pipe", "inherit"] });
      const [said] = await once(holder.stdout, "data");
      equal(String(said), "function\n", "what the holder got");
      const mine = store.fileStore(folder);
      equal(await mine.lock("name"), undefined, "the lock while it is held");
      holder.kill("SIGKILL");
      await once(holder, "exit");
      const unlock = await mine.lock("name");
      equal(typeof unlock, "function", "the lock after its holder was killed");
      await unlock();
    }),
});

/** All checks that need a system. */
export const systemChecks = (kit) => ({ ...processChecks(kit), ...toolChecks(kit), ...storeChecks(kit) });
