import { describe, expect, it } from "vitest";
import { filterEnvironment, mergeEnvironment } from "../../src/process/environment.ts";
import { findShell, shellAt } from "../../src/process/find-shell.ts";

describe("the environment of a command", () => {
  const own = { PATH: "/bin", HOME: "/root" };

  it("is inherited without a copy when nothing changes", () => {
    expect(mergeEnvironment(undefined, true)).toBeUndefined();
  });

  it("is empty when nothing is inherited", () => {
    expect(mergeEnvironment(undefined, false, own)).toEqual({});
    expect(mergeEnvironment({ A: "1" }, false, own)).toEqual({ A: "1" });
  });

  it("is ours with the changes laid over it, undefined deleting a name", () => {
    expect(mergeEnvironment({ A: "1", HOME: "/x", PATH: undefined }, true, own, "linux")).toEqual({
      A: "1",
      HOME: "/x",
    });
    expect(own).toEqual({ PATH: "/bin", HOME: "/root" });
  });

  it("takes its own names from this process", () => {
    expect(mergeEnvironment({ A: "1" }, true)).toMatchObject({ A: "1", PATH: process.env["PATH"] });
  });

  it("refuses what Node would write as a word", () => {
    const change = { A: null } as unknown as Record<string, string>;
    expect(() => mergeEnvironment(change, true, own)).toThrow("env.A must be a string or undefined, got null.");
    expect(() => mergeEnvironment(change, true, own)).toThrow(
      expect.objectContaining({ code: "ERR_INVALID_ARG_TYPE" }),
    );
  });

  it("tells names apart by case, but not on Windows", () => {
    expect(mergeEnvironment({ path: "x" }, true, own, "linux")).toEqual({ ...own, path: "x" });
    expect(mergeEnvironment({ path: "x" }, true, own, "win32")).toEqual({ HOME: "/root", path: "x" });
    expect(mergeEnvironment({ home: undefined }, true, own, "win32")).toEqual({ PATH: "/bin" });
  });
});

describe("the filtered environment", () => {
  it.each([
    "GITHUB_TOKEN",
    "AWS_SECRET_ACCESS_KEY",
    "AWS_ACCESS_KEY_ID",
    "DB_PASSWORD",
    "PASSWD",
    "OPENAI_API_KEY",
    "MY_APIKEY",
    "private_key",
    "GOOGLE_CREDENTIALS",
    "BASH_ENV",
    "ENV",
    "BASH_FUNC_ls%%",
    "NODE_OPTIONS",
    "SHELLOPTS",
    "BASHOPTS",
  ])("leaves out %s", (name) => {
    expect(filterEnvironment({ [name]: "x" })).not.toHaveProperty([name]);
  });

  it.each([
    "PATH",
    "HOME",
    "SSH_AUTH_SOCK",
    "DOCKER_HOST",
    "MY_ENV",
    "ENVIRONMENT",
    "XNODE_OPTIONS",
    "NODE_OPTIONS_X",
    "KEYBOARD",
  ])("keeps %s", (name) => {
    expect(filterEnvironment({ [name]: "x" })).toHaveProperty([name], "x");
  });

  it("leaves out the names that a caller lists, and what is not there", () => {
    expect(filterEnvironment({ MODEL_AUTH: "x", A: undefined, B: "1" }, ["MODEL_AUTH"])).toEqual({
      B: "1",
      PAGER: "cat",
      GIT_PAGER: "cat",
      GIT_TERMINAL_PROMPT: "0",
      TERM: "dumb",
    });
  });

  it("switches pagers off that were set", () => {
    expect(filterEnvironment({ PAGER: "less", TERM: "xterm" })).toMatchObject({ PAGER: "cat", TERM: "dumb" });
  });
});

