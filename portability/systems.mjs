/** Node, Bun and Deno: the whole suite, by import and by require, and the command line. */
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { runCommand } from "./command.mjs";

/** The running Node, nothing to download; it has kept the contracts in `npm test`. */
export const thisNode = systemPlatform({ program: [process.execPath], hasContracts: false });

/** A release that npm brings: npx keeps it in its cache, and this repository stays free of it. */
export const byNpx = (release, run = []) => systemPlatform({ program: ["npx", "--yes", release], run });

function systemPlatform({ program, run = [], hasContracts = true }) {
  return async (consumer, endpoint) => {
    const { folder: cwd, installed } = consumer;
    const asked = await runCommand([...program, "--version"], { cwd });
    if (asked.code !== 0) return { missing: lastLine(asked.stderr) };
    const version = /\d+\.\d+\.\d+/.exec(asked.stdout)?.[0];
    const hasSandbox = await canSandbox(consumer);
    const results = [];
    for (const format of ["import", "require"]) {
      const asks = { endpoint, format, hasSandbox, hasContracts: hasContracts && format === "import" };
      const script = [join(cwd, "entries/system.mjs"), JSON.stringify(asks)];
      const ended = await runCommand([...program, ...run, ...script], { cwd });
      results.push(...readReport(ended).map((result) => ({ ...result, name: `${format}: ${result.name}` })));
    }
    const said = await runCommand([...program, ...run, join(installed, "dist/cli.js"), "--demo", "What is 17 * 38?"], {
      cwd,
    });
    const isRight = said.code === 0 && said.stdout.includes("17 * 38 = 646.");
    results.push({ name: "the command line answers", ...(!isRight && { error: `${said.stdout}${said.stderr}` }) });
    return { version, results };
  };
}

/** Whether this machine can run bubblewrap; where it can, every platform must. */
async function canSandbox({ folder, installed }) {
  const { bubblewrapSandbox } = await import(pathToFileURL(join(installed, "dist/process.js")).href);
  return (await bubblewrapSandbox({ workspace: folder }).check()).ok;
}

/** What a suite printed; one that died is a failure of its own. */
function readReport({ code, stdout, stderr }) {
  try {
    if (code === 0) return JSON.parse(lastLine(stdout));
  } catch {
    // It is no report.
  }
  return [{ name: "the suite runs to its end", error: `exit code ${code}\n${stdout}${stderr}` }];
}

const lastLine = (text) => text.trim().split("\n").at(-1) ?? "";
