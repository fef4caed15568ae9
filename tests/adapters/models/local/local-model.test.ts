import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { LOCAL_MODEL_LABEL, localModel } from "../../../../src/adapters/models/local/index.ts";
import type { Message, ToolCall } from "../../../../src/contract/message.ts";
import type { ModelEvent, ModelRequest, ModelResponse, ToolDefinition } from "../../../../src/contract/model.ts";

const bothTools = ["calculator", "bash"].map(
  (name): ToolDefinition => ({ name, description: "", parameters: { type: "object" } }),
);
const signal = new AbortController().signal;
const context = { signal, attempt: 1, runId: "run" };

function request(messages: readonly Message[], options: Partial<ModelRequest> = {}): ModelRequest {
  return { messages, tools: bothTools, ...options };
}

function ask(question: string, options: Partial<ModelRequest> = {}): Promise<ModelResponse> {
  return localModel().generate(request([{ role: "user", content: question }], options), context);
}

/** The expressions that the model sends to the calculator for a question. */
async function expressionsFor(question: string): Promise<unknown[]> {
  const { toolCalls } = await ask(question);
  return toolCalls
    .filter(({ name }) => name === "calculator")
    .map((call) => Reflect.get(Object(call.arguments), "expression"));
}

/** The commands that the model sends to bash for a question. */
async function commandsFor(question: string): Promise<unknown[]> {
  const { toolCalls } = await ask(question);
  return toolCalls.filter(({ name }) => name === "bash").map((call) => Reflect.get(Object(call.arguments), "command"));
}

type Reply = string | { readonly error: string };

/** Plays a question to its end: the model's calls get the replies in order, and its answer comes back. */
async function answerTo(question: string, ...replies: Reply[]): Promise<string> {
  const { toolCalls } = await ask(question);
  return (await continued(question, toolCalls, replies)).content;
}

function continued(
  question: string,
  toolCalls: readonly ToolCall[],
  replies: readonly Reply[],
): Promise<ModelResponse> {
  const results = toolCalls.map(({ id, name }, index): Message => {
    const reply = replies[index] ?? "";
    return typeof reply === "string"
      ? { role: "tool", toolCallId: id, name, content: reply }
      : { role: "tool", toolCallId: id, name, content: reply.error, isError: true };
  });
  const history: Message[] = [
    { role: "user", content: question },
    { role: "assistant", content: "", toolCalls },
    ...results,
  ];
  return localModel().generate(request(history), context);
}

