/**
 * What takes part in the comparison. Each gets the same model, tool and number of turns, and does the same
 * checked work: it validates arguments, runs the tool, and ends with the model's answer.
 *
 * @typedef {object} TurnOptions
 * @property {number} [calls] - Tool calls a turn.
 * @property {string} [text] - What the tool returns instead of a sum.
 * @property {boolean} [readSignal] - Model and tool look at their signal in each call.
 * @property {boolean} [pause] - Each model call takes one turn of the event loop.
 *
 * @typedef {object} Contestant
 * @property {string} name
 * @property {(turns: number, options: TurnOptions) => () => Promise<unknown>} turns
 *   Makes what is measured: one whole run. What a host makes once per process is made outside of it.
 * @property {(deltas: number) => (onText: (text: string) => void) => Promise<unknown>} [deltas]
 *   One streamed answer whose every piece reaches `onText`.
 */

/** Where each contestant is, and the package whose version stands in the table. */
export const CONTESTANTS = {
  floor: { module: "./floor.mjs", package: undefined },
  ours: { module: "./ours.mjs", package: "harness-kit" },
  "ours+listener": { module: "./ours.mjs", package: "harness-kit" },
  "ours+journal+gate": { module: "./ours.mjs", package: "harness-kit" },
  "ai (generateText)": { module: "./rivals/ai-sdk.mjs", package: "ai" },
  "openai-agents": { module: "./rivals/openai-agents.mjs", package: "@openai/agents" },
  pi: { module: "./rivals/pi.mjs", package: "@mariozechner/pi-agent-core" },
};

/** @returns {Promise<Contestant>} */
export async function loadContestant(name) {
  const found = await import(CONTESTANTS[name].module);
  const contestant = Object.values(found).find((candidate) => candidate?.name === name);
  if (contestant === undefined) throw new Error(`${CONTESTANTS[name].module} has no contestant called ${name}.`);
  return contestant;
}
