import { existsSync, mkdirSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { cli, emptyDirectory } from "./fake-io.ts";

function project(): string {
  const dir = realpathSync(emptyDirectory());
  mkdirSync(join(dir, "src"));
  writeFileSync(join(dir, "README.md"), "# Shop\n\nSells things.\n");
  writeFileSync(join(dir, "src/main.ts"), "// TODO: sell\nexport const shop = 1;\n");
  writeFileSync(join(dir, ".env"), "SECRET=1\n");
  return dir;
}

const answerOf = async (argv: readonly string[], cwd: string) =>
  JSON.parse((await cli(["--json", ...argv], { cwd })).out).answer as string;

describe("the workspace of the command line", () => {
  it("is the current directory, whose files are read, searched and listed without asking", async () => {
    const cwd = project();
    expect(await answerOf(["read README.md"], cwd)).toContain("Sells things.");
    expect(await answerOf(["在 src 里搜索 TODO"], cwd)).toContain("TODO: sell");
    expect(await answerOf(["list files"], cwd)).toContain("README.md");
  });

  it("is another directory by --workspace, for files and for commands", async () => {
    const dir = project();
    expect(await answerOf(["--workspace", dir, "读 README.md"], emptyDirectory())).toContain("Sells things.");
    expect(await answerOf(["--workspace", dir, "--allow", "bash", "run `pwd -P`"], emptyDirectory())).toContain(dir);
    const { status, err } = await cli(["--workspace", join(dir, "nowhere"), "list files"]);
    expect(err).toContain("--workspace takes a directory, got");
    expect(status).toBe(2);
  });

  it("is never left, and keeps its secrets", async () => {
    const cwd = project();
    expect(await answerOf(["read ../../etc/passwd"], cwd)).toContain("failed");
    expect(await answerOf(["read `.env`"], cwd)).not.toContain("SECRET=1");
  });

  it("with --read-only offers nothing that may change it", async () => {
    const cwd = project();
    const { out } = await cli(["--json", "--read-only", "run `touch made`"], { cwd });
    expect(JSON.parse(out).answer).toContain("needs the tool bash");
    expect(existsSync(join(cwd, "made"))).toBe(false);
    expect(await cli(["--read-only", "--allow", "bash", "run `ls`"], { cwd })).toMatchObject({
      status: 2,
      err: expect.stringContaining("--read-only offers no bash"),
    });
  });

  it.runIf(existsSync("/usr/bin/bwrap"))("with --sandbox (bwrap is installed) confines commands to it", async () => {
    const cwd = project();
    const outside = join(emptyDirectory(), "outside");
    const command = `echo hi > inside; echo bad > ${outside}; cat inside`;
    const answer = await answerOf(["--sandbox", "--allow", "bash", `run \`${command}\``], cwd);
    expect(answer).toContain("hi");
    expect(existsSync(join(cwd, "inside"))).toBe(true);
    expect(existsSync(outside)).toBe(false);
  });
});
