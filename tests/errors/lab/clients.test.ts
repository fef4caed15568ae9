import { ModelError, modelErrorFromResponse, RuntimeError, toHarnessError } from "harness-kit/errors";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CLIENTS } from "./clients.ts";
import { closedPort, type LabServer, startLab, startTlsLab } from "./lab-server.ts";

let lab: LabServer;
let tls: LabServer;
let closed: number;

beforeAll(async () => {
  [lab, tls, closed] = await Promise.all([startLab(), startTlsLab(), closedPort()]);
});
afterAll(async () => {
  await Promise.all([lab.close(), tls.close()]);
});

/** What a promise rejects with. A call that succeeds fails the test. */
async function failureOf(call: Promise<unknown>): Promise<unknown> {
  const value = await call.then(
    (answer) => ({ answer }),
    (error: unknown) => ({ error }),
  );
  if ("answer" in value) throw new Error(`The call succeeded with ${JSON.stringify(value.answer)}.`);
  return value.error;
}

const verdict = (value: unknown) => {
  const { kind, code, retryable } = toHarnessError(value, "model");
  return `${kind} ${code} ${retryable ? "yes" : "no"}`;
};
const at = (scenario: string) => `http://127.0.0.1:${lab.port}/${scenario}`;

const answers: [scenario: string, expected: string][] = [
  ["reset-pre", "MODEL_NETWORK yes"],
  ["fin-pre", "MODEL_NETWORK yes"],
  ["reset-headers", "MODEL_NETWORK yes"],
  ["fin-headers", "MODEL_NETWORK yes"],
  ["garbage", "MODEL_BAD_RESPONSE yes"],
  ["reset-body", "MODEL_NETWORK yes"],
  ["fin-body", "MODEL_NETWORK yes"],
  ["html-502", "MODEL_SERVER_ERROR yes"],
  ["empty-500", "MODEL_SERVER_ERROR yes"],
  ["quota", "MODEL_QUOTA_EXCEEDED no"],
  ["overflow", "MODEL_CONTEXT_OVERFLOW no"],
  ["retry-after", "MODEL_RATE_LIMITED yes"],
  ["retry-after-ms", "MODEL_OVERLOADED yes"],
  ["no-retry", "MODEL_SERVER_ERROR no"],
  ["status-400", "MODEL_INVALID_REQUEST no"],
  ["status-401", "MODEL_AUTH no"],
  ["status-402", "MODEL_QUOTA_EXCEEDED no"],
  ["status-403", "MODEL_FORBIDDEN no"],
  ["status-404", "MODEL_NOT_FOUND no"],
  ["status-405", "MODEL_INVALID_REQUEST no"],
  ["status-408", "MODEL_TIMEOUT yes"],
  ["status-409", "MODEL_SERVER_ERROR yes"],
  ["status-410", "MODEL_NOT_FOUND no"],
  ["status-413", "MODEL_CONTEXT_OVERFLOW no"],
  ["status-415", "MODEL_INVALID_REQUEST no"],
  ["status-422", "MODEL_INVALID_REQUEST no"],
  ["status-429", "MODEL_RATE_LIMITED yes"],
  ["status-500", "MODEL_SERVER_ERROR yes"],
  ["status-501", "MODEL_SERVER_ERROR no"],
  ["status-502", "MODEL_SERVER_ERROR yes"],
  ["status-503", "MODEL_OVERLOADED yes"],
  ["status-504", "MODEL_TIMEOUT yes"],
  ["status-524", "MODEL_TIMEOUT yes"],
  ["status-529", "MODEL_OVERLOADED yes"],
];

