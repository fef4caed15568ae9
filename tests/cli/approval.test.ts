import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { runCli } from "../../src/cli/run-cli.ts";
import { parseRun } from "../../src/runtime/parse-run.ts";
import { cli, FakeIo } from "./fake-io.ts";

const PLAIN = { NO_COLOR: "1" };

/** A prompt at a terminal, on which answers are typed one after another. */
async function answering(prompt: string, answers: readonly string[], argv: readonly string[] = []) {
  const io = new FakeIo({ isTerminal: true, env: PLAIN, argv: [...argv, prompt] });
  const status = runCli(io);
  for (const [index, answer] of answers.entries()) await io.reply(answer, index + 1);
  return { io, status: await status };
}

const ran = (io: FakeIo, file: string) => existsSync(join(io.cwd, file));
const questions = ({ out, err }: FakeIo) => `${out}${err}`.split("May ").length - 1;

describe("a tool that may change things", () => {
  it("is asked about at the terminal, with what will run", async () => {
    const { io, status } = await answering("run `touch made`", ["y\n"]);
    expect(io.out).toContain(
      [
        'Asks    : May "bash" run with exactly this?',
        "          │ command: touch made",
        'Why     : The tool "bash" may change things. With --allow bash it is not asked about.',
        "Answers : y = yes, once; a = yes, and exactly this need not be asked again in this run;",
        "          n = no; n and a reason = no, and the model is told why",
        "",
      ].join("\n"),
    );
    expect(io.out).toContain("Step 2 · permission → allow bash (approver)");
    expect(ran(io, "made")).toBe(true);
    expect(status).toBe(0);
  });

  it("does not run after a no, and the model hears the reason", async () => {
    const { io, status } = await answering("run `touch made`", ["n not on a Friday\n"]);
    expect(io.out).toContain("PERMISSION_DENIED: Denied at the terminal: not on a Friday");
    expect(ran(io, "made")).toBe(false);
    expect(status).toBe(0);
  });

  it("does not run after Ctrl-D, and the run goes on", async () => {
    const { io, status } = await answering("run `touch made`", ["\u0004"]);
    expect(io.out).toContain("Denied at the terminal: the input ended unanswered.");
    expect(ran(io, "made")).toBe(false);
    expect(status).toBe(0);
  });

  it("does not run where the terminal goes away, nor does the next one", async () => {
    const io = new FakeIo({ isTerminal: true, env: PLAIN, argv: ["run `touch one` and `touch two`"] });
    const status = runCli(io);
    await io.reply("");
    io.stdin.end();
    expect(await status).toBe(0);
    expect(io.out.match(/input ended unanswered/g)?.length).toBeGreaterThanOrEqual(2);
    expect([ran(io, "one"), ran(io, "two")]).toEqual([false, false]);
  });

  it("is asked about again for anything that is no answer, an empty line included", async () => {
    const { io } = await answering("run `touch made`", ["\n", "yep\n", "y n\n", "no\n"]);
    expect(io.out.match(/Nothing was allowed/g)).toHaveLength(3);
    expect(ran(io, "made")).toBe(false);
  });

  it("is not asked about again in this run when it is exactly the same and was allowed for good", async () => {
    const { io } = await answering("run `echo x >> made`, `echo x >> made` and `echo y >> made`", ["a\n", "n\n"]);
    expect(questions(io)).toBe(2);
    expect(io.out).toContain("allow bash (grant)");
    expect(ran(io, "made")).toBe(true);
  });

  it("is asked about each time when it was allowed once", async () => {
    const { io } = await answering("run `touch made` and `touch made`", ["y\n", "y\n"]);
    expect(questions(io)).toBe(2);
  });

  it("runs unasked when it is allowed by name", async () => {
    const { io, status } = await answering("run `touch made`", [], ["--allow", "bash"]);
    expect(io.out).toContain("allow bash (rule:--allow bash)");
    expect([ran(io, "made"), questions(io), status]).toEqual([true, 0, 0]);
  });

  it("is not approved by what was typed before the question", async () => {
    const io = new FakeIo({ isTerminal: true, env: PLAIN, argv: ["run `touch made`"] });
    io.stdin.write("y\ny\nhalf a li");
    const status = runCli(io);
    await io.reply("n\n");
    expect(await status).toBe(0);
    expect(io.out).toContain("Denied at the terminal.");
    expect(ran(io, "made")).toBe(false);
  });
});

describe("Ctrl-C at the question", () => {
  it.each([
    ["as a key", (io: FakeIo) => void io.stdin.write("\u0003")],
    ["as a signal", (io: FakeIo) => io.pressCtrlC()],
  ])("aborts the run when it comes %s", async (_, press) => {
    const io = new FakeIo({ isTerminal: true, env: PLAIN, argv: ["run `touch made`"] });
    const status = runCli(io);
    await io.reply("");
    press(io);
    expect(await status).toBe(130);
    expect(io.out).toContain("Status  : aborted (aborted) · [runtime] RUN_ABORTED: Ctrl-C was pressed.");
    expect(ran(io, "made")).toBe(false);
    expect(io.listenerCount).toBe(0);
  });
});