describe("the rule-based model reads arithmetic", () => {
  it.each([
    ["what is 17 * 38?", ["17 * 38"]],
    ["帮我算一下 17 * 38", ["17 * 38"]],
    ["帮我算一下 (17+38)*2", ["(17+38)*2"]],
    ["帮我算一下(17+38)*2。", ["(17+38)*2"]],
    ["17*38", ["17*38"]],
    ["17 * 38 = ?", ["17 * 38"]],
    ["7-4", ["7-4"]],
    ["-2 ** 2", ["-2 ** 2"]],
    ["What's 2 + 3, please", ["2 + 3"]],
    ["compute sqrt(16) + 1", ["sqrt(16) + 1"]],
    ["what is max(1, 2, 3)?", ["max(1, 2, 3)"]],
    ["calculate 2 * pi", ["2 * pi"]],
    ["what is 1,234,567 + 1?", ["1,234,567 + 1"]],
    ["１７×３８等于多少", ["17*38"]],
    ["what is 9**9**9", ["9**9**9"]],
    ["calculate `2 + 2`", ["2 + 2"]],
    ["what is 1e3 / 8", ["1e3 / 8"]],
    ["(see 3 + 4)", ["3 + 4"]],
  ])("%s", async (question, expressions) => {
    expect(await expressionsFor(question)).toEqual(expressions);
  });

  it.each([
    ["calculate 2 plus 3 times 4", ["2 + 3 * 4"]],
    ["what is two plus three?", ["2 + 3"]],
    ["what is twenty-one times three hundred and five?", ["21 * 305"]],
    ["what is 17 x 38", ["17 * 38"]],
    ["what is 10 divided by 4", ["10 / 4"]],
    ["multiply 6 by 7", ["6 * 7"]],
    ["subtract 2 from 9", ["9 - 2"]],
    ["what is the sum of 2 and 3", ["2 + 3"]],
    ["what is 20% of 50", ["20 / 100 * 50"]],
    ["what is the square root of 144", ["sqrt(144)"]],
    ["what is 2 to the power of 10", ["2 ** 10"]],
    ["what is 5 squared", ["5 ** 2"]],
    ["三加五等于多少", ["3 + 5"]],
    ["帮我算一下十七乘以三十八", ["17 * 38"]],
    ["三百零五除以五是多少", ["305 / 5"]],
    ["两万减一千二百等于几", ["20000 - 1200"]],
    ["5的平方是多少", ["5 ** 2"]],
    ["2的10次方是多少", ["2 ** 10"]],
    ["200的15%是多少", ["200 * 15 / 100"]],
    ["3和5的和是多少", ["3 + 5"]],
    ["根号16等于多少", ["sqrt(16)"]],
  ])("in words: %s", async (question, expressions) => {
    expect(await expressionsFor(question)).toEqual(expressions);
  });

  it.each([
    ["what is 1+2 and 3*4?", ["1+2", "3*4"]],
    ["算一下 1+2、3*4 和 5-6", ["1+2", "3*4", "5-6"]],
    ["what is 1+2, 3*4", ["1+2", "3*4"]],
  ])("several at once: %s", async (question, expressions) => {
    expect(await expressionsFor(question)).toEqual(expressions);
  });

  it.each([
    ["what is 1+", ["1+"]],
    ["what is 1/0?", ["1/0"]],
    ["calculate (1+2", ["(1+2"]],
    ["calculate (1+2))*3", ["(1+2))*3"]],
    ["calculate 2 */ 3", ["2 */ 3"]],
  ])("broken, for the calculator to judge: %s", async (question, expressions) => {
    expect(await expressionsFor(question)).toEqual(expressions);
  });

  it.each([
    "hello",
    "what can you do?",
    "what is C++ 11?",
    "what happened on 2026-11-30?",
    "call me at 555-1234 tomorrow",
    "see chapter 3/4 of the book",
    "meet at 10:30 - 11:30",
    "open http://example.com/1/2-3",
    "version 1.2.3 is out",
    "what is 5?",
    "一下子就好",
    "",
  ])("not where there is none: %s", async (question) => {
    expect((await ask(question)).toolCalls).toEqual([]);
  });
});

describe("the rule-based model reads commands", () => {
  it.each([
    ["run `ls -la`", ["ls -la"]],
    ["执行 `uname -a`", ["uname -a"]],
    ["请帮我运行一下 `pwd`", ["pwd"]],
    ["Please run the command `echo 1 + 1`.", ["echo 1 + 1"]],
    ["run `ls` and then `pwd`", ["ls", "pwd"]],
    ["执行 `ls`，然后执行 `pwd`", ["ls", "pwd"]],
    ["run this:\n```bash\necho a\necho b\n```", ["echo a\necho b"]],
    ["run ls -la", ["ls -la"]],
    ["execute uname -a", ["uname -a"]],
  ])("%s", async (question, commands) => {
    expect(await commandsFor(question)).toEqual(commands);
    expect(await expressionsFor(question)).toEqual([]);
  });

  it.each([
    "what does `ls -la` do?",
    "don't run `rm -rf /`",
    "do not run `rm -rf /`",
    "不要执行 `rm -rf /`",
    "run a marathon",
    "I like to run. What is `ls`?",
    "`run` is a word and so is `ls`",
  ])("not where nobody asks for one: %s", async (question) => {
    expect(await commandsFor(question)).toEqual([]);
  });

  it("beside arithmetic", async () => {
    expect(await commandsFor("run `ls` and tell me what is 2+3")).toEqual(["ls"]);
    expect(await expressionsFor("run `ls` and tell me what is 2+3")).toEqual(["2+3"]);
  });

  it("says how to write one that it does not recognise", async () => {
    expect((await ask("run the tests")).content).toBe("Put the command in backticks, for example: run `ls -la`.");
    expect((await ask("执行测试")).content).toBe("请把命令放在反引号里，例如：执行 `ls -la`。");
  });
});

