/**
 * What `spawnSync` itself says, and what we make of it. When a new Node changes one of these, this
 * table tells which.
 */
import { type SpawnSyncOptions, spawnSync } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { type ProcessOptions, runProcessSync } from "../../src/process/index.ts";
import { makeFixtures } from "./case-runner.ts";

const fixtures = makeFixtures();
const at = (name: string) => join(fixtures, name);

afterAll(() => rmSync(fixtures, { recursive: true, force: true }));

interface Observation {
  id: string;
  file: string;
  args?: string[];
  options?: ProcessOptions;
  /** Node's `error.code`, also of what it throws. */
  errno?: string;
  status: number | null;
  signal?: NodeJS.Signals;
  /** `null`: Node gives no output at all. */
  stdout: string | null;
  /** What we call it. */
  code: string;
}

const script = (id: string, text: string, rest: Omit<Observation, "id" | "file" | "args">): Observation => ({
  id,
  file: "bash",
  args: ["-c", text],
  ...rest,
});

const unstarted = (
  id: string,
  file: string,
  errno: string,
  code: string,
  rest: Partial<Observation> = {},
): Observation => ({
  id,
  file,
  errno,
  code,
  status: null,
  stdout: null,
  ...rest,
});

const exit = (id: string, text: string, status: number, stdout = ""): Observation =>
  script(id, text, { status, stdout, code: status === 0 ? "EXIT_ZERO" : "EXIT_NONZERO" });

const killed = (id: string, text: string, signal: NodeJS.Signals, stdout = ""): Observation =>
  script(id, text, { status: null, signal, stdout, code: "PROCESS_SIGNALED" });

const timeoutMs = 300;

