/** An approval that comes later: one process pauses with a question and ends, another reads it, decides and goes on. */
import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type AgentRun, createRuntime, parseRun, type Runtime } from "harness-kit";
import { localModel } from "harness-kit/models/local";
import { createGate } from "harness-kit/permission";
import { bashTool, calculator } from "harness-kit/tools";

/** Both processes make the same runtime: an approval holds only under the rules that asked for it. */
function createPausingRuntime(): Runtime {
  const gate = createGate({
    rules: [
      { tool: "calculator", decision: "allow" },
      { tool: "bash", decision: "ask", reason: "A person looks at every command." },
    ],
    onAsk: "pause",
    approverTimeoutMs: 3 * 24 * 60 * 60_000,
    // Signs the question, so that nobody can change the record on its way. Both processes know it.
    secret: Buffer.from(process.env["APPROVAL_SECRET"] ?? "", "hex"),
  });
  return createRuntime({ model: localModel(), tools: [calculator, bashTool()], permission: gate });
}

async function ask(file: string): Promise<void> {
  const run = await createPausingRuntime().run("What is 17 * 38? And run `echo published`");
  console.log(`${run.status}: ${run.pending?.length} question, calls done: ${callsOf(run)}`);
  writeFileSync(file, JSON.stringify(run));
}

async function decide(file: string): Promise<void> {
  const paused = parseRun(readFileSync(file, "utf8"));
  const decisions = (paused.pending ?? []).map(({ id, reason, display }) => {
    console.log(`${display.title} (${reason})`);
    for (const { name, text } of display.fields) console.log(`  ${name}: ${text}`);
    // Here a person would answer. What looks odd is not approved unseen.
    return display.flags.length === 0 ? { id, decision: "allow" as const } : { id, decision: "deny" as const };
  });
  const run = await createPausingRuntime().resume(paused, decisions);
  console.log(`${run.status}, calls done: ${callsOf(run)}\n${run.answer}`);
}

/** The calls that were run: the calculator was, before the pause, and is not run again. */
function callsOf({ steps }: AgentRun): string {
  return steps.flatMap((step) => (step.type === "tool" ? step.call.name : [])).join(", ");
}

function startBoth(): void {
  const folder = mkdtempSync(join(tmpdir(), "approval-"));
  const env = { ...process.env, APPROVAL_SECRET: randomBytes(32).toString("hex") };
  try {
    for (const role of ["ask", "decide"]) {
      console.log(`## process: ${role}`);
      const words = [...process.execArgv, fileURLToPath(import.meta.url), role, join(folder, "run.json")];
      process.stdout.write(execFileSync(process.execPath, words, { env }));
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const [role, file = ""] = process.argv.slice(2);
if (role === "ask") await ask(file);
else if (role === "decide") await decide(file);
else startBoth();
