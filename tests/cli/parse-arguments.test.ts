import { describe, expect, it } from "vitest";
import { parseArguments } from "../../src/cli/parse-arguments.ts";
import { createTools, TOOL_NAMES } from "../../src/cli/tools.ts";

/** The sentence that refuses the arguments; fails the test where they are taken. */
function refusalOf(...argv: string[]): string {
  try {
    parseArguments(argv);
  } catch (error) {
    if (error instanceof TypeError && Reflect.get(error, "code") === "RUNTIME_INVALID_CONFIG") return error.message;
    throw error;
  }
  throw new Error(`${argv.join(" ")} was taken`);
}

describe("parseArguments", () => {
  it("reads every option", () => {
    const argv = [
      ["--tools", "--model", "qwen3:8b", "--base-url", "http://127.0.0.1:1/v1", "--api-key-env", "MY_KEY"],
      ["--steps", "5", "--timeout", "1000", "--model-timeout", "200", "--tool-timeout", "0", "--retries", "0"],
      ["--allow", "bash", "--json", "--no-color", "--demo", "what is 1+1"],
    ].flat();
    expect(parseArguments(argv)).toEqual({
      prompt: "what is 1+1",
      options: {
        model: "qwen3:8b",
        baseUrl: "http://127.0.0.1:1/v1",
        apiKeyEnv: "MY_KEY",
        maxSteps: 5,
        timeoutMs: 1000,
        modelTimeoutMs: 200,
        toolTimeoutMs: 0,
        maxAttempts: 1,
        allow: ["bash"],
        json: true,
        noColor: true,
        demo: true,
      },
    });
  });

  it("takes a value behind an equals sign, an empty prompt aside", () => {
    expect(parseArguments(["--steps=7", "--base-url=http://h/v1?a=b", "x"])).toEqual({
      prompt: "x",
      options: { maxSteps: 7, baseUrl: "http://h/v1?a=b" },
    });
  });

  it("knows the short names of help and version", () => {
    expect(parseArguments(["-h"]).options).toEqual({ help: true });
    expect(parseArguments(["-v"]).options).toEqual({ version: true });
  });

  it("takes options before and behind the prompt, and joins its words", () => {
    expect(parseArguments(["what", "is", "--steps", "2", "1+1"])).toEqual({
      prompt: "what is 1+1",
      options: { maxSteps: 2 },
    });
  });

  it("takes the last of an option that is repeated, and all tools that are allowed", () => {
    const { options } = parseArguments(["--steps", "1", "--steps", "2", "--allow", "bash", "--allow=calculator,bash"]);
    expect(options).toEqual({ maxSteps: 2, allow: ["bash", "calculator", "bash"] });
  });

  it.each([
    [["-2 ** 2"], "-2 ** 2"],
    [["-5"], "-5"],
    [["-"], "-"],
    [["--", "--steps"], "--steps"],
    [["--help me with 1+1"], "--help me with 1+1"],
    [["run `ls --all`"], "run `ls --all`"],
  ])("takes %j for a prompt", (argv, prompt) => {
    expect(parseArguments(argv)).toEqual({ prompt, options: {} });
  });

  it("has no prompt where none is given", () => {
    expect(parseArguments([])).toEqual({ prompt: undefined, options: {} });
  });
});

describe("parseArguments refuses, in a sentence that says what to write", () => {
  it.each([
    [["--stpes", "3"], 'There is no option "--stpes". Did you mean --steps?'],
    [["--Steps", "3"], 'There is no option "--Steps". Did you mean --steps?'],
    [["--xyzzyplugh"], 'There is no option "--xyzzyplugh". harness-kit --help lists the options'],
    [["-x"], 'There is no option "-x".'],
    [["--steps", "abc"], '--steps takes a whole number from 1 up, got "abc". Write --steps 5.'],
    [["--steps", "0"], '--steps takes a whole number from 1 up, got "0". Write --steps 5.'],
    [["--steps", "2.5"], "--steps takes a whole number from 1 up"],
    [["--steps", "1e3"], "--steps takes a whole number from 1 up"],
    [["--steps", "99999999999999999999"], "--steps takes a whole number from 1 up"],
    [["--timeout", "-5"], "--timeout takes a whole number from 0 up"],
    [["--timeout", "5s"], "Write --timeout 30000 (milliseconds; 0 for no limit)."],
    [["--model-timeout", "x"], "--model-timeout takes a whole number from 0 up"],
    [["--tool-timeout", "x"], "--tool-timeout takes a whole number from 0 up"],
    [["--retries", "x"], "--retries takes a whole number from 0 up"],
    [["--steps"], "--steps needs a value. Write --steps N."],
    [["--steps", "--json"], "--steps needs a value. Write --steps N."],
    [["--model="], "--model needs a value. Write --model NAME."],
    [["--json=yes"], '--json takes no value, got "yes". Write --json alone.'],
    [
      ["--allow", "bahs"],
      '--allow takes the name of a tool (calculator, readFile, listFiles, globFiles, grepFiles, writeFile, editFile, bash), got "bahs". Write --allow bash.',
    ],
    [["--allow", "bash,"], 'got "". Write --allow bash.'],
    [["--base-url", "localhost:11434"], "--base-url takes a web address, got"],
    [["--base-url", "ftp://h"], "--base-url takes a web address, got"],
    [[""], "The prompt is empty. Write what to do"],
    [[" ", "\n"], "The prompt is empty. Write what to do"],
  ])("%j", (argv, sentence) => {
    expect(refusalOf(...argv)).toContain(sentence);
  });

  it("without repeating what may be a secret", () => {
    expect(refusalOf("--api-key-env", "sk-proj-abcdef")).not.toContain("abcdef");
    expect(refusalOf("--base-url", "ftp://me:hunter2@host")).not.toContain("hunter2");
  });
});

describe("the tools of the command line", () => {
  it("are the ones that --allow knows", () => {
    const tools = createTools({
      workspace: ".",
      readOnly: false,
      sandboxed: false,
      timeoutMs: undefined,
      keyVariable: "K",
    });
    expect(tools.map(({ name }) => name)).toEqual(TOOL_NAMES);
  });
});
