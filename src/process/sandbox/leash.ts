/**
 * Ends sandboxed commands when this process is gone in a way that runs no code any more: SIGKILL, a crash.
 *
 * Floor 2 (process). A small shell outside of the sandbox holds the other end of a pipe and the list of
 * groups; when the pipe closes, it kills what is still on the list. bubblewrap's own `--die-with-parent`
 * would kill at the command's end, too, and with that whatever still writes: `make > >(tee log)` would
 * lose its output.
 */
import { type ChildProcess, spawn } from "node:child_process";

/** `+ 123` puts a group on the list, `- 123` takes it off. */
const SCRIPT = `
live=" "
while read -r op group; do
  case $op in
    +) live="$live$group " ;;
    -) live="\${live%% $group *} \${live#* $group }" ;;
  esac
done
for group in $live; do kill -s KILL "$group"; done`;

/** The shell goes when there has been nothing on the list for this long. */
const IDLE_MS = 100;

let holder: ChildProcess | undefined;
let held = 0;
let idle: NodeJS.Timeout | undefined;

/** Puts the leader of a group on the list; the function that comes back takes it off. */
export function leash(group: number): () => void {
  clearTimeout(idle);
  held++;
  holder ??= startHolder();
  const shell = holder;
  shell.stdin?.write(`+ ${group}\n`);
  return () => {
    shell.stdin?.write(`- ${group}\n`);
    held--;
    if (held === 0) idle = setTimeout(endHolder, IDLE_MS).unref();
  };
}

function startHolder(): ChildProcess {
  // A session of its own: Ctrl-C on the terminal must not end it before us.
  const shell = spawn("/bin/sh", ["-c", SCRIPT], {
    detached: true,
    cwd: "/",
    env: {},
    stdio: ["pipe", "ignore", "ignore"],
  });
  // Without it all works, but for that one thing.
  shell.on("error", () => {});
  shell.on("exit", () => {
    if (holder === shell) holder = undefined;
  });
  shell.stdin?.on("error", () => {});
  shell.unref();
  (shell.stdin as { unref?: () => void } | null)?.unref?.();
  return shell;
}

function endHolder(): void {
  holder?.stdin?.end();
  holder = undefined;
}
