import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { checkCommand } from "../../src/permission/commands/check-command.ts";
import { POLICY } from "./command-tables.ts";

let base = "";
let root = "";

beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "harness-place-")));
  root = join(base, "proj");
  mkdirSync(join(root, "src/deep"), { recursive: true });
  mkdirSync(join(base, "out"));
  for (const file of ["a.txt", "b.txt", "src/c.ts", "src/deep/d.ts"]) writeFileSync(join(root, file), "x");
  writeFileSync(join(base, "out/secret.txt"), "secret");
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

const policy = () => ({ ...POLICY, cwd: root, roots: [root] });
const decide = async (command: string) => (await checkCommand(command, policy())).decision;
const reasonOf = async (command: string) => (await checkCommand(command, policy())).reason;
const put = (name: string, text = "x") => writeFileSync(join(root, name), text);
const link = (target: string, name: string) => symlinkSync(target, join(root, name));

describe("a pattern of file names", () => {
  it("is allowed when everything that it matches may be read", async () => {
    for (const command of [
      "cat *.txt",
      "cat ?.txt",
      "wc -l src/*.ts",
      "cat src/*/d.ts",
      "ls [ab].txt",
      "echo *",
      "cat src/*/",
      `cat ${root}/*.txt`,
    ]) {
      expect(await decide(command), command).toBe("allow");
    }
  });

  it("is asked about when it matches a link that leads outside", async () => {
    link(join(base, "out/secret.txt"), "c.txt");
    expect(await decide("cat *.txt")).toBe("ask");
    expect(await decide("echo *.txt")).toBe("ask");
    expect(await decide("cat a*.txt")).toBe("allow");
    expect(await decide("cat c.tx?")).toBe("ask");
  });

  it("is asked about when it goes through a link that leads outside", async () => {
    link(join(base, "out"), "src/link");
    expect(await decide("cat src/*/secret.txt")).toBe("ask");
    expect(await decide("cat src/link/*")).toBe("ask");
    expect(await decide("cat src/d*/*.ts")).toBe("allow");
  });

  it("is asked about when a name behind it is protected or leads outside", async () => {
    put("src/.env");
    link(join(base, "out/secret.txt"), "src/notes.txt");
    expect(await decide("cat s*/.env")).toBe("ask");
    expect(await decide("cat s*/notes.txt")).toBe("ask");
    expect(await decide("cat s*/c.ts")).toBe("allow");
  });

  it("is asked about when it matches a protected name", async () => {
    put("server.pem");
    expect(await decide("cat *.p*")).toBe("ask");
    expect(await decide("cat *.t*")).toBe("allow");
    put(".env");
    expect(await decide("cat .e*")).toBe("ask");
    // A star does not match what begins with a dot.
    rmSync(join(root, "server.pem"));
    expect(await decide("cat *")).toBe("allow");
  });

  it("is asked about when it may mean the parent directory", async () => {
    expect(await decide("ls .*")).toBe("ask");
    expect(await decide("ls .?")).toBe("ask");
    expect(await decide("ls ../*")).toBe("ask");
    expect(await decide("ls */../..")).toBe("ask");
    expect(await decide("ls src/*/../../..")).toBe("ask");
  });

  it("is asked about when a file name that it matches looks like an option", async () => {
    put("-o");
    expect(await decide("sort *")).toBe("ask");
    expect(await decide("sort ./*")).toBe("allow");
    expect(await decide("sort a*")).toBe("allow");
    expect(await reasonOf("sort *")).toMatch(/looks like an option/);
    put("--include=x.ts");
    expect(await decide("grep x --include=*.ts a.txt")).toBe("ask");
    expect(await decide("grep x --include=*.js a.txt")).toBe("allow");
  });

  it("is asked about when it matches very many files", async () => {
    mkdirSync(join(root, "many"));
    for (let at = 0; at < 201; at++) put(`many/${at}`);
    expect(await decide("cat many/*")).toBe("ask");
    expect(await decide("cat many/1*")).toBe("allow");
  });

  it("is asked about when it matches a pipe", async () => {
    execFileSync("mkfifo", [join(root, "pipe.txt")]);
    expect(await decide("cat *.txt")).toBe("ask");
  });

  it("that matches nothing is what it says", async () => {
    expect(await decide("cat none/*.txt")).toBe("allow");
    expect(await decide("cat a.txt/*")).toBe("allow");
  });
});

