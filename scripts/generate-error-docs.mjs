/**
 * Writes docs/errors.md from the table of codes. With --check it only compares, for tests and CI.
 */

import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = new URL("../", import.meta.url);
const page = new URL("docs/errors.md", root);

async function loadErrors() {
  const entry = fileURLToPath(new URL("src/errors/index.ts", root));
  const { outputFiles } = await build({
    entryPoints: [entry],
    bundle: true,
    write: false,
    format: "esm",
    platform: "neutral",
  });
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString("base64")}`);
}

const KIND_NOTES = {
  model: "The provider, the way to it, or the adapter in front of it. `ModelError`.",
  tool: "A tool. `ToolError`. Never retryable by itself, because a tool may have changed the world: `TOOL_TIMEOUT` and `TOOL_THREW` become retryable when the tool is declared `idempotent` and the cause may pass.",
  runtime: "The run itself. `RuntimeError`.",
  context: "A message, a history or a snapshot. `ContextError`.",
  permission: "The permission gate. `PermissionError`. The action was not carried out.",
};

const INTRODUCTION = `# Errors

<!-- Generated from src/errors by scripts/generate-error-docs.mjs. Change the table there, not this page. -->

Every failure has a \`kind\` (whose layer failed), a \`code\` (what happened), \`retryable\` (may the *same* call succeed unchanged?) and its original \`cause\`. Switch on \`kind\` and \`code\`; never read a message to decide.

\`\`\`ts
import { isHarnessError, toHarnessError } from "harness-kit/errors";

try {
  await callTheModel();
} catch (caught) {
  const error = toHarnessError(caught, "model", { signal });
  if (error.code === "MODEL_AUTH") askForKey();
  else if (error.retryable) scheduleAgain(error.retryAfterMs ?? 1_000);
  else report(error.toJSON());
}
\`\`\`

Codes are open: define your own with \`defineErrorCode\`, or pass any string. A code overrides the default of its class, and an explicit \`retryable\` overrides the code.

What was found besides is on the error: \`status\`, \`retryAfterMs\` (as asked, without a ceiling), \`providerCode\` (the provider's own word), \`requestId\`, \`attempts\`, \`retryState\` (why nothing more was tried) and \`detail\`. \`toJSON()\` gives bounded JSON, \`deserializeError\` makes an error of it again, \`explainError\` puts it into plain lines.

**Secrets.** Messages are redacted when an error is adopted and again when it is written: the known forms of keys, tokens, headers and passwords. That is not a guarantee. Pass \`secrets\` with the exact values that must not appear, or \`redact\` for a step of your own. Foreign errors are kept as \`cause\` untouched; their own properties are neither printed by \`console.log(error)\` nor written to JSON.

**Two copies.** \`instanceof\` and \`isHarnessError\` know the errors of every copy of the package (ESM and CJS, two installs, another realm). Across \`postMessage\` send \`error.toJSON()\` and revive it with \`deserializeError\`: structured cloning loses the class.`;

function table(codes) {
  const rows = codes.map(
    ([code, { retryable, title, advice }]) => `| \`${code}\` | ${retryable ? "yes" : "no"} | ${title} | ${advice} |`,
  );
  return ["| code | retryable | what happened | what to do |", "| --- | --- | --- | --- |", ...rows].join("\n");
}

function writePage({ ERROR_CODES, ERROR_KINDS }) {
  const sections = ERROR_KINDS.map((kind) => {
    const codes = Object.entries(ERROR_CODES).filter(([, definition]) => definition.kind === kind);
    return `## ${kind}\n\n${KIND_NOTES[kind]}\n\n${table(codes)}`;
  });
  return `${[INTRODUCTION, ...sections].join("\n\n")}\n`;
}

const text = writePage(await loadErrors());
if (process.argv.includes("--check")) {
  if (readFileSync(page, "utf8") !== text) {
    console.error("docs/errors.md does not match the table of codes. Run: node scripts/generate-error-docs.mjs");
    process.exitCode = 1;
  }
} else {
  writeFileSync(page, text);
}