describe("the rule-based model answers", () => {
  it("in the language of the question", async () => {
    expect(await answerTo("what is 17 * 38?", "646")).toBe("17 * 38 = 646.");
    expect(await answerTo("帮我算一下 17 * 38", "646")).toBe("17 * 38 = 646。");
    expect(await answerTo("run `echo 你好`", "你好")).toBe("`echo 你好` gave:\n你好");
    expect(await answerTo("执行 `uname`", "Linux\n")).toBe("`uname` 的输出：\nLinux");
  });

  it("each of several questions", async () => {
    expect(await answerTo("what is 1+2 and 3*4?", "3", "12")).toBe("1+2 = 3.\n3*4 = 12.");
  });

  it("honestly where a tool failed", async () => {
    const failure = { error: "Division by zero (at position 2)." };
    expect(await answerTo("what is 1/0?", failure)).toBe("I could not work out 1/0: Division by zero (at position 2).");
    expect(await answerTo("1/0 等于多少", failure)).toBe("算不出 1/0：Division by zero (at position 2).");
    expect(await answerTo("run `false`", { error: "exit code 1" })).toBe("`false` failed:\nexit code 1");
    expect(await answerTo("执行 `false`", { error: "exit code 1" })).toBe("`false` 失败了：\nexit code 1");
  });

  it("how to allow bash where it was refused", async () => {
    const refusal = 'Nothing allows it. Create the runtime with permission: allowTools("bash") to allow it.';
    const english = await answerTo("run `ls`", { error: refusal });
    expect(english).toBe(
      `\`ls\` was not run, because the bash tool is not allowed. On the command line, --allow bash allows it.\n${refusal}`,
    );
    expect(await answerTo("执行 `ls`", { error: refusal })).toContain("--allow bash 即可允许");
  });

  it("that a tool is missing, and carries out the rest", async () => {
    const tools = bothTools.filter(({ name }) => name === "calculator");
    expect((await ask("run `ls`", { tools })).content).toBe("That needs the tool bash, which I was not given.");
    expect((await ask("执行 `ls`", { tools })).content).toBe("这需要工具 bash，但它没有提供给我。");
    expect((await ask("run `ls` and what is 1+1?", { tools })).toolCalls.map(({ name }) => name)).toEqual([
      "calculator",
    ]);
  });

  it("with what it can do when it does not understand", async () => {
    const english = (await ask("hello")).content;
    expect(english).toContain(LOCAL_MODEL_LABEL);
    expect(english).toContain("what is (17 + 38) * 2?");
    expect(english).toContain("run `ls -la`");
    const chinese = (await ask("你好")).content;
    expect(chinese).toContain(LOCAL_MODEL_LABEL);
    expect(chinese).toContain("帮我算一下");
  });

  it("that it can do nothing without tools", async () => {
    expect((await ask("hello", { tools: [] })).content).toBe(
      "I am a rule-based demo model, not an LLM, and without tools there is nothing I can do.",
    );
    expect((await ask("hello", { settings: { toolChoice: "none" } })).content).toContain("nothing I can do");
  });

  it("at most twenty wishes at once, and says so", async () => {
    const question = `what is ${Array.from({ length: 25 }, (_, index) => `${index}+1`).join(" and ")}?`;
    const { toolCalls } = await ask(question);
    expect(toolCalls).toHaveLength(20);
    expect((await continued(question, toolCalls, [])).content).toContain(
      "I left out the other 5: 20 at a time is the most.",
    );
  });

  it("only from the results of the last question", async () => {
    const first = await ask("what is 1+1?");
    const history: Message[] = [
      { role: "system", content: "Be brief." },
      { role: "user", content: "what is 1+1?" },
      { role: "assistant", content: "", toolCalls: first.toolCalls },
      { role: "tool", toolCallId: first.toolCalls[0]?.id ?? "", name: "calculator", content: "2" },
      { role: "assistant", content: "1+1 = 2." },
      { role: "user", content: [{ type: "text", text: "what is 2+2?" }] },
    ];
    const second = await localModel().generate(request(history), context);
    expect(second.toolCalls.map((call) => call.arguments)).toEqual([{ expression: "2+2" }]);
    expect(second.toolCalls[0]?.id).not.toBe(first.toolCalls[0]?.id);
  });

  it("from calls whose arguments are JSON text", async () => {
    const toolCalls = [{ id: "a", name: "calculator", arguments: '{"expression":"1+1"}' }];
    expect((await continued("what is 1+1?", toolCalls, ["2"])).content).toBe("1+1 = 2.");
  });

  it("from calls that another model had made", async () => {
    const toolCalls = [{ id: "a", name: "weather", arguments: "not json" }];
    expect((await continued("weather?", toolCalls, ["sunny"])).content).toBe("weather: sunny");
  });
});

