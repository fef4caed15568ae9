/** The faults, each with a script for the model, the tools, and what a host may expect. Neutral: no runtime is named here. */
const never = () => new Promise(() => {});
const failing = (status) => Object.assign(new Error(`status ${status}`), { status, statusCode: status });
const ask = (name, args = "{}", id = `call_${Math.random().toString(36).slice(2)}`) => ({
  calls: [{ id, name, args }],
});
const say = (text) => ({ text });
const later = (ms, act) => new Promise((resolve, reject) => setTimeout(() => act(resolve, reject), ms));
const revoked = () => {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
};
const hidden = () =>
  Object.defineProperty(new Error("hidden"), "message", {
    get() {
      throw new Error("the getter");
    },
  });
const cyclic = () => {
  const value = { name: "loop" };
  value.self = value;
  return value;
};
const thrower = (make) => () => {
  throw make();
};
const after = (script) => (turn) => script[Math.min(turn, script.length) - 1]();

const goesOn = ({ outcome, text }) => outcome === "returned" && text === "done";
/** A rejection is another way to say so, as long as it is with an Error. */
const isTyped = ({ outcome, isFailure, isError }) =>
  (outcome === "returned" && isFailure) || (outcome === "rejected" && isError);
const isQuick = ({ ms }) => ms < 600;

const modelThrows = (name, make) => ({
  name: `the model throws ${name}`,
  expected: "a failure, told by an Error",
  model: thrower(make),
  isRight: isTyped,
});
const modelReturns = (name, value) => ({
  name: `the model answers ${name}`,
  expected: "a failure, told by an Error",
  model: () => ({ raw: value }),
  isRight: isTyped,
});
const toolThrows = (name, make) => ({
  name: `a tool throws ${name}`,
  expected: "the model is told and the run goes on",
  model: after([() => ask("t"), () => say("done")]),
  tools: { t: thrower(make) },
  isRight: goesOn,
});
const toolReturns = (name, make) => ({
  name: `a tool returns ${name}`,
  expected: "the run goes on",
  model: after([() => ask("t"), () => say("done")]),
  tools: { t: make },
  isRight: goesOn,
});

