/**
 * Drives runtimes by the same faults and prints what each made of them, as the table of `docs/faults.md`.
 *
 * npm run build && node scripts/faults.mjs            # harness-kit from dist/, and the AI SDK
 * node scripts/faults.mjs --kit /path/to/index.js     # another build
 */
import { pathToFileURL } from "node:url";
import { APICallError } from "@ai-sdk/provider";
import { aiSdk, harnessKit } from "./faults/adapters.mjs";
import { FAULTS } from "./faults/list.mjs";

const HANGS_AFTER_MS = 10_000;
const unhandled = [];
process.on("unhandledRejection", (error) => unhandled.push(error));
process.on("uncaughtException", (error) => unhandled.push(error));
process.setMaxListeners(0);

/** What a runtime made of one fault: facts, without a judgement. */
async function drive(runtime, fault) {
  let modelCalls = 0;
  let toolCalls = 0;
  let sentIds = [];
  const controller = new AbortController();
  const model = (ids) => {
    sentIds = ids;
    return fault.model(++modelCalls);
  };
  const tools = Object.fromEntries(
    Object.entries(fault.tools ?? {}).map(([name, execute]) => [
      name,
      () => {
        toolCalls++;
        return execute();
      },
    ]),
  );
  if (fault.abortAt === 0) controller.abort();
  else if (fault.abortAt !== undefined) setTimeout(() => controller.abort(), fault.abortAt);
  const before = unhandled.length;
  const startedAt = performance.now();
  const given = {
    model: (ids) => asApiError(runtime, () => model(ids)),
    tools,
    signal: controller.signal,
    maxSteps: fault.maxSteps ?? 20,
    listener: fault.listener,
  };
  let timer;
  const facts = await Promise.race([
    runtime.run(given).then(
      (result) => ({ outcome: "returned", ...result }),
      (error) => ({ outcome: "rejected", seen: "", error: nameOf(error), isError: error instanceof Error }),
    ),
    new Promise((resolve) => {
      timer = setTimeout(resolve, HANGS_AFTER_MS, { outcome: "hung", seen: "" });
    }),
  ]);
  clearTimeout(timer);
  const ms = performance.now() - startedAt;
  await new Promise((resolve) => setTimeout(resolve, fault.abortAt === undefined ? 20 : 500));
  return { ...facts, ms, modelCalls, toolCalls, sentIds, unhandled: unhandled.length - before };
}

/** The AI SDK retries only errors of its own class, as its providers throw them. */
async function asApiError(runtime, call) {
  try {
    return await call();
  } catch (error) {
    const status = runtime.name.startsWith("ai ") ? statusOf(error) : undefined;
    if (status === undefined) throw error;
    throw new APICallError({
      message: error.message,
      statusCode: status,
      url: "",
      requestBodyValues: {},
      responseHeaders: error.responseHeaders,
    });
  }
}

function statusOf(error) {
  try {
    return error?.status;
  } catch {
    return undefined;
  }
}

function nameOf(error) {
  try {
    return String(error?.name ?? error);
  } catch {
    return "an unreadable value";
  }
}

function cell(fault, facts) {
  if (facts.unhandled > 0) return `**unhandled rejection** (${facts.outcome})`;
  if (fault.isRight(facts)) return "ok";
  const took = facts.ms >= 600 ? `, ${Math.round(facts.ms)} ms` : "";
  const calls = `, ${facts.modelCalls} model and ${facts.toolCalls} tool calls`;
  return `**${facts.outcome}**${facts.error === undefined ? "" : ` ${facts.error}`}${took}${calls}`;
}

const kitAt = process.argv.indexOf("--kit");
const kit =
  kitAt === -1 ? new URL("../dist/index.js", import.meta.url).href : pathToFileURL(process.argv[kitAt + 1]).href;
const runtimes = [await harnessKit(kit), await aiSdk()];
const broken = runtimes.map(() => 0);
console.log(`| fault | right outcome | ${runtimes.map(({ name }) => name).join(" | ")} |`);
console.log(`|---|---|${runtimes.map(() => "---|").join("")}`);
for (const fault of FAULTS) {
  const cells = [];
  for (const [index, runtime] of runtimes.entries()) {
    const said = cell(fault, await drive(runtime, fault));
    if (said !== "ok") broken[index]++;
    cells.push(said);
  }
  console.log(`| ${fault.name} | ${fault.expected} | ${cells.join(" | ")} |`);
}
console.log(`| **broken of ${FAULTS.length}** | | ${broken.join(" | ")} |`);
process.exit(broken[0] === 0 ? 0 : 1);