describe("a search through a tree", () => {
  it("is allowed when nothing in it is protected", async () => {
    for (const command of ["grep -r x", "grep -r x .", "grep -rn x src", "rg x", "rg x src", "diff -r src src"]) {
      expect(await decide(command), command).toBe("allow");
    }
  });

  it("is asked about when something in it is", async () => {
    put("src/deep/.env");
    for (const command of [
      "grep -r x",
      "grep -r x .",
      "grep -rn x src",
      "grep --recursive x src/deep",
      "diff -r src src",
      "rg --hidden x",
      "rg -. x",
    ]) {
      expect(await decide(command), command).toBe("ask");
    }
    expect(await decide("grep x src/c.ts")).toBe("allow");
    // What begins with a dot is nothing to rg unless it is told so.
    expect(await decide("rg x")).toBe("allow");
    put("src/deep/id_rsa");
    expect(await decide("rg x")).toBe("ask");
  });

  it("is asked about in a repository unless it leaves out .git", async () => {
    mkdirSync(join(root, ".git"));
    put(".git/config");
    expect(await decide("grep -r x .")).toBe("ask");
    expect(await decide("grep -r x --exclude-dir=.git .")).toBe("allow");
    expect(await decide("grep -r x src")).toBe("allow");
    expect(await decide("rg x")).toBe("allow");
  });

  it("is asked about when a link in it leads outside", async () => {
    link(join(base, "out"), "src/link");
    expect(await decide("diff -r src src/deep")).toBe("ask");
    expect(await decide("diff -r src/deep src/deep")).toBe("allow");
  });

  it("is asked about when there are too many files to look at", async () => {
    mkdirSync(join(root, "many"));
    for (let at = 0; at < 4_001; at++) put(`many/${at}`, "");
    expect(await decide("grep -r x many")).toBe("ask");
    expect(await decide("grep -r x src")).toBe("allow");
    expect(await decide("cat many/*")).toBe("ask");
  });

  it("of what a pattern matches is asked about", async () => {
    expect(await decide("grep -r x s*")).toBe("ask");
    expect(await decide("diff -r s* src")).toBe("ask");
  });

  it("of a file, or of nothing, is a reading", async () => {
    expect(await decide("grep -r x a.txt")).toBe("allow");
    expect(await decide("grep -r x none")).toBe("allow");
    expect(await decide("grep -r x ..")).toBe("ask");
  });
});