export const FAULTS = [
  modelThrows("an Error", () => new Error("no")),
  modelThrows("null", () => null),
  modelThrows("a Symbol", () => Symbol("no")),
  modelThrows("a revoked Proxy", revoked),
  modelThrows("an error whose message throws", hidden),
  modelReturns("undefined", undefined),
  modelReturns("an empty object", {}),
  modelReturns("an HTML text", "<html>"),
  {
    name: "the model fails in round 2",
    expected: "the result of round 1 comes back",
    model: after([() => ask("t"), thrower(() => failing(400))]),
    tools: { t: () => "ROUND-1" },
    isRight: ({ outcome, seen }) => outcome === "returned" && seen.includes("ROUND-1"),
  },
  {
    name: "status 401",
    expected: "one call, a failure",
    model: thrower(() => failing(401)),
    isRight: (facts) => isTyped(facts) && facts.modelCalls === 1,
  },
  {
    name: "status 503 once",
    expected: "a second call, then the answer",
    model: after([thrower(() => failing(503)), () => say("done")]),
    isRight: (facts) => goesOn(facts) && facts.modelCalls === 2,
  },
  {
    name: "abort at 200 ms, the model ignores it",
    expected: "settles within 600 ms, as a failure",
    abortAt: 200,
    model: never,
    isRight: (facts) => isQuick(facts) && isTyped(facts),
  },
  {
    name: "abort at 200 ms, a tool ignores it",
    expected: "settles within 600 ms, as a failure",
    abortAt: 200,
    model: after([() => ask("t"), () => say("done")]),
    tools: { t: never },
    isRight: (facts) => isQuick(facts) && isTyped(facts),
  },
  {
    name: "abort at 200 ms, a tool answers at 1 s",
    expected: "the late value is not taken for a success",
    abortAt: 200,
    model: after([() => ask("t"), () => say("done")]),
    tools: { t: () => later(1_000, (resolve) => resolve("LATE")) },
    isRight: (facts) => isQuick(facts) && !facts.seen.includes("LATE"),
  },
  {
    name: "abort at 200 ms, a tool rejects at 400 ms",
    expected: "settles, no unhandled rejection",
    abortAt: 200,
    model: after([() => ask("t"), () => say("done")]),
    tools: { t: () => later(400, (_resolve, reject) => reject(new Error("late"))) },
    isRight: isQuick,
  },
  {
    name: "abort at 200 ms, during the wait before a retry",
    expected: "settles within 600 ms, no further call",
    abortAt: 200,
    model: thrower(() =>
      Object.assign(failing(429), { responseHeaders: { "retry-after": "3" }, headers: { "retry-after": "3" } }),
    ),
    isRight: (facts) => isQuick(facts) && isTyped(facts) && facts.modelCalls === 1,
  },
  {
    name: "the signal has fired before",
    expected: "no call at all, a failure",
    abortAt: 0,
    model: () => say("done"),
    isRight: (facts) => isTyped(facts) && facts.modelCalls === 0,
  },
  toolThrows("an Error", () => new Error("no")),
  toolThrows("null", () => null),
  toolThrows("a Symbol", () => Symbol("no")),
  toolThrows("a revoked Proxy", revoked),
  toolReturns("undefined", () => undefined),
  toolReturns("a BigInt", () => ({ n: 9007199254740993n })),
  toolReturns("a cycle", cyclic),
  toolReturns("a getter that throws", () => ({
    get a() {
      throw new Error("the getter");
    },
  })),
  {
    name: "a call of a tool that does not exist",
    expected: "the model is told and the run goes on",
    model: after([() => ask("nothing"), () => say("done")]),
    tools: { t: () => "x" },
    isRight: goesOn,
  },
  {
    name: "arguments that are no JSON",
    expected: "the model is told and the run goes on",
    model: after([() => ask("t", '{"{"a":1}'), () => say("done")]),
    tools: { t: () => "x" },
    isRight: (facts) => goesOn(facts) && facts.toolCalls === 0,
  },
  {
    name: "two calls with one id",
    expected: "both are answered, by ids of their own",
    model: after([() => ({ calls: [1, 2].map(() => ({ id: "dup", name: "t", args: "{}" })) }), () => say("done")]),
    tools: { t: () => "x" },
    isRight: (facts) => goesOn(facts) && new Set(facts.sentIds).size === 2,
  },
  {
    name: "one failing call for ever (30 turns allowed)",
    expected: "ends before 30 tool calls",
    maxSteps: 30,
    model: () => ask("t", '{"q":1}'),
    tools: { t: thrower(() => new Error("no")) },
    isRight: ({ outcome, toolCalls }) => outcome === "returned" && toolCalls < 30,
  },
  {
    name: "a listener throws after a step",
    expected: "the run does not feel it",
    model: after([() => ask("t"), () => say("done")]),
    tools: { t: () => "x" },
    listener: thrower(() => new Error("listener")),
    isRight: goesOn,
  },
  {
    name: "a listener rejects after a step",
    expected: "the run does not feel it",
    model: after([() => ask("t"), () => say("done")]),
    tools: { t: () => "x" },
    listener: () => Promise.reject(new Error("listener")),
    isRight: goesOn,
  },
  {
    name: "an empty reply",
    expected: "told from an ordinary success",
    model: () => say(""),
    isRight: ({ outcome, isFailure, isIncomplete }) => outcome === "returned" && (isFailure || isIncomplete),
  },
  {
    name: "ten thousand calls in one turn",
    expected: "settles within 10 s",
    model: after([
      () => ({ calls: Array.from({ length: 10_000 }, (_, n) => ({ id: `c${n}`, name: "t", args: "{}" })) }),
      () => say("done"),
    ]),
    tools: { t: () => "x" },
    isRight: ({ outcome }) => outcome === "returned",
  },
];
