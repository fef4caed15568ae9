/**
 * That protected names stay as they are in a real sandbox.
 */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { describeProcess } from "../../../src/process/index.ts";
import { HAS_BUBBLEWRAP, place, WHERE } from "./bubblewrap-here.ts";

const repository = (workspace: string) => {
  execFileSync("git", ["init", "-q", workspace]);
  mkdirSync(join(workspace, "sub"));
  execFileSync("git", ["init", "-q", join(workspace, "sub/inner")]);
};

describe.runIf(HAS_BUBBLEWRAP)(`protected names in bubblewrap${WHERE}`, () => {
  it("cannot be made where they are absent, by any way", async () => {
    const { sh, workspace } = place();
    const { stdout } = await sh(`
      exec 2>/dev/null
      mkdir -p .git/hooks && echo mkdir; git init -q . && echo init; echo x >.git/config && echo config
      rm -rf .git; mv .git away && echo moved; rmdir .git && echo removed; ln -sfn /tmp .git/x && echo linked
      mkdir fake; echo evil >fake/config; mv -T fake .git && echo replaced; ln -sfT fake .git && echo replaced
      echo x >.env && echo env; mv fake .env && echo env; echo x >.vscode/tasks.json && echo tasks; cp -r fake .husky/ && echo husky
      ls -A`);
    expect(stdout.split("\n").filter((line) => !line.startsWith("."))).toEqual(["fake", ""]);
    expect(readdirSync(workspace)).toEqual(["fake"]);
  });

  it("leave nothing behind in the workspace", async () => {
    const { sh, workspace } = place();
    await sh("echo x >file");
    await sh("exit 3");
    await sh("sleep 10", { timeoutMs: 300 });
    await sh("true", { cwd: "/nowhere" });
    expect(readdirSync(workspace)).toEqual(["file"]);
  });

  it("of a repository can be read but not written, at any place that was there before", async () => {
    const { sh, workspace } = place({}, repository);
    const { stdout } = await sh(`
      git status --short; git log 2>&1 | head -1
      exec 2>/dev/null
      for repo in . sub/inner; do
        echo evil >$repo/.git/hooks/pre-commit && echo hook; git -C $repo config core.fsmonitor evil && echo config
        mv $repo/.git $repo/other && echo moved; rm -rf $repo/.git; echo x >$repo/.git/commondir && echo commondir
      done
      mv sub sub2; echo evil >sub2/inner/.git/config && echo moved`);
    expect(stdout).toBe(
      "?? .env\n?? .mcp.json\n?? .npmrc\n?? sub/\nfatal: your current branch 'master' does not have any commits yet\n",
    );
    expect(readFileSync(join(workspace, ".git/config"), "utf8")).toContain("[core]");
    expect(existsSync(join(workspace, "sub2/inner/.git/HEAD"))).toBe(true);
  });

  it("of secrets cannot be read, copied, linked or moved, in any letter case and at any depth", async () => {
    const files = [".env", ".ENV.production", "a/b/.env.local", "server.PEM", "a/.ssh/id"];
    const { sh, workspace } = place({}, (made) => {
      mkdirSync(join(made, "a/b"), { recursive: true });
      mkdirSync(join(made, "a/.ssh"));
      for (const file of files) writeFileSync(join(made, file), "SECRET");
      writeFileSync(join(made, "plain.txt"), "plain");
    });
    const { stdout } = await sh(`
      exec 2>/dev/null
      cat ${files.join(" ")} plain.txt; for f in ${files.join(" ")}; do cp $f copy; ln $f hard; mv $f moved; chmod 777 $f; cat copy hard moved; done
      mv a c; cat c/b/.env.local c/.ssh/*; grep -r SECRET .; tar c . | grep -a SECRET; echo x >.env`);
    expect(stdout).toBe("plain");
    expect(readFileSync(join(workspace, ".env"), "utf8")).toBe("SECRET");
  });

  it("are what the host says", async () => {
    const { sh } = place(
      { protectedNames: ["private*"], readOnlyNames: ["fixed"], absentNames: [".mine", ".yours/"] },
      (made) => {
        for (const name of ["private1", "fixed", ".env"]) writeFileSync(join(made, name), name);
      },
    );
    const { stdout } = await sh(
      "exec 2>/dev/null; cat private1 fixed .env; for f in fixed .env .git .mine; do echo x >$f && echo $f; done; mkdir .yours/x || ls -d .yours",
    );
    expect(stdout).toBe("fixed.env.env\n.git\n.yours\n");
  });

  it("that are links protect what they lead to inside of the workspace", async () => {
    const { sh, workspace } = place({}, (made) => {
      mkdirSync(join(made, "deep"));
      writeFileSync(join(made, "settings"), "SECRET");
      symlinkSync("../settings", join(made, "deep/.env"));
    });
    expect((await sh("cat settings deep/.env")).stdout).toBe("");
    expect(readFileSync(join(workspace, "settings"), "utf8")).toBe("SECRET");
  });

  it("let nothing run when they are links that could be replaced", async () => {
    const { sh } = place({}, (made) => symlinkSync("elsewhere", join(made, ".git")));
    const result = await sh("echo ran");
    expect(result).toMatchObject({ status: "notStarted", code: "SANDBOX_FAILED", subject: "sandbox", stdout: "" });
    expect(describeProcess(result)).toMatch(/\.git is a link/);
  });

  it("stay protected until the last of several commands is over", async () => {
    const { sh, workspace } = place();
    await sh("true");
    const long = sh("until [ -e go ]; do sleep 0.02; done; mkdir .git/hooks && echo made; ls -A .git");
    await sh("true");
    await sh("true");
    expect(readdirSync(workspace)).toContain(".git");
    writeFileSync(join(workspace, "go"), "");
    expect((await long).stdout).toBe("");
    expect(readdirSync(workspace)).toEqual(["go"]);
  });
});
