import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Answer, parseAnswer } from "../../src/cli/answer.ts";
import { createColors } from "../../src/cli/colors.ts";
import type { Keyboard, Question } from "../../src/cli/keyboard.ts";
import { questionText, wrap } from "../../src/cli/question.ts";
import { createTerminalApprover } from "../../src/cli/terminal-approver.ts";
import type { ApprovalRequest } from "../../src/contract/approval.ts";
import { createApprovalRequest } from "../../src/permission/approval.ts";

const BAR = "          │ ";
const STYLE = { colors: createColors(false), output: { columns: 60 }, remembering: "run" } as const;
const { signal } = new AbortController();

function request(args: unknown, id = "call_1"): ApprovalRequest {
  const decision = { decision: "ask" as const, reason: "why", by: "default", policyHash: "hash" };
  return createApprovalRequest({ id, name: "bash", arguments: args }, { id: "q", runId: "r", decision, now: 0 });
}

const cells = (text: string) => [...text].reduce((sum, letter) => sum + (letter <= "\u007f" ? 1 : 2), 0);
const shownCall = (text: string) =>
  text
    .split("\n")
    .filter((line) => line.startsWith(BAR))
    .map((line) => line.slice(BAR.length));

describe("an answer", () => {
  it.each<[string, Answer]>([
    ["y", { type: "once" }],
    [" YES ", { type: "once" }],
    ["a", { type: "always" }],
    ["Always", { type: "always" }],
    ["n", { type: "no", reason: undefined }],
    ["No", { type: "no", reason: undefined }],
    ["n: use git instead", { type: "no", reason: "use git instead" }],
    ["no, never", { type: "no", reason: "never" }],
    ["n .", { type: "no", reason: undefined }],
  ])("is %j", (line, answer) => {
    expect(parseAnswer(line)).toEqual(answer);
  });

  it.each(["", " ", "yy", "ya", "y please", "all", "nope", "never", "1", "true", "ｙ"])("is none: %j", (line) => {
    expect(parseAnswer(line)).toBeUndefined();
  });

  it("allows by nothing but these four words", () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 8 }), (line) => {
        const type = parseAnswer(line)?.type;
        const allows = type === "once" || type === "always";
        expect(allows).toBe(["y", "yes", "a", "always"].includes(line.trim().toLowerCase()));
      }),
    );
  });
});

describe("a question", () => {
  it("shows the call whole, however long it is", () => {
    const command = `echo ${"x".repeat(20_000)} > end`;
    const shown = shownCall(questionText(request({ command, cwd: "src" }), STYLE));
    expect(shown.join("")).toBe(`command: ${command}cwd: src`);
  });

  it("shows what a terminal would obey, and warns of it", () => {
    const text = questionText(request({ command: "ls\r\u001b[2Krm -rf b\u202eab\u200b", note: "p\u0430y" }), STYLE);
    expect(shownCall(text)).toEqual(["command: ls\\r\\u001b[2Krm -rf b\\u202eab\\u200b", "note: p\u0430y"]);
    expect(text).toContain(
      "Careful : This holds marks that turn the direction of reading, characters that control a terminal, " +
        "characters that are not seen, words with letters of several scripts that look alike.",
    );
    expect(questionText(request({ command: "ls" }), STYLE)).not.toContain("Careful");
  });

  it("leaves no line to the call that could pass for one of the terminal's own", () => {
    const hostile = fc.stringMatching(/^[ -~\n\r\tAllowWhyнеж漢\u202e\u001b]{0,300}$/);
    fc.assert(
      fc.property(hostile, fc.integer({ min: 0, max: 120 }), (command, columns) => {
        const width = Math.max(20, columns || 80);
        const text = questionText(request({ command }), { ...STYLE, output: { columns } });
        const lines = text.split("\n");
        const own = lines.filter((line) => !line.startsWith(BAR)).map((line) => line.slice(0, 10));
        const labels = ["Asks    : ", "Careful : ", "Why     : ", "Answers : ", "          ", ""];
        expect(labels.filter((label) => own.includes(label))).toEqual(own);
        for (const line of lines.filter((each) => each.startsWith(BAR)))
          expect(cells(line) - 1).toBeLessThanOrEqual(width);
        expect(text).not.toMatch(/[^\P{C}\n]/u);
      }),
    );
  });

  it("says for how long always is meant", () => {
    expect(questionText(request({}), STYLE)).toContain("in this run;");
    expect(questionText(request({}), { ...STYLE, remembering: "chat" })).toContain("in this chat;");
  });

  it("is wrapped into pieces that are the line again, each of them narrow enough", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.integer({ min: 2, max: 20 }), (line, width) => {
        const pieces = wrap(line, width);
        expect(pieces.join("")).toBe(line);
        for (const piece of pieces) expect(cells(piece)).toBeLessThanOrEqual(width);
      }),
    );
  });
});

/** A keyboard on which answers lie ready. */
function keyboardWith(answers: (string | undefined)[]): Keyboard & { readonly asked: Question[] } {
  const asked: Question[] = [];
  return {
    asked,
    read: async () => undefined,
    async answer(question) {
      asked.push(question);
      await Promise.resolve();
      return answers.shift();
    },
    close: () => undefined,
  };
}

describe("the approver at the terminal", () => {
  it("puts one question at a time, and none about what was allowed for good meanwhile", async () => {
    const keyboard = keyboardWith(["a", "n not that"]);
    const approve = createTerminalApprover(keyboard, STYLE);
    const answers = await Promise.all(
      [{ command: "ls" }, { command: "ls" }, { command: "rm x" }].map((args) => approve(request(args), signal)),
    );
    expect(answers).toEqual([
      {
        decision: "allow",
        reason: "Allowed at the terminal, for this run.",
        remember: { type: "exact", scope: "run" },
      },
      { decision: "allow", reason: "Allowed before at the terminal." },
      { decision: "deny", reason: "Denied at the terminal: not that" },
    ]);
    expect(keyboard.asked).toHaveLength(2);
  });

  it("remembers for as long as a chat lasts where it is one", async () => {
    const approve = createTerminalApprover(keyboardWith(["a"]), { ...STYLE, remembering: "chat" });
    expect(await approve(request({}), signal)).toMatchObject({ remember: { type: "exact", scope: "gate" } });
  });

  it("goes on with the next question when one could not be asked", async () => {
    const keyboard = keyboardWith(["y"]);
    const broken = createTerminalApprover(
      {
        ...keyboard,
        answer: (question, stop) =>
          keyboard.asked.length === 0 ? fail(keyboard, question) : keyboard.answer(question, stop),
      },
      STYLE,
    );
    const first = broken(request({ command: "one" }), signal);
    const second = broken(request({ command: "two" }), signal);
    await expect(first).rejects.toThrow("gone");
    expect(await second).toMatchObject({ decision: "allow" });
  });
});

function fail(keyboard: { readonly asked: Question[] }, question: Question): Promise<never> {
  keyboard.asked.push(question);
  return Promise.reject(new Error("gone"));
}