describe.each(Object.entries(CLIENTS))("what %s throws", (name, client) => {
  it.each(answers)("for %s is %s", async (scenario, expected) => {
    const before = lab.requests();
    expect(verdict(await failureOf(client.call(at(scenario))))).toBe(`model ${expected}`);
    expect(lab.requests()).toBe(before + 1);
  });

  it("for broken JSON is MODEL_BAD_RESPONSE, retryable unless the client forbids it", async () => {
    const expected = `model MODEL_BAD_RESPONSE ${name === "ai" ? "no" : "yes"}`;
    expect(verdict(await failureOf(client.call(at("html-200"))))).toBe(expected);
    expect(verdict(await failureOf(client.call(at("cut-json"))))).toBe(expected);
  });

  it("for a wait that was asked for keeps the wait", async () => {
    expect(toHarnessError(await failureOf(client.call(at("retry-after"))), "model").retryAfterMs).toBe(7_000);
    expect(toHarnessError(await failureOf(client.call(at("retry-after-ms"))), "model").retryAfterMs).toBe(150);
    expect(toHarnessError(await failureOf(client.call(at("status-503"))), "model").retryAfterMs).toBeUndefined();
  });

  it("for a refused connection is MODEL_NETWORK", async () => {
    expect(verdict(await failureOf(client.call(`http://127.0.0.1:${closed}/x`)))).toBe("model MODEL_NETWORK yes");
  });

  it("for a host that does not exist is MODEL_NETWORK", async () => {
    expect(verdict(await failureOf(client.call("http://nobody.invalid/x")))).toBe("model MODEL_NETWORK yes");
  });

  it("for TLS against a plain server, and for a certificate nobody signed, is MODEL_TLS", async () => {
    expect(verdict(await failureOf(client.call(`https://127.0.0.1:${lab.port}/x`)))).toBe("model MODEL_TLS no");
    expect(verdict(await failureOf(client.call(`https://127.0.0.1:${tls.port}/status-500`)))).toBe(
      "model MODEL_TLS no",
    );
  });

  it("for a port that is not allowed is MODEL_INVALID_REQUEST", async () => {
    expect(verdict(await failureOf(client.call("http://127.0.0.1:6000/x")))).toBe("model MODEL_INVALID_REQUEST no");
  });

  it("for its own timeout is MODEL_TIMEOUT", async () => {
    expect(verdict(await failureOf(client.callWithTimeout(at("slow-headers"), 150)))).toBe("model MODEL_TIMEOUT yes");
  });

  it.each(["slow-headers", "slow-body"])("for an abort in %s is what the signal says", async (scenario) => {
    const timeout = new ModelError("The model did not answer in time.", { code: "MODEL_TIMEOUT" });
    const deadline = new RuntimeError("The run reached its deadline.", { code: "RUN_TIMEOUT" });
    for (const reason of [timeout, deadline]) {
      expect(await abortedWith(reason, scenario)).toBe(reason);
    }
    for (const reason of [
      undefined,
      "because",
      new Error("user clicked stop"),
      new DOMException("late", "TimeoutError"),
    ]) {
      expect(await abortedWith(reason, scenario)).toMatchObject({
        kind: "runtime",
        code: "RUN_ABORTED",
        retryable: false,
      });
    }
  });

  async function abortedWith(reason: unknown, scenario: string) {
    const controller = new AbortController();
    const call = failureOf(client.call(at(scenario), controller.signal));
    setTimeout(() => controller.abort(reason), 60);
    return toHarnessError(await call, "model", { signal: controller.signal });
  }

  it("for a stream that breaks is MODEL_NETWORK, and interrupted once something was delivered", async () => {
    let delivered = 0;
    const scenario = name === "anthropic" ? "anthropic-stream-reset" : "stream-reset";
    const error = await failureOf(
      client.stream(at(scenario), () => {
        delivered += 1;
      }),
    );
    expect(verdict(error)).toBe("model MODEL_NETWORK yes");
    expect(delivered).toBeGreaterThan(0);
    const interrupted = toHarnessError(error, "model", { delivered });
    expect(interrupted).toMatchObject({
      code: "MODEL_STREAM_INTERRUPTED",
      retryable: false,
      detail: { interruptedBy: "MODEL_NETWORK" },
    });
  });

  it("for an error inside a stream is what the provider says", async () => {
    const scenario = name === "anthropic" ? "anthropic-stream-error" : "stream-error";
    const error = await failureOf(client.stream(at(scenario), () => undefined));
    expect(verdict(error)).toBe("model MODEL_OVERLOADED yes");
    expect(toHarnessError(error, "model", { delivered: 1 })).toMatchObject({
      code: "MODEL_OVERLOADED",
      retryable: false,
    });
  });

  it("shows neither the key nor the prompt when it is printed or stored", async () => {
    const error = toHarnessError(await failureOf(client.call(at("status-401"))), "model");
    const { inspect } = await import("node:util");
    expect(`${inspect(error)}${JSON.stringify(error)}`).not.toMatch(/"hi"|Bearer|x-api-key|authorization/i);
  });
});

describe("an answer read without an SDK", () => {
  it.each(
    answers.filter(
      ([scenario]) =>
        scenario.startsWith("status-") || ["quota", "overflow", "html-502", "no-retry"].includes(scenario),
    ),
  )("for %s gives the same verdict: %s", async (scenario, expected) => {
    const response = await fetch(at(scenario));
    const { status, headers } = response;
    const error = modelErrorFromResponse({ status, headers, body: await response.text() });
    expect(`${error.code} ${error.retryable ? "yes" : "no"}`).toBe(expected);
  });

  it("finds the error inside a 200", async () => {
    const response = await fetch(at("error-in-200"));
    const error = modelErrorFromResponse({ status: response.status, body: await response.text() });
    expect(error).toMatchObject({
      code: "MODEL_OVERLOADED",
      retryable: true,
      status: 200,
      providerCode: "overloaded_error",
    });
  });
});

describe("a stream that stalls", () => {
  it("is what the idle timer of the caller says, also for clients that end without an error", async () => {
    const reason = new ModelError("The stream was silent.", { code: "MODEL_TIMEOUT" });
    for (const [name, client] of Object.entries(CLIENTS)) {
      const scenario = name === "anthropic" ? "anthropic-stream-stall" : "stream-stall";
      const controller = new AbortController();
      setTimeout(() => controller.abort(reason), 100);
      const outcome = await client
        .stream(at(scenario), () => undefined, controller.signal)
        .catch((error: unknown) => error);
      expect(toHarnessError(outcome ?? "ended", "model", { signal: controller.signal })).toBe(reason);
    }
  });
});
