import { execFile } from "node:child_process";
import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const run = promisify(execFile);

/** Without the keys with which some examples would ask the real endpoint. */
const { OPENAI_API_KEY: _openai, ANTHROPIC_API_KEY: _anthropic, ...OFFLINE } = process.env;

/** What each example shows, as lines that must appear in this order. */
const SHOWS: Readonly<Record<string, readonly string[]>> = {
  "01-first-run.ts": ["step 0: model", "step 1: tool", "step 3: finish", "646", "status: completed (finished)"],
  "02-own-tool.ts": ["refused: ", "expected string", 'ok: {"article":"4711","warehouse":"south","pieces":3}'],
  "03-error-kind.ts": [
    "a good day: completed",
    "a wrong key: failed model MODEL_AUTH -> ask the user for a valid API key",
    "an overloaded provider: failed model MODEL_OVERLOADED",
    "a model in a loop: failed runtime RUN_NO_PROGRESS",
    "a result without its call: failed context CONTEXT_INVALID_MESSAGE",
  ],
  "04-retry.ts": ["try 1 of 3 failed: MODEL_OVERLOADED", "answered at try 2", "answer: Here I am again."],
  "05-tool-timeout.ts": ["tool TOOL_TIMEOUT: ", "left running: slow", "completed: I could not find out in time."],
  "06-run-timeout.ts": [
    '{"ok":true,"value":"the work is done"}',
    "failed (timeout), runtime RUN_TIMEOUT",
    "models asked: 1",
  ],
  "07-abort.ts": [
    "aborted: runtime RUN_ABORTED: the user pressed stop",
    "settled within a second: true",
    "history: user, assistant, tool",
  ],
  "08-event-log.ts": ["0 run:start", "4 tool:start", "5 listener:error", "run:end", "110"],
  "09-error-hierarchy.ts": [
    "ModelError | model | MODEL_UNKNOWN | true",
    "status 401 | model | MODEL_AUTH | false",
    "[redacted]",
  ],
  "10-processes.ts": [
    "stderr is lost",
    "threw status=3",
    'runProcessSync : completed, exit 3, ["out\\n","err\\n"]',
    "returned status=null error=ENOENT [null,null]",
    "runProcessSync : notStarted, COMMAND_NOT_FOUND",
  ],
  "11-openai-chat.ts": ["calls calculator", "text: 17 * 38", "text: is 646.", "completed: 17 * 38 is 646."],
  "12-openai-responses.ts": ["completed: 17 * 38 is 646.", "user", "assistant, reasoning kept: 1", "tool", "assistant"],
  "13-anthropic-messages.ts": ["thought: I had better calculate.", "thought: nothing", "completed: 17 * 38 is 646."],
  "14-ai-sdk.ts": ["model: openai.responses:gpt-5-mini", "completed: 17 * 38 is 646."],
  "15-own-model.ts": ["try 1", "try 2", "completed: Paris."],
  "16-approval-later.ts": [
    "## process: ask",
    "paused: 1 question, calls done: calculator",
    "## process: decide",
    "bash: echo published (A person looks at every command.)",
    "  command: echo published",
    "completed, calls done: calculator, bash",
    "published",
  ],
  "17-approval-page.ts": [
    "waiting: 2, markup escaped: true",
    "allow: 403",
    "allow: 303",
    "allow: 409",
    "deny: 303",
    "completed: `echo published` gave:\npublished",
    "failed:\nNo markup.",
  ],
  "18-compaction.ts": [
    "with a limit:",
    "limit: ",
    "results shortened, 0 messages summarised",
    "messages summarised",
    "completed: All 14 days were quiet.",
    "the record: 30 messages, more than the window",
    "the largest request fits: true",
    "without one:",
    "overflow: ",
    "completed: All 14 days were quiet.",
    "the record: 30 messages, more than the window",
  ],
  "19-killed-and-resumed.ts": [
    "## first process, ended by SIGKILL",
    "## second process",
    "c1: charged 10 euro",
    "c2: TOOL_OUTCOME_UNKNOWN",
    "completed: I charged 10 euro; ask the bank about the 20.",
    "## charges made\n10 20",
  ],
  "20-coding-agent.ts": [
    "list: package.json",
    "test: # pass 0",
    'edit: Edited "sum.js": 1 replacement.',
    "again: # pass 0",
    "miss: TOOL_REJECTED: The oldText is not in",
    "last: # pass 1",
    "completed: sum.js subtracted",
    "sum.js: export const sum = (a, b) => a + b;",
  ],
};

describe("the examples", () => {
  it("are all shown here", () => {
    const files = readdirSync(new URL("../examples", import.meta.url)).filter((file) => file.endsWith(".ts"));
    expect(files.sort()).toEqual(Object.keys(SHOWS).sort());
  });

  it.each(Object.entries(SHOWS))(
    "%s prints what it promises",
    async (file, lines) => {
      const { stdout, stderr } = await run(process.execPath, ["--import", "tsx", `examples/${file}`], {
        cwd: ROOT,
        timeout: 60_000,
        env: OFFLINE,
      });
      let at = 0;
      for (const line of lines) {
        const found = stdout.indexOf(line, at);
        expect(found, `${line} in\n${stdout}`).toBeGreaterThanOrEqual(0);
        at = found + line.length;
      }
      expect(stderr).toBe("");
    },
    90_000,
  );
});
