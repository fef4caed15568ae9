/**
 * Makes shell scripts around a marker command and runs them in real bash, in a throw-away directory, to
 * compare what happened with what the gate said. The words that scripts are made of can do no harm there:
 * no absolute path, no program that deletes or connects.
 */
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Decision } from "../../src/contract/permission.ts";
import { judgeText } from "../../src/permission/commands/check-command.ts";
import { loadParser } from "../../src/permission/commands/parser.ts";
import { resolvePolicy } from "../../src/permission/commands/policy.ts";

/** What came of some scripts. */
export interface FuzzReport {
  readonly scripts: number;
  readonly allowed: number;
  readonly denied: number;
  /** Scripts that ran the marker in bash. */
  readonly marked: number;
  /** Allowed scripts that ran the marker or changed a file: must be empty. */
  readonly unsafe: readonly string[];
  /** Scripts that ran the marker without being denied: asked about, which is safe. */
  readonly asked: readonly string[];
}

const MARK = "mark";
const PROGRAMS =
  "ls,cat,echo,grep,head,tail,wc,find,sort,uniq,cut,diff,stat,pwd,sed,cd,true,false,printf,tr,basename,dirname,du,file,nl,tac,comm,date,which,type,seq,realpath,readlink,md5sum,sha256sum,rg,git status,git log,git diff".split(
    ",",
  );
const BASE: readonly string[] = [
  ...["ls -la", "cat a.txt", "echo hello", "grep -n a a.txt", "head -3 a.txt", "tail -n 2 a.txt", "wc -l a.txt b.txt"],
  ...["find . -name '*.txt'", "find . -type f", "sort a.txt", "sort -k1,1 a.txt", "uniq -c a.txt", "cut -d: -f1 a.txt"],
  ...["diff a.txt b.txt", "stat a.txt", "pwd", "sed -n 1,2p a.txt", "printf '%s' x", "tr a b", "du -s .", "nl a.txt"],
  ...["tac a.txt", "comm a.txt b.txt", "date +%F", "which ls", "seq 1 3", "realpath a.txt", "md5sum a.txt", "true"],
  ...["git status", "git log -1", "git diff", "git diff --stat", "ls *.txt", "cat a.txt | sort", "ls && pwd", "cd sub"],
];
const PIECES: readonly string[] = [
  ...[
    MARK,
    MARK,
    "$(mark)",
    "`mark`",
    "${x:-$(mark)}",
    "$((a[$(mark)]))",
    "<(mark)",
    ">(mark)",
    "'mark'",
    '"mark"',
    "m\\ark",
  ],
  ...[
    "ma''rk",
    "ma\\\nrk",
    "$'mark'",
    "$'\\x6dark'",
    '"$(mark)"',
    "'$(mark)'",
    "\\$(mark)",
    "bash -c mark",
    "sh -c 'mark'",
  ],
  ...[
    "eval mark",
    "env mark",
    "xargs mark",
    "command mark",
    "exec mark",
    "builtin mark",
    "timeout 1 mark",
    "nice mark",
  ],
  ...[
    "nohup mark",
    "trap mark EXIT",
    "coproc mark",
    "{ mark; }",
    "(mark)",
    "if mark; then true; fi",
    "f() { mark; }; f",
  ],
  ...[
    "A=1 mark",
    "x=$(mark)",
    "! mark",
    "time mark",
    "cat <<E\n$(mark)\nE",
    "cat <<'E'\n$(mark)\nE",
    "cat <<-E\n\t`mark`\n\tE",
  ],
  ...[
    "bash <<< mark",
    "echo mark | sh",
    "a=mark; $a",
    "alias x=mark",
    "[[ $(mark) ]]",
    "[[ -v a[$(mark)] ]]",
    "a[$(mark)]=1",
  ],
  ...[
    "printf -v 'a[$(mark)]' x",
    "printf '%n' 'a[$(mark)]'",
    "read 'a[$(mark)]' <<< 1",
    "test -v 'a[$(mark)]'",
    "let 'a[$(mark)]'",
  ],
  ...[
    "-exec mark {} +",
    "-exec mark ;",
    "-ok mark \\;",
    "-execdir mark {} \\;",
    "-fprintf out x",
    "-fls out",
    "-fprint out",
  ],
  ...[
    "-o out",
    "-oout",
    "--output=out",
    "--output out",
    "--outp=out",
    "-T sub",
    "--compress-program=mark -S 1k",
    "--files0-from=a.txt",
  ],
  ...[
    "-i",
    "-i.bak",
    "--in-place",
    "-n",
    "-e '1w out'",
    "'1w out'",
    "'1e mark'",
    "'w out'",
    "-s",
    "-f a.txt",
    "--pre=mark",
    "-z",
  ],
  ...[
    "--ext-diff",
    "--textconv",
    "-c",
    "-p",
    "--no-index",
    "-Oout",
    "--exec=mark",
    "-C sub",
    "--all",
    "-v",
    "-r",
    "-R",
    "-L",
    "-x",
    "-u",
  ],
  ...[
    "> out",
    ">> out",
    ">| out",
    "&> out",
    "2> out",
    "<> out",
    ">& out",
    "2>&1",
    "> /dev/null",
    "< a.txt",
    "<<< x",
    ">&-",
    "{fd}> out",
  ],
  ...[
    ";",
    "&&",
    "||",
    "|",
    "|&",
    "&",
    "\n",
    "\\\n",
    "\r",
    "\t",
    "#",
    "# ",
    " #",
    "'",
    '"',
    "\\",
    "`",
    "$",
    "$(",
    "${",
    ")",
    "}",
    "{",
    "(",
  ],
  ...[
    "!",
    "!!",
    "~",
    "*",
    "?",
    "[a-z]*",
    "{a,mark}",
    "{1..3}",
    "@(a|b)",
    "=",
    "+",
    ",",
    ":",
    "%",
    "^",
    "-",
    "--",
    "a.txt",
    "b.txt",
    "sub",
  ],
  ...[
    "./a.txt",
    "../x",
    "sub/..",
    "tee out",
    "touch out",
    "cp a.txt out",
    "mkdir out",
    "ln -s a.txt out",
    "export A=mark",
    "PATH=.",
    "x",
  ],
  ...[
    "\u00a0",
    "\u200b",
    "\u3000",
    "é",
    "日本",
    "\u0001",
    "\u001b",
    "\u007f",
    "coproc",
    "time",
    "if",
    "then",
    "fi",
    "do",
    "done",
    "case",
    "esac",
  ],
  ...[
    "function",
    "select",
    "while",
    "until",
    "in",
    "[[",
    "]]",
    "((",
    "))",
    "$[",
    "]",
    ";;",
    ";&",
    "<<E",
    "E",
    "<<",
    "EOF",
    "%n",
    "-v a",
  ],
];

