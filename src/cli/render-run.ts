/**
 * Prints a run as it happens, and its end.
 *
 * Command line. Takes the events of one run in order; what it prints is made harmless first.
 */
import type { AgentEvent, EventOf } from "../contract/event.ts";
import type { AgentRun } from "../contract/run.ts";
import { formatCount } from "../util/text.ts";
import { adviceFor } from "./advice.ts";
import type { Colors, Paint } from "./colors.ts";
import { stepLine } from "./step-line.ts";
import { createVisiblePieces, visibleLine, visibleText } from "./visible.ts";

const MAX_MESSAGE_CHARS = 600;
/** Lines under a label begin where its text began. */
const INDENT = " ".repeat(10);

export interface RunRenderer {
  event(event: AgentEvent): void;
  end(run: AgentRun): void;
}

/** Text that is being streamed, under its label. */
interface OpenText {
  readonly label: string;
  readonly toVisible: (piece: string) => string;
}

export function createRunRenderer(write: (text: string) => void, colors: Colors): RunRenderer {
  let open: OpenText | undefined;

  function print(line: string): void {
    if (open !== undefined) write("\n");
    open = undefined;
    write(`${line}\n`);
  }

  function stream(label: string, text: string, paint: Paint): void {
    if (open?.label !== label) {
      if (open !== undefined) write("\n");
      open = { label, toVisible: createVisiblePieces() };
      write(`${colors.dim(label)} `);
    }
    write(paint(open.toVisible(text)).replaceAll("\n", `\n${INDENT}`));
  }

  return {
    event(event) {
      if (event.type === "model:delta") return stream("Text    :", event.text, (text) => text);
      if (event.type === "model:reasoning") return stream("Thought :", event.text, colors.dim);
      const line = lineOf(event, colors);
      if (line !== undefined) print(line);
    },
    end(run) {
      for (const line of endLines(run, colors)) print(line);
    },
  };
}

function lineOf(event: AgentEvent, colors: Colors): string | undefined {
  switch (event.type) {
    case "run:start":
      return `${field("Run ID", event.runId, colors)}\n${field("Input", event.input, colors)}`;
    case "step":
      return stepLine(event.step, colors);
    case "model:retry":
    case "tool:retry":
      return colors.yellow(retryLine(event));
    case "model:fallback":
      return colors.yellow(`Note    : ${visibleLine(`${event.to} takes over from ${event.from}`, MAX_MESSAGE_CHARS)}`);
    case "limit:warning":
      return colors.yellow(`Note    : ${visibleLine(event.message, MAX_MESSAGE_CHARS)}`);
    case "tool:abandoned":
      return colors.yellow(`Note    : the call ${visibleLine(event.callId, 64)} did not stop and is left behind`);
    default:
      return undefined;
  }
}

function retryLine(event: EventOf<"model:retry"> | EventOf<"tool:retry">): string {
  const what = event.type === "model:retry" ? "model" : "tool";
  const message = visibleLine(event.message, MAX_MESSAGE_CHARS);
  const count = `attempt ${event.attempt} of ${event.maxAttempts}`;
  return `Retry   : ${what} ${count} failed, next in ${formatCount(Math.round(event.delayMs))} ms · ${event.code}: ${message}`;
}

/** A label and its text, of which further lines are indented. */
export function field(label: string, text: string, colors: Colors, paint: Paint = (same) => same): string {
  const [first = "", ...more] = visibleText(text).split("\n");
  return [`${colors.dim(`${label.padEnd(8)}:`)} ${paint(first)}`, ...more.map((line) => INDENT + paint(line))].join(
    "\n",
  );
}

function endLines(run: AgentRun, colors: Colors): string[] {
  const hasFailed = run.status === "failed" || run.status === "aborted";
  const paint = run.status === "completed" ? (run.incomplete ? colors.yellow : colors.green) : colors.red;
  const answer =
    hasFailed && run.answer === "" ? [] : [field("Answer", run.answer.trimEnd() || "(none)", colors, colors.bold)];
  return [
    ...answer,
    field("Steps", countsOf(run), colors),
    field("Status", statusOf(run), colors, paint),
    ...adviceFor(run).map((line) => INDENT + visibleLine(line, MAX_MESSAGE_CHARS)),
  ];
}

function countsOf({ iterations, history, steps, startedAt, endedAt, usage }: AgentRun): string {
  const tokens = usage.inputTokens + usage.outputTokens;
  return [
    count(iterations, "turn"),
    count(history.length, "message"),
    count(steps.length, "step"),
    `${formatCount(endedAt - startedAt)} ms`,
    ...(tokens > 0 ? [count(tokens, "token")] : []),
  ].join(" · ");
}

function count(number: number, noun: string): string {
  return `${formatCount(number)} ${noun}${number === 1 ? "" : "s"}`;
}

function statusOf({ status, stopReason, incomplete, error, errorKind, errorCode }: AgentRun): string {
  const outcome = `${status} (${stopReason})${incomplete === true ? " · incomplete" : ""}`;
  if (error === undefined) return outcome;
  return `${outcome} · [${errorKind}] ${errorCode}: ${visibleLine(error, MAX_MESSAGE_CHARS)}`;
}
