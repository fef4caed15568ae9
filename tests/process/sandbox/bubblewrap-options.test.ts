import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ABSENT_NAMES, bubblewrapSandbox } from "../../../src/process/index.ts";
import { resolveBubblewrapOptions } from "../../../src/process/sandbox/bubblewrap-options.ts";

let base = "";
let workspace = "";
beforeAll(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "harness-options-")));
  workspace = join(base, "work");
  mkdirSync(workspace);
  symlinkSync(workspace, join(base, "link"));
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

describe("the options of a bubblewrap sandbox", () => {
  it("have defaults: no network, nothing more to see, repositories to be read only", () => {
    const settings = resolveBubblewrapOptions({ workspace });
    expect(settings).toMatchObject({
      workspace,
      network: false,
      writable: [],
      readable: [],
      hidden: [],
      scanDepth: 4,
      program: undefined,
      absentNames: ABSENT_NAMES,
    });
    expect(settings.protectedNames).toEqual(expect.arrayContaining([".env*", ".ssh", "*.pem", ".npmrc"]));
    expect(settings.readOnlyNames).toEqual(
      expect.arrayContaining([".git", "git~1", ".hg", ".svn", ".vscode", "pre-commit"]),
    );
    for (const name of [".git", "git~1", ".hg", ".svn"]) expect(settings.protectedNames).not.toContain(name);
  });

  it("treat undefined as the default", () => {
    const settings = resolveBubblewrapOptions({ workspace });
    const all = {
      network: undefined,
      writable: undefined,
      readable: undefined,
      hidden: undefined,
      protectedNames: undefined,
      readOnlyNames: undefined,
      absentNames: undefined,
      scanDepth: undefined,
      program: undefined,
    };
    expect(resolveBubblewrapOptions({ workspace, ...all })).toEqual(settings);
  });

  it("name the real workspace, and paths from there", () => {
    const settings = resolveBubblewrapOptions({
      workspace: join(base, "link"),
      writable: ["../cache", "/a/./b"],
      readable: ["lib"],
      hidden: ["secret"],
    });
    expect(settings).toMatchObject({
      workspace,
      writable: [join(base, "cache"), "/a/b"],
      readable: [join(workspace, "lib")],
      hidden: [join(workspace, "secret")],
    });
  });

  it.each([
    [{ workspace: undefined }, /needs a workspace, got undefined/],
    [{ workspace: "" }, /needs a workspace/],
    [{ workspace: 5 }, /needs a workspace, got 5/],
    [{ workspace: "/no/such/place" }, /workspace "\/no\/such\/place" does not exist/],
    [{ workspace: "/" }, /\/ cannot be a workspace/],
    [{ workspace: "/proc/sys" }, /\/proc\/sys cannot be a workspace/],
    [{ workspace: "/dev" }, /\/dev cannot be a workspace/],
    [{ workspace: "/sys" }, /\/sys cannot be a workspace/],
    [{ network: "yes" }, /network must be true or false, got "yes"/],
    [{ scanDepth: 0 }, /scanDepth must be a whole number from 1 up, got 0/],
    [{ scanDepth: 1.5 }, /scanDepth/],
    [{ writable: "cache" }, /writable must be a list of texts/],
    [{ readable: [1] }, /readable must be a list of texts/],
    [{ hidden: [""] }, /hidden must be a list of texts/],
    [{ hidden: ["a\0b"] }, /hidden must be a list of texts/],
    [{ readable: ["~/.cargo"] }, /readable holds "~\/\.cargo"; only a shell understands ~/],
    [{ protectedNames: [2] }, /protectedNames must be/],
    [{ readOnlyNames: {} }, /readOnlyNames must be/],
    [{ absentNames: ["a/b"] }, /absentNames holds "a\/b", which is not one plain name/],
    [{ absentNames: [".env*"] }, /absentNames holds/],
    [{ absentNames: [".."] }, /absentNames holds/],
    [{ absentNames: ["./"] }, /absentNames holds/],
    [{ absentNames: ["/"] }, /absentNames holds/],
    [{ program: "bwrap" }, /program must be the absolute path of bwrap, got "bwrap"/],
    [{ program: 1 }, /program must be/],
  ])("are refused when they make no sense: %j", (options, message) => {
    const make = () => bubblewrapSandbox({ workspace, ...options } as never);
    expect(make).toThrow(message);
    expect(make).toThrow(expect.objectContaining({ name: "TypeError", code: "RUNTIME_INVALID_CONFIG" }));
  });

  it("refuse a bwrap that commands can replace", () => {
    expect(() => bubblewrapSandbox({ workspace, program: join(workspace, "bwrap") })).toThrow(
      /lies where commands can replace it/,
    );
    expect(() => bubblewrapSandbox({ workspace, writable: ["/opt/x"], program: "/opt/x/bwrap" })).toThrow(/lies where/);
    expect(bubblewrapSandbox({ workspace, program: `${workspace}-bwrap` }).name).toBe("bubblewrap");
  });

  it("decide what is promised, and what a model is told", () => {
    const closed = bubblewrapSandbox({ workspace });
    expect(closed).toMatchObject({
      name: "bubblewrap",
      guarantees: { fsWrite: "listed", fsRead: "listed", net: "closed", proc: "closed" },
    });
    expect(closed.description).toBe(
      `Commands run in a sandbox: they can write to ${workspace}, /tmp only, see nothing of home directories and reach no network; what they write to /tmp is gone after each command. Where .env, .mcp.json, .npmrc are empty, they are placeholders.`,
    );
    const open = bubblewrapSandbox({ workspace, network: true, writable: ["/c"], absentNames: [".git/"] });
    expect(open.guarantees.net).toBe("open");
    expect(open.description).toBe(
      `Commands run in a sandbox: they can write to ${workspace}, /c, /tmp only, see nothing of home directories and reach the network; what they write to /tmp is gone after each command.`,
    );
  });
});
