/** A run that is killed in the middle: another process goes on with it, and repeats nothing that was done. */
import { spawnSync } from "node:child_process";
import { appendFileSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createRuntime, defineTool, type Runtime } from "harness-kit";
import { fileStore } from "harness-kit/store";
import { callTool, scriptedModel } from "harness-kit/testing";
import { z } from "zod";

const [role, folder = ""] = process.argv.slice(2);

/** Charges a card, for real: what it did is in a file. The second charge takes the process down with it. */
const charge = defineTool({
  name: "charge",
  description: "Charge a card.",
  parameters: z.object({ euro: z.number() }),
  execute: ({ euro }) => {
    appendFileSync(join(folder, "charges.txt"), `${euro} `);
    if (euro === 20 && role === "first") process.kill(process.pid, "SIGKILL");
    return `charged ${euro} euro`;
  },
});

const script = [callTool("charge", { euro: 10 }, "c1"), callTool("charge", { euro: 20 }, "c2")];

function createShop(answers: Parameters<typeof scriptedModel>[0]): Runtime {
  return createRuntime({ model: scriptedModel(answers), tools: [charge], store: fileStore(join(folder, "runs")) });
}

async function goOn(): Promise<void> {
  const run = await createShop(["I charged 10 euro; ask the bank about the 20."]).resume("may");
  for (const step of run.steps) {
    if (step.type !== "tool") continue;
    const { call, result } = step;
    console.log(`${call.id}: ${result.ok ? result.value : result.code}`);
  }
  console.log(`${run.status}: ${run.answer}`);
}

function startBoth(): void {
  const shared = mkdtempSync(join(tmpdir(), "killed-"));
  try {
    for (const each of ["first", "second"]) {
      const words = [...process.execArgv, fileURLToPath(import.meta.url), each, shared];
      const { signal, stdout } = spawnSync(process.execPath, words, { encoding: "utf8" });
      console.log(`## ${each} process${signal === null ? "" : `, ended by ${signal}`}\n${stdout.trimEnd()}`);
    }
    console.log(`## charges made\n${readFileSync(join(shared, "charges.txt"), "utf8")}`);
  } finally {
    rmSync(shared, { recursive: true });
  }
}

if (role === "first") await createShop(script).run("Charge 10 euro and 20 euro.", { runId: "may" });
else if (role === "second") await goOn();
else startBoth();
