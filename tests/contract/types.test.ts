/**
 * Freezes the contracts of DESIGN, section 3: shapes may gain fields, never lose them. What counts here
 * is checked by `tsc`; at run time these tests only look at the values that go with the types.
 */
import {
  type AgentContext,
  type AgentEvent,
  type AgentRun,
  type AgentStep,
  type AnyTool,
  type ContextSnapshot,
  createRuntime,
  type Decision,
  defineTool,
  type Effects,
  type ErrorCode,
  type ErrorKind,
  type ErrorStep,
  type EventOf,
  type EventType,
  errorMessage,
  type FinishReason,
  type FinishStep,
  HarnessError,
  isHarnessError,
  type Message,
  type Model,
  type ModelCallContext,
  ModelError,
  type ModelEvent,
  type ModelRequest,
  type ModelResponse,
  type ModelStep,
  type NextModel,
  type Part,
  type Permission,
  type PermissionStep,
  type Plugin,
  type PluginCallContext,
  type RetryOptions,
  type RunOptions,
  type RunStatus,
  type Runtime,
  type RuntimeOptions,
  type SerializedError,
  STATUS_OF,
  type StopReason,
  type Tool,
  type ToolCall,
  type ToolContext,
  type ToolDefinition,
  ToolError,
  type ToolRegistry,
  type ToolResult,
  type ToolStep,
  toHarnessError,
  type Usage,
} from "harness-kit";
import { scriptedModel } from "harness-kit/testing";
import { describe, expect, expectTypeOf, it } from "vitest";
import { z } from "zod";

describe("the contract of errors", () => {
  it("has five kinds, literal in each class, so that a switch narrows", () => {
    expectTypeOf<ErrorKind>().toEqualTypeOf<"model" | "tool" | "runtime" | "context" | "permission">();
    expectTypeOf<ModelError["kind"]>().toEqualTypeOf<"model">();
    expectTypeOf<ToolError["kind"]>().toEqualTypeOf<"tool">();
    expectTypeOf<HarnessError>().toExtend<{
      readonly kind: ErrorKind;
      readonly code: ErrorCode;
      readonly retryable: boolean;
      readonly cause?: unknown;
      readonly status?: number | undefined;
      readonly retryAfterMs?: number | undefined;
      readonly providerCode?: string | undefined;
      readonly requestId?: string | undefined;
      readonly attempts?: number | undefined;
      toJSON(): SerializedError;
    }>();
    expect(new ModelError("x").kind).toBe("model");
  });

  it("adopts anything and narrows what it guards", () => {
    expectTypeOf(toHarnessError).toBeCallableWith(null);
    expectTypeOf(toHarnessError).toBeCallableWith(new Error("x"), "tool", { signal: new AbortController().signal });
    expectTypeOf(toHarnessError(1)).toExtend<HarnessError>();
    expectTypeOf(errorMessage).returns.toEqualTypeOf<string>();
    const caught: unknown = new ToolError("x", { code: "MINE", retryable: true, cause: 1 });
    if (isHarnessError(caught, "tool")) expectTypeOf(caught).toEqualTypeOf<ToolError>();
    expect(isHarnessError(caught)).toBe(true);
    expect(caught).toBeInstanceOf(HarnessError);
  });
});

describe("the contract of messages", () => {
  it("has four roles", () => {
    expectTypeOf<Message["role"]>().toEqualTypeOf<"system" | "user" | "assistant" | "tool">();
    expectTypeOf<{ role: "system"; content: string }>().toExtend<Message>();
    expectTypeOf<{ role: "user"; content: Part[] }>().toExtend<Message>();
    expectTypeOf<{ role: "assistant"; content: string; toolCalls?: ToolCall[] }>().toExtend<Message>();
    expectTypeOf<{
      role: "tool";
      toolCallId: string;
      name: string;
      content: string;
      isError?: boolean;
    }>().toExtend<Message>();
    expectTypeOf<{ role: "assistant"; content: Part[] }>().not.toExtend<Message>();
    expectTypeOf<{ role: "tool"; content: string }>().not.toExtend<Message>();
    expectTypeOf<ToolCall>().toEqualTypeOf<{
      readonly id: string;
      readonly name: string;
      readonly arguments: unknown;
    }>();
  });
});