describe("the rule-based model, whatever it is asked", () => {
  const question = fc.oneof(
    fc.string({ unit: "binary" }),
    fc
      .array(
        fc.constantFrom(
          "what is ",
          "1",
          "+",
          " ",
          "(",
          ")",
          "算",
          "一",
          "加",
          "run ",
          "`ls`",
          "`",
          "，",
          "sqrt(",
          "% of ",
        ),
      )
      .map((parts) => parts.join("")),
  );

  it("gives the same response twice, with ids that differ within it", async () => {
    await fc.assert(
      fc.asyncProperty(question, async (text) => {
        const response = await ask(text);
        const ids = response.toolCalls.map(({ id }) => id);
        expect(await ask(text)).toEqual(response);
        expect(new Set(ids).size).toBe(ids.length);
        expect(response.toolCalls.length > 0 || response.content !== "").toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  it("streams what it would have answered", async () => {
    await fc.assert(
      fc.asyncProperty(question, async (text) => {
        const response = await ask(text);
        const events: ModelEvent[] = [];
        const asked = request([{ role: "user", content: text }]);
        for await (const event of localModel().stream?.(asked, context) ?? []) events.push(event);
        const streamed = events.flatMap((event) => (event.type === "text" ? [event.text] : [])).join("");
        expect(streamed).toBe(response.content);
        const calls = events.flatMap((event) =>
          event.type === "toolCall"
            ? [{ id: event.id, name: event.name, arguments: JSON.parse(event.arguments ?? "") }]
            : [],
        );
        expect(calls).toEqual(response.toolCalls);
        expect(events.at(-1)).toEqual({ type: "finish", finishReason: response.finishReason });
      }),
      { numRuns: 300 },
    );
  });

  it.each(["1", "(", "1+", "一", " ", "run `a` ", "1,", "-", "%", "one ", "`", "sqrt("])(
    "reads a long text of %j in a moment",
    async (piece) => {
      const start = performance.now();
      await ask(`what is ${piece.repeat(200_000 / piece.length)}`);
      expect(performance.now() - start).toBeLessThan(1_500);
    },
  );
});

describe("localModel", () => {
  it("is named for what it is", () => {
    expect(localModel().name).toBe("rule-based demo model, not an LLM");
  });

  it("streams an answer in pieces", async () => {
    const pieces: ModelEvent[] = [];
    const asked = request([{ role: "user", content: "hello" }]);
    for await (const event of localModel().stream?.(asked, context) ?? []) pieces.push(event);
    expect(pieces.filter(({ type }) => type === "text").length).toBeGreaterThan(5);
  });

  it("stops with the signal's reason", async () => {
    const reason = new Error("stop");
    const stopped = { ...context, signal: AbortSignal.abort(reason) };
    const asked = request([{ role: "user", content: "hello" }]);
    await expect(localModel().generate(asked, stopped)).rejects.toBe(reason);
    await expect(async () => {
      for await (const _ of localModel().stream?.(asked, stopped) ?? []);
    }).rejects.toBe(reason);
  });

  it("stops in the middle of a stream", async () => {
    const controller = new AbortController();
    const seen: ModelEvent[] = [];
    const asked = request([{ role: "user", content: "hello" }]);
    await expect(async () => {
      for await (const event of localModel().stream?.(asked, { ...context, signal: controller.signal }) ?? []) {
        seen.push(event);
        controller.abort(new Error("stop"));
      }
    }).rejects.toThrow("stop");
    expect(seen).toHaveLength(1);
  });
});
