/** The part of the suite that needs nothing but the web platform, for pages and for bundles. */
import * as root from "harness-kit";
import { compaction } from "harness-kit/compaction";
import * as errors from "harness-kit/errors";
import { aiSdkModel } from "harness-kit/models/ai-sdk";
import { anthropicModel } from "harness-kit/models/anthropic";
import { httpModel } from "harness-kit/models/http";
import { localModel } from "harness-kit/models/local";
import { openaiModel } from "harness-kit/models/openai";
import { openaiResponsesModel } from "harness-kit/models/openai-responses";
import { equal, report } from "../suite/checks.mjs";
import { modelChecks, networkChecks } from "../suite/models.mjs";
import { runChecks } from "../suite/runs.mjs";

const models = { openai: openaiModel, anthropic: anthropicModel, responses: openaiResponsesModel, local: localModel };

/** What else is for every platform: it must be there, and bring nothing of Node with it. */
const others = { aiSdkModel, compaction, httpModel };

/** Runs it and returns the report. */
export function smoke(endpoint) {
  const kit = { root, errors, models };
  const isThere = ([name, value]) => [`${name} is there`, () => equal(typeof value, "function", name)];
  return report({
    ...Object.fromEntries(Object.entries(others).map(isThere)),
    ...runChecks(kit),
    ...modelChecks(kit),
    ...networkChecks(kit, endpoint),
  });
}