/** The same numbers for the same seed (mulberry32). */
export function randomNumbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** One script: harmless commands with something put in, or words in any order. */
export function makeScript(random: () => number): string {
  const pick = (list: readonly string[]) => list[Math.floor(random() * list.length)] ?? "";
  const joint = () => pick([" ", " ", " ", " ", "", "\t", "  ", ";", "\n", " && ", " | "]);
  if (random() < 0.25) {
    return Array.from({ length: 1 + Math.floor(random() * 6) }, () => `${pick(PIECES)}${joint()}`).join("");
  }
  let script = pick(BASE);
  const changes = 1 + Math.floor(random() * 2.4);
  for (let change = 0; change < changes; change++) {
    const piece = random() < 0.75 ? pick(PIECES) : pick(BASE);
    const kind = random();
    const at = kind < 0.45 ? script.length : wordBreak(script, Math.floor(random() * (script.length + 1)), kind < 0.8);
    script = `${script.slice(0, at)}${at === 0 ? "" : joint()}${piece}${at === script.length ? "" : joint()}${script.slice(at)}`;
  }
  return script.replaceAll("\0", "");
}

/** The next blank, or exactly there. */
function wordBreak(script: string, at: number, atWord: boolean): number {
  const blank = atWord ? script.indexOf(" ", at) : at;
  return blank < 0 ? script.length : blank;
}

