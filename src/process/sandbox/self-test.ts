/**
 * Tries to break out of a sandbox before anything else is let in.
 *
 * Floor 2 (process). What is promised is tried, not believed: the same bwrap that holds an ordinary user
 * lets root write everywhere when one option is missing.
 */

/** What the test is told about the machine. */
export interface SelfTestSubject {
  /** A file outside that we can read and write, and that nobody inside may know of. */
  readonly canary: string;
  /** A port on 127.0.0.1 that somebody listens on; 0: none. */
  readonly port: number;
  /** What our own namespace of mounts is called: in there no mount is tried. */
  readonly outsideMounts: string;
  /** What must not be readable, and what must not be writable. */
  readonly hiddenFiles: readonly string[];
  readonly readOnlyPaths: readonly string[];
}

/** The name of what the test tries to create where nothing can be created. */
export const PROBE_NAME = ".harness-kit-self-test";

/**
 * Each line that begins with `leak` says what went through. Only `sh` and `readlink` are needed; what else is
 * missing cannot be misused either. All of it does no harm where there is no sandbox at all: mounts are tried in
 * a namespace of its own only, and on what is there for this.
 */
const SCRIPT = `
PATH=/usr/sbin:/usr/bin:/sbin:/bin
canary=$1 port=$2 outside=$3
shift 3
[ -e "$canary" ] && echo "leak read $canary"
( : >>"$canary" ) 2>/dev/null && echo "leak write $canary"
for place in / /usr /etc; do
  ( : >"$place/${PROBE_NAME}" ) 2>/dev/null && echo "leak write $place"
done
for place in /proc/sys/kernel/core_pattern /proc/sysrq-trigger; do
  [ -w "$place" ] && echo "leak write $place"
done
if [ "$port" != 0 ]; then
  bash -c 'exec 3<>"/dev/tcp/127.0.0.1/$0"' "$port" 2>/dev/null && echo "leak connect"
fi
while [ "$1" != -- ]; do
  ( : <"$1" ) 2>/dev/null && echo "leak read $1"
  shift
done
shift
for place; do [ -w "$place" ] && echo "leak write $place"; done
mounts=$(readlink /proc/self/ns/mnt)
if [ -n "$mounts" ] && [ "$mounts" != "$outside" ]; then
  mount -o remount,bind,rw /usr 2>/dev/null && echo "leak remount /usr"
  mount -o remount,bind,rw / 2>/dev/null && echo "leak remount /"
  mkdir "/tmp/${PROBE_NAME}" && mount -t tmpfs none "/tmp/${PROBE_NAME}" 2>/dev/null && echo "leak mount"
  for place; do umount -l "$place" 2>/dev/null && echo "leak unmount $place"; done
  unshare -U true 2>/dev/null && echo "leak make namespaces"
fi
while read -r name value rest; do
  case $name in CapEff:|CapPrm:|CapAmb:|NoNewPrivs:) echo "$name $value" ;; esac
done </proc/self/status
for space in net pid mnt ipc user; do echo "$space: $(readlink /proc/self/ns/$space)"; done
echo done`;

/** The command that tries. */
export function selfTestCommand({ canary, port, outsideMounts, hiddenFiles, readOnlyPaths }: SelfTestSubject) {
  const args = ["-c", SCRIPT, "sh", canary, String(port), outsideMounts, ...hiddenFiles, "--", ...readOnlyPaths];
  return { file: "/bin/sh", args };
}

/** What our own namespaces are called, by the names that the test uses. */
export type Namespaces = Readonly<Record<string, string>>;

/** What the answer is held against. */
export interface SelfTestExpectation {
  readonly network: boolean;
  readonly outside: Namespaces;
}

/** What went wrong, in words; empty when all that must fail has failed. */
export function judgeSelfTest(output: string, { network, outside }: SelfTestExpectation): string[] {
  const lines = output.split("\n").filter((line) => line !== "");
  if (lines.at(-1) !== "done") return ["it did not come to its end"];
  const facts = new Map(lines.map((line) => line.split(": ", 2) as [string, string | undefined]));
  const leaks = lines
    .filter((line) => line.startsWith("leak "))
    .map((line) => `it could ${line.slice("leak ".length)}`);
  return [...leaks, ...capabilities(facts), ...namespaces(facts, outside, network)];
}

function capabilities(facts: ReadonlyMap<string, string | undefined>): string[] {
  const held = ["CapEff", "CapPrm", "CapAmb"].filter((name) => !/^0+$/.test(facts.get(name) ?? ""));
  const problems = held.map((name) => `it had capabilities (${name} ${facts.get(name) ?? "unknown"})`);
  return facts.get("NoNewPrivs") === "1" ? problems : [...problems, "it could gain privileges"];
}

function namespaces(facts: ReadonlyMap<string, string | undefined>, outside: Namespaces, network: boolean): string[] {
  const own = network ? ["pid", "mnt", "ipc", "user"] : ["net", "pid", "mnt", "ipc", "user"];
  return own
    .filter((name) => !/^\w+:\[\d+\]$/.test(facts.get(name) ?? "") || facts.get(name) === outside[name])
    .map((name) => `it was not parted from the system (${name})`);
}