describe("the contract of a model", () => {
  it("asks for generate alone, or for a bare function", () => {
    expectTypeOf<{ generate(request: ModelRequest): Promise<ModelResponse> }>().toExtend<Model>();
    expectTypeOf<() => ModelResponse>().toExtend<RuntimeOptions["model"]>();
    expectTypeOf<() => Promise<ModelResponse>>().toExtend<RuntimeOptions["model"]>();
    expectTypeOf<Model["name"]>().toEqualTypeOf<string | undefined>();
    expectTypeOf<Model["generate"]>().toEqualTypeOf<
      (request: ModelRequest, context: ModelCallContext) => Promise<ModelResponse>
    >();
    expectTypeOf<NonNullable<Model["stream"]>>().returns.toEqualTypeOf<AsyncIterable<ModelEvent>>();
    expectTypeOf<{ code: string; retryable: boolean; retryAfterMs: number }>().toExtend<
      ReturnType<NonNullable<Model["classifyError"]>>
    >();
  });

  it("gives each call its signal and its attempt", () => {
    expectTypeOf<ModelCallContext>().toExtend<{ readonly signal: AbortSignal; readonly attempt: number }>();
    expectTypeOf<ModelRequest>().toExtend<{
      readonly messages: readonly Message[];
      readonly tools: readonly ToolDefinition[];
    }>();
  });

  it("answers with text, calls, a reason and the tokens", () => {
    expectTypeOf<FinishReason>().toEqualTypeOf<"stop" | "toolCalls" | "length" | "filtered" | "other">();
    expectTypeOf<{ content: string; toolCalls: ToolCall[] }>().toExtend<ModelResponse>();
    expectTypeOf<{
      content: string;
      toolCalls: ToolCall[];
      finishReason: "stop";
      usage: Usage;
    }>().toExtend<ModelResponse>();
    expectTypeOf<ModelEvent["type"]>().toEqualTypeOf<
      "text" | "reasoning" | "toolCall" | "usage" | "heartbeat" | "finish"
    >();
    expectTypeOf<{
      type: "toolCall";
      index: number;
      id?: string;
      name?: string;
      arguments?: string;
    }>().toExtend<ModelEvent>();
    expectTypeOf<{ type: "text"; text: string } | { type: "reasoning"; text: string }>().toExtend<ModelEvent>();
    expectTypeOf<
      { type: "usage"; usage: Usage } | { type: "finish"; finishReason: FinishReason }
    >().toExtend<ModelEvent>();
  });
});

