import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { workspaceTools } from "../../../../src/adapters/tools/files/index.ts";
import cases from "../../../cases/gate.json" with { type: "json" };
import { createTestWorkspace, SECRET, type TestWorkspace } from "./workspace.ts";

/** A call of every tool with a path. */
const CALLS: Readonly<Record<string, (path: string) => object>> = {
  readFile: (path) => ({ path }),
  listFiles: (path) => ({ path }),
  globFiles: (path) => ({ path, pattern: "*" }),
  grepFiles: (path) => ({ path, pattern: "." }),
  writeFile: (path) => ({ path, content: "changed" }),
  editFile: (path) => ({ path, edits: [{ oldText: "secret", newText: "changed" }] }),
};
const TOOLS = Object.keys(CALLS);
const WRITING = ["writeFile", "editFile"];

function workspace(): TestWorkspace {
  const made = createTestWorkspace();
  const { root, outside, put, link } = made;
  put("inside.txt", "the secret of the inside\n");
  put(".env", "the secret of the environment\n");
  put("keys/server.pem", "the secret of the key\n");
  put(".bashrc", "the secret of the shell\n");
  put(".git/config", "the secret of the repository\n");
  link(outside, "out");
  link(join(outside, "secret.txt"), "way.txt");
  link(join(outside, "absent.txt"), "dangling");
  link(".env", "settings");
  link("loop", "loop");
  mkdirSync(join(dirname(root), "project-evil"));
  writeFileSync(join(dirname(root), "project-evil", "x"), SECRET);
  return made;
}

const denied = { ok: false, kind: "permission", code: "PERMISSION_DENIED", retryable: false };

describe.each(TOOLS)("%s", (tool) => {
  it.each([
    ["..", "up"],
    ["../outside/secret.txt", "up and down"],
    ["inside.txt/../../outside/secret.txt", "up behind a name"],
    ["/etc/passwd", "elsewhere"],
    ["../project-evil/x", "beside, with the same start"],
    ["out/secret.txt", "through a link to a folder"],
    ["out/new.txt", "through a link, to what is absent"],
    ["way.txt", "a link to a file"],
    ["dangling", "a link to what is absent"],
    ["loop", "a link to itself"],
    [".env", "a protected file"],
    [".ENV", "a protected file in other letters"],
    ["settings", "a link to a protected file"],
    ["keys/server.pem", "a key"],
    [".git/config", "the repository"],
    [".git/hooks/pre-commit", "a hook that is absent"],
    ["inside.txt\0.png", "a NUL"],
    ["~/secret", "a home directory"],
    ["/proc/self/environ", "the system's own folder"],
    ["/dev/zero", "a device"],
  ])("refuses %j (%s)", async (path) => {
    const { call, outside } = workspace();
    const result = await call(tool, CALLS[tool]?.(path));
    expect(result).toMatchObject(denied);
    expect(JSON.stringify(result)).not.toContain(SECRET);
    expect(readFileSync(join(outside, "secret.txt"), "utf8")).toBe(SECRET);
    expect(readdirSync(outside)).toEqual(["secret.txt"]);
  });

  it("refuses a pipe and a path that is no text, at once", async () => {
    const { call, root } = workspace();
    execFileSync("mkfifo", [join(root, "pipe")]);
    expect(await call(tool, CALLS[tool]?.("pipe"))).toMatchObject(denied);
    for (const path of [5, null, {}, ["a"]]) {
      const result = await call(tool, CALLS[tool]?.(path as never));
      expect(result.ok).toBe(false);
    }
  });

  it("throws the reason of a signal that has fired", async () => {
    const { call } = workspace();
    const reason = new Error("stopped");
    const signal = AbortSignal.abort(reason);
    await expect(call(tool, CALLS[tool]?.("inside.txt"), { signal })).rejects.toBe(reason);
  });

  it("declares what it does, and describes every field", () => {
    const { root } = workspace();
    const found = workspaceTools(root).find(({ name }) => name === tool);
    expect(found?.access).toBe(WRITING.includes(tool) ? "write" : "read");
    const { properties = {} } = (found?.parameters ?? {}) as { properties?: Record<string, { description?: string }> };
    expect(Object.keys(properties)).toContain("path");
    for (const [name, field] of Object.entries(properties)) expect(field.description, name).toMatch(/\w/);
  });
});

describe("a file that may be read but not written", () => {
  it("is read, and refused to those who write", async () => {
    const { call, text, get } = workspace();
    expect(await text("readFile", { path: ".bashrc" })).toContain("the shell");
    for (const tool of WRITING) expect(await call(tool, CALLS[tool]?.(".bashrc"))).toMatchObject(denied);
    expect(get(".bashrc")).toContain("secret");
  });
});

describe("the set of tools", () => {
  it("can leave out those that write", () => {
    const { root } = workspace();
    const names = workspaceTools(root, { readOnly: true }).map(({ name }) => name);
    expect(names).toEqual(["readFile", "listFiles", "globFiles", "grepFiles"]);
  });

  it("takes the names of the host instead of its own", async () => {
    const { call, text, put } = createTestWorkspace({ protectedNames: ["private*"], readOnlyNames: ["fixed"] });
    put("private.txt", "x");
    put(".env", "KEY=1\n");
    expect(await call("readFile", { path: "private.txt" })).toMatchObject(denied);
    expect(await call("writeFile", { path: "fixed", content: "x" })).toMatchObject(denied);
    expect(await text("readFile", { path: ".env" })).toBe("1\tKEY=1");
    expect(await text("listFiles")).toContain("private.txt (1 bytes) (protected)");
  });

  it("refuses options that make no sense", () => {
    for (const options of [{ outputChars: 10 }, { maxFileBytes: 0 }, { searchMs: 1.5 }, { outputChars: Number.NaN }]) {
      expect(() => workspaceTools("/tmp", options)).toThrow(TypeError);
    }
    expect(() => workspaceTools("")).toThrow(TypeError);
  });

  it("stays with the directory that it was made for", async () => {
    const { root, call, put, outside } = createTestWorkspace();
    put("a.txt", "inside\n");
    renameSync(root, `${root}-moved`);
    execFileSync("ln", ["-s", outside, root]);
    for (const tool of ["readFile", "listFiles"]) {
      const result = await call(tool, CALLS[tool]?.(tool === "readFile" ? "secret.txt" : "."));
      expect(JSON.stringify(result)).not.toContain("secret of the outside");
      expect(result).toMatchObject({ ok: false });
    }
    const written = await call("writeFile", { path: "new/a.txt", content: "x" });
    expect(written.ok).toBe(false);
    expect(existsSync(join(outside, "new"))).toBe(false);
  });
});

describe("the path cases of the gate", () => {
  const paths = cases.cases.filter((each) => each.kind === "path");

  it.each(paths.map((each) => [each.id, each] as const))("%s hold for the tools", async (_id, { input, expected }) => {
    const { root, call, outside } = createTestWorkspace();
    const { op, path, setup } = input as { op: string; path: string; setup?: string };
    if (setup?.startsWith("symlink dlink") === true) execFileSync("ln", ["-s", outside, join(root, "dlink")]);
    const tool = op === "write" ? "writeFile" : "readFile";
    const result = await call(tool, CALLS[tool]?.(path.replace("/srv/proj", root)));
    expect(expected.decision).toBe("deny");
    expect(result).toMatchObject(denied);
    expect(readdirSync(outside)).toEqual(["secret.txt"]);
  });
});
