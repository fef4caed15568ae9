import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { AnyTool, ToolContext } from "../../src/contract/tool.ts";
import { ToolError } from "../../src/errors/index.ts";
import { ToolRegistry } from "../../src/registry/tool-registry.ts";
import { handMade } from "../contract/schemas.ts";
import { foreignPromise, hostileValues, revokedProxy, throwingGetter } from "../util/hostile.ts";

/** A tool that returns what it was given, unless it is told otherwise. */
function tool(given: Partial<Record<keyof AnyTool, unknown>> = {}): AnyTool {
  const echo = {
    name: "echo",
    description: "Says it again.",
    parameters: { type: "object" },
    execute: (args: unknown) => args,
  };
  return { ...echo, ...given } as AnyTool;
}

/** A registry with one tool that does what `execute` does. */
function registryOf(
  execute: (args: never, context: ToolContext) => unknown,
  more: Partial<AnyTool> = {},
): ToolRegistry {
  return new ToolRegistry().register(tool({ execute, ...more }));
}

const call = (args: unknown = {}, name = "echo") => ({ id: "c1", name, arguments: args });

describe("register", () => {
  it("makes a tool known by its name and shows it to models", () => {
    const registry = new ToolRegistry();
    const echo = tool();
    expect(registry.register(echo)).toBe(registry);
    expect(registry.has("echo")).toBe(true);
    expect(registry.get("echo")).toBe(echo);
    expect(registry.list()).toEqual([{ name: "echo", description: "Says it again.", parameters: { type: "object" } }]);
  });

  it("takes names of 1 to 64 characters and refuses others with the rule", () => {
    const registry = new ToolRegistry();
    registry.register(tool({ name: "a".repeat(64) }));
    expect(() => registry.register(tool({ name: "a".repeat(65) }))).toThrow(/"aaa.*has 65 characters; the most is 64/);
    for (const name of ["", "  ", undefined, 5]) {
      expect(() => registry.register(tool({ name }))).toThrow(/needs a name of 1 to 64 characters, got/);
    }
    expect(registry.list()).toHaveLength(1);
  });

  it("refuses a second tool of a name and keeps the first, unless it is to be replaced", () => {
    const first = tool();
    const second = tool({ description: "Second." });
    const registry = new ToolRegistry().register(first).register(tool({ name: "other" }));
    expect(() => registry.register(second)).toThrow(/named "echo" already.*{ replace: true }/);
    expect(() => registry.register(second, { replace: undefined })).toThrow(/already/);
    expect(registry.get("echo")).toBe(first);
    registry.register(second, { replace: true });
    expect(registry.get("echo")).toBe(second);
    expect(registry.list().map(({ name, description }) => [name, description])).toEqual([
      ["echo", "Second."],
      ["other", "Says it again."],
    ]);
  });

  it.each([
    ["no object", null, /A tool must be an object with name, description, parameters and execute, got null/],
    ["no description", tool({ description: undefined }), /"echo" needs a description/],
    ["no execute", tool({ execute: "run" }), /"echo" needs an execute function, got "run"/],
    ["no parameters", tool({ parameters: undefined }), /Tool "echo": `parameters` must be.*z\.object\({}\)/],
    ["a date", tool({ parameters: z.object({ d: z.date() }) }), /Tool "echo": .*Date/],
    [
      "a negative time limit",
      tool({ timeoutMs: -1 }),
      /Tool "echo": timeoutMs must be a number of milliseconds.*got -1/,
    ],
    ["a time limit that is no number", tool({ timeoutMs: Number.NaN }), /timeoutMs/],
    ["a time limit in words", tool({ timeoutMs: "5s" }), /timeoutMs.*"5s"/],
    ["too small a result", tool({ maxResultChars: 99 }), /maxResultChars must be a number from 100 up, got 99/],
    ["a result limit in words", tool({ maxResultChars: "many" }), /maxResultChars/],
    ["an unknown access", tool({ access: "admin" }), /access must be "none", "read", "write" or "exec", got "admin"/],
  ])("refuses a tool with %s and keeps the others", (_what, given, message) => {
    const registry = new ToolRegistry().register(tool({ name: "kept" }));
    expect(() => registry.register(given as AnyTool)).toThrow(message);
    expect(registry.list().map(({ name }) => name)).toEqual(["kept"]);
  });

  it.each([
    { timeoutMs: 0 },
    { timeoutMs: Number.POSITIVE_INFINITY },
    { maxResultChars: 100 },
    { access: "exec" },
    { access: undefined },
  ])("takes the option %o", (option) => {
    expect(new ToolRegistry().register(tool(option)).has("echo")).toBe(true);
  });

  it("treats the names of inherited properties like any other", async () => {
    const registry = new ToolRegistry();
    for (const name of ["__proto__", "constructor", "toString"]) {
      expect(registry.has(name)).toBe(false);
      await expect(registry.execute(call({}, name))).resolves.toMatchObject({ ok: false, code: "TOOL_NOT_FOUND" });
      registry.register(tool({ name }));
      await expect(registry.execute(call({ a: 1 }, name))).resolves.toEqual({ ok: true, value: { a: 1 } });
    }
  });
});

describe("list", () => {
  it("is frozen and the same until the tools change", () => {
    const registry = new ToolRegistry().register(tool());
    const list = registry.list();
    expect(registry.list()).toBe(list);
    expect([list, list[0], list[0]?.parameters].every(Object.isFrozen)).toBe(true);
    registry.register(tool({ name: "more" }));
    expect(registry.list()).toHaveLength(2);
    expect(list).toHaveLength(1);
    expect(registry.unregister("more")).toBe(true);
    expect(registry.unregister("more")).toBe(false);
    expect(registry.list()).toHaveLength(1);
  });
});

describe("execute", () => {
  it("gives the tool its validated arguments and a context", async () => {
    const seen: unknown[] = [];
    const registry = registryOf((args, context) => seen.push(args, { ...context }), {
      parameters: z.object({ n: z.number().default(5), o: z.string().optional() }),
    });
    await expect(registry.execute(call(""))).resolves.toEqual({ ok: true, value: 2 });
    expect(seen[0]).toEqual({ n: 5 });
    expect(seen[1]).toMatchObject({
      runId: "direct",
      callId: "c1",
      attempt: 1,
      deadline: Number.POSITIVE_INFINITY,
      idempotencyKey: "direct/c1",
    });
    expect((seen[1] as ToolContext).signal.aborted).toBe(false);
    expect((seen[1] as ToolContext).report("50 %")).toBeUndefined();
  });

  it("hands over the context that it was given", async () => {
    const context = {
      signal: AbortSignal.abort(),
      runId: "r",
      callId: "x",
      attempt: 2,
      deadline: 5,
      idempotencyKey: "k",
      report: () => {},
    };
    await expect(registryOf((_args, given) => given === context).execute(call(), context)).resolves.toEqual({
      ok: true,
      value: true,
    });
  });

  it("gives a tool arguments of its own, which it may change", async () => {
    const args = { list: [1] };
    const registry = registryOf((own: { list: number[] }) => own.list.push(2));
    await registry.execute(call(args));
    expect(args).toEqual({ list: [1] });
  });

  it.each([
    ["null", "null", 1],
    ["a list", "[]", 0],
    ["a number", "7", 0],
    ["text", '"x"', 0],
    ["broken JSON", '{"a":', 0],
  ])("runs the tool for %s %i times at most", async (_what, args, times) => {
    let runs = 0;
    const registry = registryOf(() => ++runs, { parameters: z.object({ a: z.number().optional() }) });
    const result = await registry.execute(call(args));
    expect(runs).toBe(times);
    expect(result).toMatchObject(
      times === 1 ? { ok: true } : { ok: false, kind: "tool", code: "TOOL_INVALID_ARGUMENTS" },
    );
  });

  it("takes arguments that were encoded twice", async () => {
    const registry = registryOf(({ id }: { id: number }) => id, { parameters: z.object({ id: z.number() }) });
    await expect(registry.execute(call(JSON.stringify(JSON.stringify({ id: 7 }))))).resolves.toEqual({
      ok: true,
      value: 7,
    });
  });

  it("tells what does not fit, briefly, and what to do", async () => {
    const registry = registryOf(() => "ran", { parameters: z.strictObject({ limit: z.number().default(10) }) });
    await expect(registry.execute(call({ limitt: 3 }))).resolves.toMatchObject({
      ok: false,
      code: "TOOL_INVALID_ARGUMENTS",
      retryable: false,
      error: expect.stringMatching(
        /^The arguments of "echo" do not fit its schema: .*"limitt".* Correct them and call again\.$/,
      ),
    });
    const many = Object.fromEntries(Array.from({ length: 30_000 }, (_, index) => [`key${index}`, 1]));
    const long = await registry.execute(call(many));
    expect(long.ok ? "" : long.error.length).toBeLessThan(1_000);
    const strict = registryOf(() => "ran", {
      parameters: { type: "object", additionalProperties: { type: "string" } },
    });
    const list = await strict.execute(call(many));
    expect(list).toMatchObject({ error: expect.stringContaining("; and 29,980 more. Correct them") });
    expect(list.ok ? "" : list.error.length).toBeLessThan(8_000);
  });

  it("names the nearest tool and the others for a name that it does not know", async () => {
    const registry = new ToolRegistry().register(tool({ name: "read_file" })).register(tool({ name: "bash" }));
    await expect(registry.execute(call({}, "read_flie"))).resolves.toMatchObject({
      ok: false,
      kind: "tool",
      code: "TOOL_NOT_FOUND",
      error: 'There is no tool named "read_flie". Did you mean "read_file"? Available tools: read_file, bash.',
    });
    await expect(registry.execute(call({}, "weather_today"))).resolves.toMatchObject({
      error: 'There is no tool named "weather_today". Available tools: read_file, bash.',
    });
    await expect(new ToolRegistry().execute(call())).resolves.toMatchObject({
      error: 'There is no tool named "echo". There are no tools: answer without them.',
    });
  });

  it("lists fifty names at most", async () => {
    const registry = new ToolRegistry();
    for (let index = 0; index < 1_052; index++) registry.register(tool({ name: `tool_${index}` }));
    await expect(registry.execute(call({}, "zzzzzzzz"))).resolves.toMatchObject({
      error: expect.stringMatching(/tool_0, .*tool_49 and 1,002 more\.$/),
    });
  });

  it.each(Object.entries(hostileValues()))(
    "makes a failure of a tool that throws or rejects with %s",
    async (_name, value) => {
      const thrown = await registryOf(() => {
        throw value;
      }).execute(call());
      const rejected = await registryOf(() => Promise.reject(value)).execute(call());
      for (const result of [thrown, rejected]) {
        expect(result).toMatchObject({ ok: false, kind: "tool", error: expect.any(String) });
        expect(JSON.parse(JSON.stringify(result))).toStrictEqual(result);
      }
    },
  );

  it.each(Object.entries(hostileValues()))("makes JSON of a tool that returns %s", async (_name, value) => {
    const result = await registryOf(() => value).execute(call());
    expect(JSON.parse(JSON.stringify(result))).toStrictEqual(result);
  });

  it("keeps the message, the code and the verdict of an error of ours", async () => {
    const error = new ToolError("The printer is on fire.", { code: "PRINTER_FIRE", retryable: true });
    await expect(
      registryOf(() => {
        throw error;
      }).execute(call()),
    ).resolves.toMatchObject({ ok: false, error: "The printer is on fire.", code: "PRINTER_FIRE", retryable: true });
  });

  it("calls a schema whose own code breaks a fault of the tool, which is then not run", async () => {
    const throwing = handMade(() => {
      throw new Error("validator broke");
    });
    const rejecting = handMade(() => Promise.reject(new Error("validator broke")));
    for (const parameters of [throwing, rejecting, handMade(() => undefined), handMade(() => revokedProxy())]) {
      let ran = false;
      const registry = registryOf(
        () => {
          ran = true;
        },
        { parameters, jsonSchema: { type: "object" } },
      );
      await expect(registry.execute(call())).resolves.toMatchObject({
        ok: false,
        kind: "tool",
        code: "TOOL_THREW",
      });
      expect(ran).toBe(false);
    }
  });

  it("awaits a validator whose promise is of another realm before it runs the tool", async () => {
    const parameters = handMade(() => foreignPromise({ issues: [{ message: "no entry" }] }));
    const registry = registryOf(() => "ran", { parameters, jsonSchema: { type: "object" } });
    await expect(registry.execute(call())).resolves.toMatchObject({
      ok: false,
      error: expect.stringContaining("no entry"),
    });
    const silent = registryOf(() => "ran", {
      parameters: handMade(() => ({ issues: [] })),
      jsonSchema: { type: "object" },
    });
    await expect(silent.execute(call())).resolves.toMatchObject({ error: expect.stringContaining("did not say why") });
  });

  it("answers even what is no call", async () => {
    const registry = registryOf(() => "ran");
    for (const value of [
      undefined,
      null,
      5,
      {},
      { name: 7 },
      revokedProxy(),
      throwingGetter("name"),
      throwingGetter("arguments"),
    ]) {
      await expect(registry.execute(value as never)).resolves.toMatchObject({
        ok: false,
        code: "TOOL_INVALID_ARGUMENTS",
        error: expect.stringContaining("A call must be { id, name, arguments }, got"),
      });
    }
    await expect(registry.execute({ name: "echo", arguments: {} } as never)).resolves.toEqual({
      ok: true,
      value: "ran",
    });
  });

  it("bounds a result by the tool's own limit", async () => {
    const result = await registryOf(() => "x".repeat(1_000), { maxResultChars: 100 }).execute(call());
    expect(result).toMatchObject({ ok: true, value: expect.stringContaining("of 1,000 characters omitted") });
    await expect(registryOf(() => "x".repeat(200_001)).execute(call())).resolves.toMatchObject({
      value: expect.stringContaining("of 200,001 characters"),
    });
  });

  it("takes the reason of the signal for the reason of the failure", async () => {
    const signal = AbortSignal.abort(new ToolError("too slow", { code: "TOOL_TIMEOUT" }));
    const context = {
      signal,
      runId: "r",
      callId: "c1",
      attempt: 1,
      deadline: 0,
      idempotencyKey: "k",
      report: () => {},
    };
    const registry = registryOf(() => {
      throw new Error("socket hang up");
    });
    await expect(registry.execute(call(), context)).resolves.toMatchObject({
      ok: false,
      code: "TOOL_TIMEOUT",
      error: "too slow",
    });
  });
});