/** Judges scripts and runs all of them. */
export async function fuzzGate(count: number, seed: number): Promise<FuzzReport> {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "harness-fuzz-")));
  try {
    const work = setUp(base);
    const parser = await loadParser();
    const policy = resolvePolicy({ cwd: work, allow: PROGRAMS, deny: [MARK] });
    const random = randomNumbers(seed);
    const judged = Array.from({ length: count }, () => {
      const script = makeScript(random);
      return { script, decision: judgeText(script, policy, parser).decision };
    });
    return report(judged, run(base, judged));
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
}

function setUp(base: string): string {
  const work = join(base, "tree", "work");
  mkdirSync(join(work, "sub"), { recursive: true });
  mkdirSync(join(base, "bin"));
  mkdirSync(join(base, "home"));
  for (const name of ["a.txt", "b.txt", "sub/c.txt"]) writeFileSync(join(work, name), `a:${name}\nb\nc\n`);
  // By its full path, so that the marker is seen in whatever environment it runs.
  writeFileSync(join(base, "bin", MARK), `#!/bin/sh\necho x >> '${base}/marks'\n`);
  chmodSync(join(base, "bin", MARK), 0o755);
  const git = (...args: string[]) =>
    execFileSync("git", ["-C", work, "-c", "user.name=a", "-c", "user.email=a@b", ...args]);
  git("init", "-q");
  git("add", ".");
  git("commit", "-qm", "one");
  writeFileSync(join(work, "a.txt"), "a:changed\nb\n");
  return work;
}

interface Judged {
  readonly script: string;
  readonly decision: Decision;
}

/** For each script "m" when it ran the marker and "w" when it changed the tree. */
function run(base: string, judged: readonly Judged[]): readonly string[] {
  writeFileSync(join(base, "scripts"), judged.map(({ script, decision }) => `${decision}\0${script}\0`).join(""));
  writeFileSync(join(base, "driver.sh"), DRIVER);
  execFileSync("bash", ["+m", join(base, "driver.sh"), base], {
    env: { PATH: `${join(base, "bin")}:/usr/local/bin:/usr/bin:/bin`, HOME: join(base, "home"), LANG: "C.UTF-8" },
    maxBuffer: 1e8,
    stdio: "ignore",
  });
  return readFileSync(join(base, "results"), "utf8").split("\n");
}

/**
 * Every allowed script runs in a fresh tree; whether it changed that is seen afterwards. git refreshes its
 * index when it looks at files, so that file does not count.
 */
const DRIVER = `
base=$1
cp -a "$base/tree" "$base/clean"
state() { find "$base/tree" "$base/home" -not -path '*/.git/index' -not -path '*/.git' -printf '%p %s %T@ %l\\n' | sort | cksum; }
clean=$(state)
restore() { rm -rf "$base/tree" "$base/home"; cp -a "$base/clean" "$base/tree"; mkdir "$base/home"; clean=$(state); }
while IFS= read -r -d '' decision && IFS= read -r -d '' script; do
  result=
  if [ "$decision" = allow ] && [ "$(state)" != "$clean" ]; then restore; fi
  ( cd "$base/tree/work" && exec setsid timeout -k 1 0.5 bash -c "$script" </dev/null >/dev/null 2>&1 ) &
  wait $!
  # What it left in the background must not be taken for the next one.
  kill -KILL -- "-$!"
  if [ -s "$base/marks" ]; then result=m; rm -f "$base/marks"; fi
  if [ "$decision" = allow ] && [ "$(state)" != "$clean" ]; then result="\${result}w"; fi
  if [ ! -d "$base/tree/work/.git" ]; then restore; fi
  echo "$result" >> "$base/results"
done < "$base/scripts"
`;

function report(judged: readonly Judged[], results: readonly string[]): FuzzReport {
  const rows = judged.map(({ script, decision }, at) => ({ script, decision, result: results[at] ?? "" }));
  const marked = rows.filter(({ result }) => result.includes("m"));
  return {
    scripts: rows.length,
    allowed: rows.filter(({ decision }) => decision === "allow").length,
    denied: rows.filter(({ decision }) => decision === "deny").length,
    marked: marked.length,
    unsafe: rows.filter(({ decision, result }) => decision === "allow" && result !== "").map(({ script }) => script),
    asked: marked.filter(({ decision }) => decision === "ask").map(({ script }) => script),
  };
}