const observations: Observation[] = [
  exit("ok", "echo hi", 0, "hi\n"),
  exit("exit3", "exit 3", 3),
  exit("exit0-stderr", "echo out; echo warn >&2", 0, "out\n"),
  unstarted("enoent-program", "/no/such/prog", "ENOENT", "COMMAND_NOT_FOUND"),
  unstarted("enoent-path-lookup", "no-such-prog-xyz", "ENOENT", "COMMAND_NOT_FOUND"),
  unstarted("enoent-cwd", "true", "ENOENT", "CWD_NOT_FOUND", { options: { cwd: "/no/such/dir" } }),
  unstarted("cwd-is-file", "true", "ENOTDIR", "CWD_NOT_DIRECTORY", { options: { cwd: at("afile") } }),
  unstarted("eacces-noexec", at("noexec.sh"), "EACCES", "PERMISSION_DENIED"),
  unstarted("dir-as-program", at("adir"), "EACCES", "PERMISSION_DENIED"),
  unstarted("bad-shebang", at("badshebang"), "ENOENT", "INTERPRETER_NOT_FOUND"),
  { id: "no-shebang", file: at("noshebang"), status: 0, stdout: "hi\n", code: "EXIT_ZERO" },
  unstarted("enotdir-program", at("afile/x"), "ENOTDIR", "COMMAND_NOT_FOUND"),
  unstarted("arg-131072", "true", "E2BIG", "ARGUMENTS_TOO_LONG", { args: ["x".repeat(131_072)] }),
  { id: "arg-131071", file: "true", args: ["x".repeat(131_071)], status: 0, stdout: "", code: "EXIT_ZERO" },
  unstarted("e2big-total", "true", "E2BIG", "ARGUMENTS_TOO_LONG", { args: Array(100).fill("x".repeat(100_000)) }),
  unstarted("env-e2big", "true", "E2BIG", "ARGUMENTS_TOO_LONG", { options: { env: { BIG: "x".repeat(140_000) } } }),
  unstarted("nul-arg", "true", "ERR_INVALID_ARG_VALUE", "INVALID_ARGUMENT", { args: ["a\u0000b"] }),
  unstarted("nul-program", "tr\u0000ue", "ERR_INVALID_ARG_VALUE", "INVALID_ARGUMENT"),
  unstarted("nul-cwd", "true", "ERR_INVALID_ARG_VALUE", "INVALID_ARGUMENT", { options: { cwd: "/\u0000" } }),
  unstarted("nul-env", "true", "ERR_INVALID_ARG_VALUE", "INVALID_ARGUMENT", { options: { env: { A: "\u0000" } } }),
  unstarted("empty-command", "", "ERR_INVALID_ARG_VALUE", "INVALID_ARGUMENT"),
  unstarted("name-too-long", "x".repeat(300), "ENAMETOOLONG", "INVALID_ARGUMENT"),
  unstarted("bad-timeout", "true", "ERR_OUT_OF_RANGE", "INVALID_ARGUMENT", { options: { timeoutMs: -1 } }),
  unstarted("nan-timeout", "true", "ERR_OUT_OF_RANGE", "INVALID_ARGUMENT", { options: { timeoutMs: Number.NaN } }),
  unstarted("float-timeout", "true", "ERR_OUT_OF_RANGE", "INVALID_ARGUMENT", { options: { timeoutMs: 1.5 } }),
  { id: "timeout-0", file: "true", options: { timeoutMs: 0 }, status: 0, stdout: "", code: "EXIT_ZERO" },
  script("timeout-partial", "echo partial; exec sleep 5", {
    options: { timeoutMs },
    errno: "ETIMEDOUT",
    status: null,
    signal: "SIGKILL",
    stdout: "partial\n",
    code: "PROCESS_TIMEOUT",
  }),
  script("timeout-ignore-term-kill", 'trap "" TERM; echo trapped; while :; do sleep 0.05; done', {
    options: { timeoutMs },
    errno: "ETIMEDOUT",
    status: null,
    signal: "SIGKILL",
    stdout: "trapped\n",
    code: "PROCESS_TIMEOUT",
  }),
  script("grandchild-holds-timeout", "sleep 3 & echo started", {
    options: { timeoutMs: 700 },
    errno: "ETIMEDOUT",
    status: 0,
    stdout: "started\n",
    code: "EXIT_ZERO",
  }),
  script("maxbuffer-plus1", "printf 0123456789A; exec sleep 5", {
    options: { maxOutputBytes: 10 },
    errno: "ENOBUFS",
    status: null,
    signal: "SIGKILL",
    stdout: "0123456789A",
    code: "PROCESS_OUTPUT_LIMIT",
  }),
  script("maxbuffer-exact", "printf 0123456789", {
    options: { maxOutputBytes: 10 },
    status: 0,
    stdout: "0123456789",
    code: "EXIT_ZERO",
  }),
  killed("self-kill-9", "echo before; kill -9 $$", "SIGKILL", "before\n"),
  killed("self-term", "kill -TERM $$", "SIGTERM"),
  killed("self-segv", "kill -SEGV $$", "SIGSEGV"),
  killed("self-int", "kill -INT $$", "SIGINT"),
  killed("self-hup", "kill -HUP $$", "SIGHUP"),
  exit("inner-kill-137", 'sh -c "kill -9 \\$\\$"; exit $?', 137),
  exit("bash-127", "no-such-cmd-zz", 127),
  exit("bash-126", at("noexec.sh"), 126),
  exit("exit128", "exit 128", 128),
  exit("exit143", "exit 143", 143),
  exit("exit256", "exit 256", 0),
  exit("exit-1", "exit -1", 255),
  exit("bash-syntax-2", "if then", 2),
  exit("pipefail-off", "false | true", 0),
  exit("pipefail-sigpipe-141", "set -o pipefail; yes | head -1", 141, "y\n"),
  exit("grep-1", "grep zzz /etc/hostname", 1),
  exit("grep-2", "grep x /no/such", 2),
  exit("timeout-124", "timeout 0.2 sleep 3", 124),
  exit("arith-1", "(( 1 > 2 ))", 1),
  exit("invalid-utf8", 'printf "a\\xff\\xfeb"', 0, "a\uFFFD\uFFFDb"),
  exit("nul-in-output", 'printf "a\\0b"', 0, "a\u0000b"),
  exit("multibyte-split", 'printf "\\xe4\\xbd"; sleep 0.1; printf "\\xa0"', 0, "你"),
  exit("lone-surrogate-arg", 'printf %s "a\uD800b"', 0, "a\uFFFDb"),
  { id: "stdin-input", file: "cat", options: { input: "hello" }, status: 0, stdout: "hello", code: "EXIT_ZERO" },
  script("stdin-unread-sync", "exit 0", {
    options: { input: "x".repeat(5_000_000) },
    errno: "EPIPE",
    status: 0,
    stdout: "",
    code: "EXIT_ZERO",
  }),
  exit("stdin-ignore", "cat; echo rc=$?", 0, "rc=0\n"),
];

/** The same call, as close to Node as it gets. */
function raw({ file, args = [], options = {} }: Observation) {
  const { timeoutMs: timeout, maxOutputBytes: maxBuffer, cwd, env, input } = options;
  const given = { timeout, maxBuffer, cwd, env: env && { ...process.env, ...env }, input };
  const present = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  const stdin = input === undefined ? "ignore" : "pipe";
  const call: SpawnSyncOptions = { ...present, killSignal: "SIGKILL", stdio: [stdin, "pipe", "pipe"] };
  try {
    const { error, status, signal, stdout } = spawnSync(file, args, call);
    return {
      errno: (error as NodeJS.ErrnoException | undefined)?.code,
      status,
      signal,
      stdout: stdout?.toString() ?? null,
    };
  } catch (error) {
    return { errno: (error as NodeJS.ErrnoException).code, status: null, signal: null, stdout: null };
  }
}

describe.each(observations)("$id", (one) => {
  it("is what Node says", () => {
    expect(raw(one)).toEqual({
      errno: one.errno,
      status: one.status,
      signal: one.signal ?? null,
      stdout: one.stdout,
    });
  });

  it("has the name that we give it", () => {
    const result = runProcessSync(one.file, one.args, one.options);
    expect(result).toMatchObject({ code: one.code, errno: one.errno, stdout: one.stdout ?? "" });
    if (result.status !== "notStarted") {
      expect(result).toMatchObject({ exitCode: one.status });
      expect(result.pid).toBeGreaterThan(0);
    }
  });
});