describe("the reason why a place is asked about", () => {
  const harmful = (reason: string) => `The command is not known to be harmless: ${reason}.`;
  const outside = (path: string) => `${JSON.stringify(path)} is outside of the workspace ${root}`;
  const TOO_MANY = "it touches too many files to look at them all";

  it("names what a pattern matches", async () => {
    link(join(base, "out/secret.txt"), "c.txt");
    link(join(base, "out"), "src/link");
    put(".env");
    put("-o");
    for (const [command, reason] of [
      ["cat *.txt", `cat: ${outside("c.txt")}`],
      ["cat src/*/secret.txt", `cat: ${outside("src/link")}`],
      ["cat src/*/../../..", `cat: ${outside("src/*/../../..")}`],
      ["cat src/l*/", `cat: ${outside("src/link")}`],
      [`cat ${base}/*/secret.txt`, `cat: ${outside(`${base}/*/secret.txt`)}`],
      ["cat ../*/x", `cat: ${outside("../*/x")}`],
      ["cat .e*", "cat: .env is a protected name"],
      ["cat ./.e*", "cat: ./.env is a protected name"],
      ["ls .*", "ls: a pattern matches the parent directory"],
      ["ls .?", "ls: a pattern matches the parent directory"],
      ["ls *", "ls: a pattern matches -o, which looks like an option"],
      ["ls -*", "ls: its option -* is not known to be harmless"],
    ] as const) {
      expect(await reasonOf(command), command).toBe(harmful(reason));
    }
    for (const command of ["ls ./-*", "cat .a*", "ls .[!.]x", "cat src/d*/d.ts"]) {
      expect(await decide(command), command).toBe("allow");
    }
  });

  it("names what lies in a tree", async () => {
    put("src/deep/.env");
    expect(await reasonOf("grep -r x")).toBe(harmful("grep: src/deep/.env is a protected name"));
    expect(await reasonOf("grep -r x src")).toBe(harmful("grep: src/deep/.env is a protected name"));
    rmSync(join(root, "src/deep/.env"));
    link(join(base, "out"), "src/deep/link");
    expect(await reasonOf("grep -r x")).toBe(harmful(`grep: ${outside("src/deep/link")}`));
    expect(await reasonOf("grep -r x ..")).toBe(harmful(`grep: ${outside("..")}`));
    expect(await reasonOf("grep -r x s*")).toBe(harmful("grep: it searches whatever a pattern matches"));
    rmSync(join(root, "src/deep/link"));
    link("c.ts", "src/inner");
    expect(await decide("grep -r x")).toBe("allow");
  });

  it("is that there is too much, and not before there is", async () => {
    mkdirSync(join(root, "many"));
    for (let at = 0; at < 200; at++) put(`many/${at}`, "");
    expect(await decide("cat many/*")).toBe("allow");
    put("many/x", "");
    expect(await reasonOf("cat many/*")).toBe(harmful(`cat: ${TOO_MANY}`));
    expect(await decide("cat many/[0-9]")).toBe("ask");
    for (let at = 201; at < 4_000; at++) put(`many/${at}`, "");
    expect(await decide("grep -r x many")).toBe("allow");
    expect(await decide("cat many/x?")).toBe("allow");
    // The directories of one text count together.
    expect(await reasonOf("grep -r x many src")).toBe(harmful(`grep: ${TOO_MANY}`));
    expect(await reasonOf("ls s*; cat many/x?")).toBe(harmful(`cat: ${TOO_MANY}`));
    put("many/y", "");
    expect(await reasonOf("grep -r x many")).toBe(harmful(`grep: ${TOO_MANY}`));
    expect(await reasonOf("cat many/x?")).toBe(harmful(`cat: ${TOO_MANY}`));
  });

  it("is that the policy names no place", async () => {
    const none = { allow: ["ls", "cat", "grep"] };
    for (const command of ["cat a.txt", "grep -r x", "ls *"]) {
      expect((await checkCommand(command, none)).reason).toBe(
        harmful(`${command.split(" ")[0]}: the policy names no roots for paths`),
      );
    }
  });
});

describe("a policy", () => {
  it("without roots allows no path, but commands without one", async () => {
    const none = { allow: ["ls", "echo", "cat", "grep"] };
    expect((await checkCommand("echo a", none)).decision).toBe("allow");
    expect((await checkCommand("ls", none)).decision).toBe("allow");
    expect((await checkCommand("cat /dev/null", none)).decision).toBe("allow");
    for (const command of ["cat a.txt", "echo *", "ls .", "grep -r x"]) {
      expect((await checkCommand(command, none)).decision, command).toBe("ask");
    }
  });

  it("takes cwd for its root, and the first root for cwd", async () => {
    expect((await checkCommand("cat a.txt", { allow: ["cat"], cwd: root })).decision).toBe("allow");
    expect((await checkCommand("cat ../a.txt", { allow: ["cat"], cwd: root })).decision).toBe("ask");
    const src = join(root, "src");
    expect((await checkCommand("cat ../a.txt", { allow: ["cat"], cwd: src, roots: [root] })).decision).toBe("allow");
    expect((await checkCommand("cat ../../a.txt", { allow: ["cat"], cwd: src, roots: [root] })).decision).toBe("ask");
  });

  it("denies what is unknown when it says so, and asks about what it lists", async () => {
    expect((await checkCommand("make", { default: "deny" })).decision).toBe("deny");
    expect((await checkCommand("${", { default: "deny" })).decision).toBe("deny");
    const asking = { allow: ["ls", "npm test"], ask: ["npm *"], default: "deny" as const };
    expect(await checkCommand("npm test", asking)).toEqual({
      decision: "ask",
      reason: "The command contains npm *, which is asked about.",
    });
    expect((await checkCommand("ls", asking)).decision).toBe("allow");
    expect((await checkCommand("npm test; rm x", { ...asking, deny: ["rm"] })).decision).toBe("deny");
  });

  it("protects the names that the host says", async () => {
    const own = { allow: ["cat"], cwd: root, protectedNames: ["a.*"] };
    expect((await checkCommand("cat a.txt", own)).decision).toBe("ask");
    expect((await checkCommand("cat .env", own)).decision).toBe("allow");
  });

  it("that cannot be meant is refused", async () => {
    for (const wrong of [
      undefined,
      null,
      { default: "allow" },
      { allow: ["bash"] },
      { allow: ["make *"] },
      { allow: [5] },
      { deny: [""] },
      { roots: [""] },
    ]) {
      await expect(checkCommand("ls", wrong as never)).rejects.toThrow(TypeError);
    }
  });

  it("lets a command that is no text through to nobody", async () => {
    for (const command of [undefined, null, 5, ["ls"], {}]) {
      expect((await checkCommand(command as never, POLICY)).decision).toBe("deny");
    }
  });
});