describe("a question with --json", () => {
  it("goes to stderr, so that stdout is the record alone", async () => {
    const { io, status } = await answering("run `echo hi`", ["y\n"], ["--json"]);
    const run = parseRun(io.out);
    expect(run).toMatchObject({ status: "completed", answer: "`echo hi` gave:\nhi" });
    expect(run.steps[1]).toMatchObject({ type: "permission", reason: "Allowed once at the terminal." });
    expect(io.err).toContain("│ command: echo hi\n");
    expect(status).toBe(0);
  });

  it("is not asked where stderr is no terminal", async () => {
    const io = new FakeIo({ isTerminal: true, argv: ["--json", "run `echo hi`"] });
    io.stderr.isTTY = false;
    expect(await runCli(io)).toBe(0);
    expect(io.err).toBe("");
    expect(io.out).toContain("--allow bash allows it");
  });
});

describe("where no terminal is attached", () => {
  it("bash is denied with the option that allows it", async () => {
    const { status, out, io } = await cli(["run `touch made`"]);
    expect(out).toContain("Step 2 · permission → deny bash");
    expect(out).toContain("PERMISSION_NO_APPROVER");
    expect(out).toContain("no terminal is attached to ask at. On the command line, --allow bash allows it.");
    expect(ran(io, "made")).toBe(false);
    expect(status).toBe(0);
  });

  it("an answer on a pipe is none", async () => {
    const io = new FakeIo({ argv: ["run `touch made`"] });
    io.stdin.write("y\ny\ny\n");
    await runCli(io);
    expect(ran(io, "made")).toBe(false);
  });

  it("the other streams are no place to ask: stdout in a pipe leaves stderr, both leave none", async () => {
    const io = new FakeIo({ isTerminal: true, env: PLAIN, argv: ["run `touch made`"] });
    io.stdout.isTTY = false;
    const status = runCli(io);
    await io.reply("y\n");
    await status;
    expect(io.err).toContain("touch made");
    expect(io.out).not.toContain("Asks");
    expect(ran(io, "made")).toBe(true);

    const without = new FakeIo({ isTerminal: true, argv: ["run `touch made`"] });
    without.stdout.isTTY = false;
    without.stderr.isTTY = false;
    await runCli(without);
    expect(ran(without, "made")).toBe(false);
  });
});

describe("a question in a chat", () => {
  async function chatting() {
    const io = new FakeIo({ isTerminal: true, env: PLAIN });
    const status = runCli(io);
    await io.until("A chat.");
    return { io, status };
  }

  it("is remembered until the chat ends, and says so", async () => {
    const { io, status } = await chatting();
    io.stdin.write("run `echo x >> made`\n");
    await io.reply("a\n");
    await io.until("completed (finished)");
    const seen = io.out.length;
    io.stdin.write("run `echo x >> made`\n");
    await io.until("completed (finished)", seen);
    io.stdin.write("exit\n");
    expect(await status).toBe(0);
    expect(io.out).toContain("need not be asked again in this chat;");
    expect(questions(io)).toBe(1);
    expect(io.out).toContain("allow bash (grant)");
  });

  it("is not answered by a line that was typed before; that one is said afterwards", async () => {
    const { io, status } = await chatting();
    io.stdin.write("run `touch made`\ny\nhalf");
    await io.reply("n\n");
    await io.until("Input   : y");
    await io.until("completed (finished)", io.out.indexOf("Input   : y"));
    io.stdin.write("exit\n");
    expect(await status).toBe(0);
    expect(ran(io, "made")).toBe(false);
    expect(io.out).toContain("Denied at the terminal.");
  });

  it("leaves the chat going after Ctrl-D, which is a no", async () => {
    const { io, status } = await chatting();
    io.stdin.write("run `touch made` and `touch made`\n");
    await io.reply("\u0004");
    await io.reply("n\n", 2);
    await io.until("completed (finished)");
    io.stdin.write("what is 1+1?\n");
    await io.until("1+1 = 2.");
    io.stdin.end();
    expect(await status).toBe(0);
    expect(ran(io, "made")).toBe(false);
  });

  it("leaves the chat going after Ctrl-C, which stops the answer", async () => {
    const { io, status } = await chatting();
    io.stdin.write("run `touch made`\n");
    await io.reply("\u0003");
    await io.until("aborted (aborted)");
    io.stdin.write("what is 1+1?\n");
    await io.until("1+1 = 2.");
    io.stdin.write("\u0004");
    expect(await status).toBe(0);
    expect(ran(io, "made")).toBe(false);
    expect(io.listenerCount).toBe(0);
  });
});
