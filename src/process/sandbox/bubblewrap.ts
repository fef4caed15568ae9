/**
 * A sandbox for Linux, by the program bwrap (bubblewrap).
 *
 * Floor 2 (process). Node only. Nothing runs in it before a self-test has failed to break out.
 */
import { realpathSync } from "node:fs";
import { errorMessage } from "../../errors/index.ts";
import { toBubblewrapCommand } from "./bubblewrap-command.ts";
import { type BubblewrapOptions, type BubblewrapSettings, resolveBubblewrapOptions } from "./bubblewrap-options.ts";
import { testBubblewrap, testBubblewrapSync } from "./bubblewrap-self-test.ts";
import { type BubblewrapScene, openView } from "./bubblewrap-view.ts";
import { sandboxFailure } from "./failure.ts";
import { findBubblewrap } from "./find-bubblewrap.ts";
import type { Mount } from "./mounts.ts";
import { systemMounts } from "./system-view.ts";
import type { Sandbox, SandboxCheck, SandboxedCommand, SpawnSpec } from "./types.ts";

/** A {@link Sandbox} that can say whether it works here, and that works for `runProcessSync`, too. */
export type BubblewrapSandbox = Required<Sandbox>;

/**
 * Creates a sandbox in which commands write to the workspace and to nothing else, read the programs of the
 * system and nothing of your home directory, reach no network, and see only their own processes. Needs Linux
 * and bubblewrap 0.8; where that is missing, or the self-test finds a way out, nothing runs.
 *
 * @throws TypeError when an option makes no sense, or the workspace does not exist.
 * @example
 * const sandbox = bubblewrapSandbox({ workspace: "/srv/project" });
 * const result = await runProcess("npm", ["test"], { cwd: "/srv/project", sandbox });
 */
export function bubblewrapSandbox(options: BubblewrapOptions): BubblewrapSandbox {
  const settings = resolveBubblewrapOptions(options);
  let system: readonly Mount[] | undefined;
  const wrapSync = (spec: SpawnSpec) => {
    const program = findBubblewrap(settings);
    system ??= systemMounts(settings.network);
    return wrapBare(program, { settings, system }, spec);
  };
  const untested: BubblewrapSandbox = {
    name: "bubblewrap",
    guarantees: { fsWrite: "listed", fsRead: "listed", net: settings.network ? "open" : "closed", proc: "closed" },
    description: description(settings),
    check: () => Promise.resolve({ ok: true }),
    wrap: async (spec) => wrapSync(spec),
    wrapSync,
  };
  return Object.freeze(onceTested({ sandbox: untested, settings }));
}

/** Puts the self-test before the first command. Only success is kept: what failed may have been a moment's lack. */
function onceTested({ sandbox, settings }: { sandbox: BubblewrapSandbox; settings: BubblewrapSettings }) {
  let isTested = false;
  let running: Promise<void> | undefined;

  function test(): Promise<void> {
    if (isTested) return Promise.resolve();
    running ??= testBubblewrap({ sandbox, settings })
      .then(() => {
        isTested = true;
      })
      .finally(() => {
        running = undefined;
      });
    return running;
  }

  return {
    ...sandbox,
    check: (): Promise<SandboxCheck> =>
      test().then(
        () => ({ ok: true }),
        (error: unknown) => ({ ok: false, reason: errorMessage(error) }),
      ),
    wrap: async (spec: SpawnSpec) => {
      await test();
      return sandbox.wrap(spec);
    },
    wrapSync(spec: SpawnSpec) {
      if (!isTested) testBubblewrapSync({ sandbox, settings });
      isTested = true;
      return sandbox.wrapSync(spec);
    },
  };
}

function wrapBare(program: string, scene: BubblewrapScene, spec: SpawnSpec): SandboxedCommand {
  if (spec.background === "keep") {
    throw sandboxFailure('Nothing outlives its command in bubblewrap. Leave background at "kill".');
  }
  const { mounts, release } = openView(scene, spec.env["HOME"]);
  const command = toBubblewrapCommand(
    { program, mounts, network: scene.settings.network },
    { ...spec, cwd: realCwd(spec.cwd) },
  );
  return { ...command, release };
}

/** Links above the workspace are not there inside. */
function realCwd(cwd: string): string {
  try {
    return realpathSync(cwd);
  } catch {
    return cwd;
  }
}

function description({ workspace, writable, network, absentNames }: BubblewrapSettings): string {
  const places = [workspace, ...writable, "/tmp"].join(", ");
  const files = absentNames.filter((name) => !name.endsWith("/"));
  const placeholders = files.length === 0 ? "" : ` Where ${files.join(", ")} are empty, they are placeholders.`;
  return `Commands run in a sandbox: they can write to ${places} only, see nothing of home directories and ${network ? "reach the network" : "reach no network"}; what they write to /tmp is gone after each command.${placeholders}`;
}