describe("the contract of a tool", () => {
  it("has two results", () => {
    expectTypeOf<{ ok: true; value: unknown }>().toExtend<ToolResult>();
    expectTypeOf<{
      ok: false;
      error: string;
      kind: ErrorKind;
      retryable: boolean;
      code?: ErrorCode;
    }>().toExtend<ToolResult>();
    expectTypeOf<{ ok: false; error: string }>().not.toExtend<ToolResult>();
    expectTypeOf<Extract<ToolResult, { ok: false }>>().toExtend<{
      error: string;
      kind: ErrorKind;
      retryable: boolean;
    }>();
  });

  it("gives each call exactly this, or more", () => {
    expectTypeOf<ToolContext>().toExtend<{
      readonly signal: AbortSignal;
      readonly runId: string;
      readonly callId: string;
      readonly attempt: number;
      readonly deadline: number;
      readonly idempotencyKey: string;
      report(progress: unknown): void;
    }>();
    expectTypeOf<Tool>().toExtend<{
      readonly name: string;
      readonly description: string;
      readonly timeoutMs?: number | undefined;
      readonly idempotent?: boolean | undefined;
      readonly exclusive?: boolean | undefined;
      readonly access?: "none" | "read" | "write" | "exec" | undefined;
      readonly maxResultChars?: number | undefined;
    }>();
  });

  it("types the arguments by the output of the schema", () => {
    const add = defineTool({
      name: "add",
      description: "Add two numbers.",
      parameters: z.object({ a: z.number(), b: z.number().default(1), c: z.string().transform(Number).optional() }),
      execute: (args, context) => {
        expectTypeOf(args).toEqualTypeOf<{ a: number; b: number; c?: number | undefined }>();
        expectTypeOf(context).toEqualTypeOf<ToolContext>();
        return args.a + args.b;
      },
    });
    expectTypeOf(add).toExtend<AnyTool>();
    const plain = defineTool({
      name: "plain",
      description: "Takes anything.",
      parameters: { type: "object" },
      timeoutMs: undefined,
      execute: (args) => {
        expectTypeOf(args).toEqualTypeOf<Record<string, unknown>>();
      },
    });
    expectTypeOf(plain).toExtend<AnyTool>();
    expect([add.name, plain.name]).toEqual(["add", "plain"]);
  });

  it("is held by a registry that never rejects", () => {
    expectTypeOf<ToolRegistry["register"]>().toBeCallableWith({} as AnyTool, { replace: true });
    expectTypeOf<ToolRegistry["register"]>().returns.toEqualTypeOf<ToolRegistry>();
    expectTypeOf<ToolRegistry["unregister"]>().parameters.toEqualTypeOf<[name: string]>();
    expectTypeOf<ToolRegistry["has"]>().returns.toEqualTypeOf<boolean>();
    expectTypeOf<ToolRegistry["get"]>().returns.toEqualTypeOf<AnyTool | undefined>();
    expectTypeOf<ToolRegistry["list"]>().returns.toEqualTypeOf<readonly ToolDefinition[]>();
    expectTypeOf<ToolRegistry["execute"]>().toBeCallableWith({ id: "c", name: "t", arguments: {} });
    expectTypeOf<ToolRegistry["execute"]>().returns.resolves.toEqualTypeOf<ToolResult>();
  });
});

describe("the contract of a run", () => {
  it("has a status for each stop reason", () => {
    expectTypeOf<RunStatus>().toEqualTypeOf<"completed" | "failed" | "aborted" | "paused">();
    expectTypeOf<StopReason>().toEqualTypeOf<
      "finished" | "maxSteps" | "timeout" | "aborted" | "failed" | "noProgress" | "limit" | "permission" | "paused"
    >();
    expect(STATUS_OF).toEqual({
      finished: "completed",
      maxSteps: "completed",
      timeout: "failed",
      failed: "failed",
      noProgress: "failed",
      limit: "failed",
      permission: "failed",
      aborted: "aborted",
      paused: "paused",
    });
  });

  it("is recorded in steps", () => {
    type Base = { readonly index: number; readonly startedAt: number; readonly durationMs: number };
    expectTypeOf<AgentStep>().toEqualTypeOf<ModelStep | ToolStep | PermissionStep | FinishStep | ErrorStep>();
    expectTypeOf<AgentStep>().toExtend<Base>();
    expectTypeOf<AgentStep["type"]>().toEqualTypeOf<"model" | "tool" | "permission" | "finish" | "error">();
    expectTypeOf<ModelStep>().toExtend<{ response: ModelResponse; messageCount: number; attempts: number }>();
    expectTypeOf<ToolStep>().toExtend<{ call: ToolCall; result: ToolResult; attempts: number }>();
    expectTypeOf<FinishStep>().toExtend<{ stopReason: StopReason; answer: string }>();
    expectTypeOf<ErrorStep>().toExtend<{
      stopReason: StopReason;
      kind: ErrorKind;
      retryable: boolean;
      message: string;
      code: ErrorCode;
      detail: SerializedError;
    }>();
  });

  it("is one record", () => {
    expectTypeOf<AgentRun>().toExtend<{
      readonly schemaVersion: number;
      readonly id: string;
      readonly input: string;
      readonly status: RunStatus;
      readonly stopReason: StopReason;
      readonly answer: string;
      readonly history: readonly Message[];
      readonly steps: readonly AgentStep[];
      readonly iterations: number;
      readonly error?: string | undefined;
      readonly errorKind?: ErrorKind | undefined;
      readonly errorCode?: ErrorCode | undefined;
      readonly errorDetail?: SerializedError | undefined;
      readonly startedAt: number;
      readonly endedAt: number;
      readonly usage: Usage;
      readonly incomplete?: true | undefined;
      readonly metadata?: unknown;
    }>();
    expectTypeOf<AgentRun>().toHaveProperty("abandoned");
  });
});

