/**
 * Runs the whole suite on Node, Bun or Deno and prints its report as one line of JSON.
 *
 * system.mjs '{ "format": "import" or "require", "hasContracts": true, "hasSandbox": true, "endpoint": { "url": …, "closedUrl": … } }'
 */
import { createRequire } from "node:module";
import { report } from "../suite/checks.mjs";
import { contractChecks } from "../suite/contracts.mjs";
import { modelChecks, networkChecks } from "../suite/models.mjs";
import { runChecks } from "../suite/runs.mjs";
import { sandboxChecks } from "../suite/sandbox.mjs";
import { systemChecks } from "../suite/system.mjs";

const { format, hasContracts, hasSandbox, endpoint } = JSON.parse(process.argv[2]);
const require = createRequire(import.meta.url);
const load = format === "require" ? require : (name) => import(name);

const kit = {
  root: await load("harness-kit"),
  errors: await load("harness-kit/errors"),
  process: await load("harness-kit/process"),
  permission: await load("harness-kit/permission"),
  tools: await load("harness-kit/tools"),
  store: await load("harness-kit/store"),
  testing: await load("harness-kit/testing"),
  models: {
    openai: (await load("harness-kit/models/openai")).openaiModel,
    anthropic: (await load("harness-kit/models/anthropic")).anthropicModel,
    responses: (await load("harness-kit/models/openai-responses")).openaiResponsesModel,
    local: (await load("harness-kit/models/local")).localModel,
  },
};
const results = await report({
  ...runChecks(kit),
  ...modelChecks(kit),
  ...networkChecks(kit, endpoint),
  ...systemChecks(kit),
  ...(hasSandbox && sandboxChecks(kit)),
  ...(hasContracts && contractChecks(kit)),
});
console.log(JSON.stringify(results));
