/** What the package is tried on. `local`: needs nothing that is not here after `npm ci`. */
import { inChromium } from "./browser.mjs";
import { inBareRealm, inWorkerd } from "./bundle.mjs";
import { byNpx, thisNode } from "./systems.mjs";
import { compiled } from "./types.mjs";

export const PLATFORMS = {
  node: { local: true, run: thisNode },
  chromium: { local: true, run: inChromium },
  bundle: { local: true, run: inBareRealm },
  types: { local: true, run: compiled },
  node20: { local: false, run: byNpx("node@20") },
  node22: { local: false, run: byNpx("node@22") },
  node24: { local: false, run: byNpx("node@24") },
  bun: { local: false, run: byNpx("bun@latest") },
  deno: { local: false, run: byNpx("deno@latest", ["run", "--allow-all"]) },
  workerd: { local: false, run: inWorkerd },
};
