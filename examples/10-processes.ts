/** Four commands, three ways to run them: what each way keeps of the evidence. */
import { execFileSync, spawnSync } from "node:child_process";
import { describeProcess, runProcessSync } from "harness-kit/process";

const experiments: [title: string, file: string, args: string[]][] = [
  ["success", "bash", ["-c", "echo hi"]],
  ["exit 3", "bash", ["-c", "exit 3"]],
  ["output on both streams, exit 3", "bash", ["-c", "echo out; echo err >&2; exit 3"]],
  ["a program that is not there", "no-such-program", []],
];

for (const [title, file, args] of experiments) {
  console.log(`## ${title}`);
  console.log(`execFileSync   : ${viaExecFileSync(file, args)}`);
  console.log(`spawnSync      : ${viaSpawnSync(file, args)}`);
  const result = runProcessSync(file, args);
  const end = result.status === "completed" ? `exit ${result.exitCode}` : result.code;
  console.log(`runProcessSync : ${result.status}, ${end}, ${JSON.stringify([result.stdout, result.stderr])}`);
  console.log(`for a model    : ${JSON.stringify(describeProcess(result))}`);
}

/** Throws for a failed command and for a missing program alike; on success stderr is gone. */
function viaExecFileSync(file: string, args: string[]): string {
  try {
    return `returned ${JSON.stringify(execFileSync(file, args, { encoding: "utf8", stdio: "pipe" }))}, stderr is lost`;
  } catch (error) {
    const { status, code, stdout, stderr } = error as {
      status?: unknown;
      code?: unknown;
      stdout?: unknown;
      stderr?: unknown;
    };
    return `threw status=${status} code=${code} ${JSON.stringify([stdout, stderr])}`;
  }
}

/** Returns for both; a missing program has null where the output would be. */
function viaSpawnSync(file: string, args: string[]): string {
  const { status, error, stdout, stderr } = spawnSync(file, args, { encoding: "utf8" });
  const code = error === undefined ? undefined : (error as NodeJS.ErrnoException).code;
  return `returned status=${status} error=${code} ${JSON.stringify([stdout, stderr])}`;
}