describe("the contract of a runtime", () => {
  it("takes what DESIGN lists, each of it also as undefined", () => {
    expectTypeOf<{
      model: Model;
      registry?: ToolRegistry | undefined;
      tools?: AnyTool[] | undefined;
      system?: string | undefined;
      maxSteps?: number | undefined;
      timeoutMs?: number | undefined;
      modelTimeoutMs?: number | undefined;
      streamIdleMs?: number | undefined;
      toolTimeoutMs?: number | undefined;
      graceMs?: number | undefined;
      retry?: RetryOptions | undefined;
      limits?:
        | { toolCalls?: number | undefined; tokens?: number | undefined; costUsd?: number | undefined }
        | undefined;
      concurrency?: number | undefined;
      permission?: Permission | undefined;
      plugins?: Plugin[] | undefined;
      fallback?: Model[] | undefined;
      effects?: Effects | undefined;
      signal?: AbortSignal | undefined;
    }>().toExtend<RuntimeOptions>();
    expectTypeOf<{
      maxAttempts?: number | undefined;
      baseMs?: number | undefined;
      capMs?: number | undefined;
      maxRetryAfterMs?: number | undefined;
    }>().toExtend<RetryOptions>();
  });

  it("runs, streams, listens and aborts", () => {
    expectTypeOf<Runtime["run"]>().toBeCallableWith("hi");
    expectTypeOf<Runtime["run"]>().toBeCallableWith([{ role: "user", content: "hi" }]);
    expectTypeOf<Runtime["run"]>().toBeCallableWith(
      { messages: [] },
      { signal: undefined, runId: "r", metadata: { a: 1 } },
    );
    expectTypeOf<Runtime["run"]>().returns.resolves.toExtend<AgentRun>();
    expectTypeOf<ReturnType<Runtime["stream"]>>().toExtend<AsyncIterable<AgentEvent>>();
    expectTypeOf<ReturnType<Runtime["stream"]>["result"]>().resolves.toExtend<AgentRun>();
    expectTypeOf<ReturnType<Runtime["stream"]>>().toHaveProperty("abort");
    expectTypeOf<{
      signal?: AbortSignal | undefined;
      context?: AgentContext | undefined;
      system?: string | undefined;
    }>().toExtend<RunOptions>();
    const runtime = createRuntime({ model: scriptedModel(["hi"]) });
    const off = runtime.on("tool:end", (event) => {
      expectTypeOf(event.result).toEqualTypeOf<ToolResult>();
      expectTypeOf(event).toEqualTypeOf<EventOf<"tool:end">>();
    });
    expectTypeOf(off).toEqualTypeOf<() => void>();
    runtime.on("*", (event) => expectTypeOf(event).toEqualTypeOf<AgentEvent>());
    runtime.abort("bye");
    expect(off()).toBeUndefined();
  });

  it("keeps a context that can be stored", () => {
    expectTypeOf<AgentContext["messages"]>().toEqualTypeOf<readonly Message[]>();
    expectTypeOf<AgentContext["add"]>().parameters.toEqualTypeOf<[message: Message]>();
    expectTypeOf<AgentContext["snapshot"]>().returns.toEqualTypeOf<ContextSnapshot>();
    expectTypeOf<typeof AgentContext.restore>().toEqualTypeOf<(snapshot: unknown) => AgentContext>();
  });
});