describe("the shell", () => {
  const on = (platform: NodeJS.Platform, env: Record<string, string>, files: readonly string[]) =>
    findShell({ platform, env, exists: (path) => files.includes(path) });

  it("is the first bash on PATH", () => {
    expect(on("linux", { PATH: "/a:/opt/bin:/bin" }, ["/opt/bin/bash", "/bin/bash", "/a/sh"])).toEqual({
      kind: "bash",
      file: "/opt/bin/bash",
      args: ["--norc", "--noprofile", "-c", "--"],
    });
  });

  it.each(["/bin/bash", "/usr/bin/bash", "/usr/local/bin/bash"])("is found at %s without PATH", (file) => {
    expect(on("linux", {}, [file])?.file).toBe(file);
  });

  it("is sh where there is no bash", () => {
    expect(on("linux", { PATH: "/a" }, ["/bin/sh", "/a/sh"])).toEqual({
      kind: "sh",
      file: "/a/sh",
      args: ["-c", "--"],
    });
  });

  it("is never taken from a relative folder", () => {
    expect(on("linux", { PATH: ".:bin:" }, ["bin/bash", "bash", "./bash"])).toBeUndefined();
    expect(on("win32", { Path: ".;bin;;" }, ["bin\\bash.exe", "bash.exe", ".\\bash.exe"])).toBeUndefined();
  });

  it("is missing where there is none", () => {
    expect(on("linux", { PATH: "/bin" }, [])).toBeUndefined();
    expect(on("win32", { PATH: "C:\\Windows\\System32" }, [])).toBeUndefined();
  });

  it("of Git is preferred on Windows; that of WSL is never taken (HK-121)", () => {
    const wsl = "C:\\Windows\\System32\\bash.exe";
    const git = "C:\\Program Files\\Git\\bin\\bash.exe";
    const env = { PATH: "C:\\Windows\\System32;C:\\Program Files\\Git\\bin" };
    expect(on("win32", env, [wsl, git])).toEqual({
      kind: "bash",
      file: git,
      args: ["--norc", "--noprofile", "-c", "--"],
    });
    expect(on("win32", env, [wsl])).toBeUndefined();
  });

  it.each([
    "C:\\WINDOWS\\system32\\",
    "C:\\Windows\\SysWOW64",
    "C:/Windows/Sysnative",
    "C:\\U\\AppData\\Local\\Microsoft\\WindowsApps",
  ])("is not the one in %s", (folder) => {
    expect(
      findShell({ platform: "win32", env: { Path: folder }, exists: (path) => !/Git/.test(path) }),
    ).toBeUndefined();
  });

  it("is looked for in the usual places of Git when PATH does not name them", () => {
    const places: [Record<string, string>, string][] = [
      [{}, "C:\\Program Files\\Git\\bin\\bash.exe"],
      [{ ProgramFiles: "D:\\Programs" }, "D:\\Programs\\Git\\bin\\bash.exe"],
      [{ "ProgramFiles(x86)": "D:\\X86" }, "D:\\X86\\Git\\bin\\bash.exe"],
      [{ LocalAppData: "D:\\Local" }, "D:\\Local\\Programs\\Git\\bin\\bash.exe"],
    ];
    for (const [env, file] of places) expect(on("win32", env, [file])?.file).toBe(file);
  });

  it("is found on PATH, however Windows spells it", () => {
    for (const name of ["PATH", "Path", "path"]) {
      expect(on("win32", { A: "C:\\a", [name]: "D:\\tools" }, ["D:\\tools\\bash.exe", "C:\\a\\bash.exe"])?.file).toBe(
        "D:\\tools\\bash.exe",
      );
    }
    expect(on("win32", { XPATH: "D:\\tools" }, ["D:\\tools\\bash.exe"])).toBeUndefined();
  });

  it("is sh.exe on Windows where there is no bash", () => {
    expect(on("win32", { PATH: "D:\\tools" }, ["D:\\tools\\sh.exe"])).toMatchObject({ kind: "sh" });
  });

  it("on a quoted PATH entry is found", () => {
    expect(on("win32", { PATH: '"D:\\my tools"' }, ["D:\\my tools\\bash.exe"])?.file).toBe("D:\\my tools\\bash.exe");
  });

  it("of this machine is found by default", () => {
    expect(findShell()).toMatchObject({ file: expect.stringMatching(/^\/.*sh$/) });
  });

  it("at a known place is bash by its name", () => {
    expect(shellAt("/opt/bash").kind).toBe("bash");
    expect(shellAt("/opt/bash-wrapper").kind).toBe("sh");
    expect(shellAt("C:\\x\\BASH.EXE").kind).toBe("bash");
    expect(shellAt("/bin/dash")).toEqual({ kind: "sh", file: "/bin/dash", args: ["-c", "--"] });
  });
});