describe("the contract of events", () => {
  it("names every event of DESIGN", () => {
    type Named =
      | ("run:start" | "model:start" | "model:delta" | "model:reasoning" | "model:end" | "model:retry" | "tool:retry")
      | ("tool:start" | "tool:progress" | "tool:end" | "tool:abandoned" | "run:abort" | "permission:request")
      | ("permission:decision" | "limit:warning" | "context:compacted" | "step" | "listener:error" | "run:end");
    expectTypeOf<Named>().toExtend<EventType>();
    expectTypeOf<AgentEvent>().toExtend<{
      readonly type: EventType;
      readonly runId: string;
      readonly seq: number;
      readonly at: number;
    }>();
  });

  it("carries what DESIGN says", () => {
    type Retry = { attempt: number; maxAttempts: number; delayMs: number; code: ErrorCode; message: string };
    expectTypeOf<EventOf<"run:start">>().toExtend<{ input: string }>();
    expectTypeOf<EventOf<"model:start">>().toExtend<{ messageCount: number; attempt: number }>();
    expectTypeOf<EventOf<"model:delta">>().toExtend<{ text: string }>();
    expectTypeOf<EventOf<"model:reasoning">>().toExtend<{ text: string }>();
    expectTypeOf<EventOf<"model:end">>().toExtend<{ response?: ModelResponse | undefined; durationMs: number }>();
    expectTypeOf<EventOf<"model:retry"> | EventOf<"tool:retry">>().toExtend<Retry>();
    expectTypeOf<EventOf<"tool:start">>().toExtend<{ call: ToolCall }>();
    expectTypeOf<EventOf<"tool:progress">>().toExtend<{ callId: string; data: unknown }>();
    expectTypeOf<EventOf<"tool:end">>().toExtend<{ call: ToolCall; result: ToolResult; durationMs: number }>();
    expectTypeOf<EventOf<"tool:abandoned">>().toExtend<{ callId: string }>();
    expectTypeOf<EventOf<"run:abort">>().toExtend<{ reason: string }>();
    expectTypeOf<EventOf<"permission:decision">>().toExtend<{ decision: Decision }>();
    expectTypeOf<EventOf<"step">>().toExtend<{ step: AgentStep }>();
    expectTypeOf<EventOf<"listener:error">>().toExtend<{ error: string; eventType: string }>();
    expectTypeOf<EventOf<"run:end">>().toExtend<{
      status: RunStatus;
      stopReason: StopReason;
      answer: string;
      error?: string | undefined;
      errorKind?: ErrorKind | undefined;
      errorCode?: ErrorCode | undefined;
      durationMs: number;
    }>();
  });
});

describe("the contract of plugins and effects", () => {
  it("lets a plugin intervene where it wants to", () => {
    expectTypeOf<{ name: string }>().toExtend<Plugin>();
    expectTypeOf<Parameters<NonNullable<Plugin["wrapModel"]>>>().toEqualTypeOf<
      [request: ModelRequest, next: NextModel, context: PluginCallContext]
    >();
    expectTypeOf<NextModel>().toExtend<(request: ModelRequest) => Promise<ModelResponse>>();
    expectTypeOf<PluginCallContext>().toExtend<ModelCallContext & { readonly delivered: number }>();
    expectTypeOf<Parameters<NonNullable<Plugin["wrapTool"]>>>().toEqualTypeOf<
      [call: ToolCall, next: () => Promise<ToolResult>, context: ToolContext]
    >();
    expectTypeOf<NonNullable<Plugin["onEvent"]>>().toBeCallableWith({} as AgentEvent);
  });

  it("has one seam", () => {
    expectTypeOf<Effects["step"]>().toBeCallableWith("2/model", async () => 1);
    expectTypeOf<Effects["now"]>().returns.toEqualTypeOf<number>();
    expectTypeOf<Effects["id"]>().returns.toEqualTypeOf<string>();
  });
});
