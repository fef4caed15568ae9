import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createConfinement } from "../../src/process/confine.ts";
import { PROTECTED_NAMES, READ_ONLY_NAMES } from "../../src/process/confine-names.ts";
import { split } from "../../src/process/confine-resolve.ts";
import type { Confinement, PathOp, PathRequest } from "../../src/process/confine-types.ts";

let base = "";
let root = "";
let confinement: Confinement;

beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "harness-confine-")));
  root = join(base, "proj");
  mkdirSync(join(root, "sub"), { recursive: true });
  mkdirSync(join(base, "proj-evil"));
  mkdirSync(join(base, "out"));
  writeFileSync(join(base, "out", "secret.txt"), "secret");
  writeFileSync(join(root, "a.txt"), "inside");
  confinement = createConfinement({ roots: [root] });
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

const decide = (op: PathOp, path: string) => confinement.check({ op, path }).decision;
const link = (target: string, name: string) => symlinkSync(target, join(root, name));

describe("a path", () => {
  it.each(["a.txt", "./a.txt", "sub/../a.txt", "sub", ".", "new.txt", "new/deep/er.txt", "..a", "...", "a b", "日本"])(
    "inside of the root is allowed: %s",
    (path) => {
      expect(decide("read", path)).toBe("allow");
      expect(decide("write", path)).toBe("allow");
    },
  );

  it.each([
    "..",
    "../x",
    "sub/../../x",
    "new/../../x",
    "/etc/passwd",
    "/",
    "../proj-evil/x",
    "../../../../../../etc/passwd",
  ])("outside of the root is denied: %s", (path) => {
    expect(confinement.check({ op: "read", path })).toMatchObject({ decision: "deny", isOutside: true });
  });

  it.each(["", "a\0b", "~", "~/x", "~root/x", "a\\..\\..\\x", "..\\x", "x".repeat(5_000)])(
    "that is none is denied: %j",
    (path) => {
      expect(confinement.check({ op: "read", path })).toMatchObject({ decision: "deny", isOutside: false });
    },
  );

  it.each([undefined, null, 5, {}, ["a"]])("that is no text is denied: %j", (path) => {
    expect(decide("read", path as never)).toBe("deny");
  });

  it("below the root is told with its real form and its root", () => {
    expect(confinement.check({ op: "read", path: join(root, "sub/../a.txt") })).toEqual({
      decision: "allow",
      path: join(root, "a.txt"),
      root,
      exists: true,
    });
    expect(confinement.check({ op: "write", path: "sub/none" })).toMatchObject({
      path: join(root, "sub/none"),
      exists: false,
    });
  });

  it("starts at the base that is given, which need not be allowed itself", () => {
    expect(confinement.check({ op: "read", path: "x", base: join(root, "sub") })).toMatchObject({
      path: join(root, "sub/x"),
    });
    expect(confinement.check({ op: "read", path: "x", base }).decision).toBe("deny");
    expect(confinement.check({ op: "read", path: "proj/x", base }).decision).toBe("allow");
  });

  it("may lie in any of several roots", () => {
    const two = createConfinement({ roots: [root, join(base, "out")] });
    expect(two.check({ op: "read", path: join(base, "out/secret.txt") }).decision).toBe("allow");
    expect(two.check({ op: "read", path: join(base, "proj-evil") }).decision).toBe("deny");
  });
});

describe("a link", () => {
  it("to the outside is denied, whatever stands behind it", () => {
    link(join(base, "out"), "dlink");
    link(join(base, "out/secret.txt"), "flink");
    for (const path of ["dlink", "dlink/secret.txt", "dlink/new.txt", "dlink/a/b/c", "flink", "sub/../dlink/x"]) {
      expect(decide("read", path), path).toBe("deny");
      expect(decide("write", path), path).toBe("deny");
    }
  });

  it("that leads nowhere yet is judged by where it leads", () => {
    link(join(base, "out/absent"), "dangling");
    link("absent", "harmless");
    expect(decide("write", "dangling")).toBe("deny");
    expect(confinement.check({ op: "write", path: "harmless" })).toMatchObject({
      decision: "allow",
      path: join(root, "absent"),
    });
  });

  it("is followed before a .. behind it", () => {
    link(join(base, "out"), "dlink");
    mkdirSync(join(root, "sub/deep"));
    link("sub/deep", "inner");
    expect(decide("read", "dlink/../proj/a.txt")).toBe("allow");
    expect(confinement.check({ op: "read", path: "inner/../x" })).toMatchObject({ path: join(root, "sub/x") });
    expect(decide("read", "inner/../../../x")).toBe("deny");
  });

  it("through other links is followed to its end", () => {
    link("two", "one");
    link("../out", "two");
    link("a.txt", "three");
    expect(decide("read", "one/secret.txt")).toBe("deny");
    expect(confinement.check({ op: "read", path: "three" })).toMatchObject({ path: join(root, "a.txt") });
  });

  it("to itself is denied", () => {
    link("loop", "loop");
    link("ping", "pong");
    link("pong", "ping");
    expect(confinement.check({ op: "read", path: "loop" })).toMatchObject({
      decision: "deny",
      reason: expect.stringMatching(/too many links/),
    });
    expect(decide("read", "ping/x")).toBe("deny");
  });

  it("to a protected name, or with one, is denied", () => {
    writeFileSync(join(root, ".env"), "KEY=1");
    link(".env", "settings");
    link("a.txt", ".env.local");
    expect(decide("read", "settings")).toBe("deny");
    expect(decide("read", ".env.local")).toBe("deny");
    expect(decide("read", join(root, ".env.local"))).toBe("deny");
  });

  it("that leads in from outside is judged by where it leads", () => {
    symlinkSync(join(root, "sub"), join(base, "in"));
    expect(confinement.check({ op: "read", path: join(base, "in/x") })).toMatchObject({ path: join(root, "sub/x") });
    expect(confinement.check({ op: "read", path: join(base, "in/.env") }).decision).toBe("deny");
    expect(confinement.check({ op: "write", path: join(base, "in/.vscode") }).decision).toBe("deny");
  });

  it("as the root itself is resolved once, when the confinement is made", () => {
    symlinkSync(root, join(base, "way"));
    const through = createConfinement({ roots: [join(base, "way")] });
    expect(through.roots).toEqual([root]);
    rmSync(join(base, "way"));
    symlinkSync(join(base, "out"), join(base, "way"));
    expect(through.check({ op: "read", path: "a.txt" })).toMatchObject({ path: join(root, "a.txt") });
    expect(through.check({ op: "read", path: join(base, "way/secret.txt") }).decision).toBe("deny");
  });
});

describe("a protected name", () => {
  it.each([
    ".git",
    ".GIT",
    ".Git/config",
    "sub/.git/hooks/pre-commit",
    ".git.",
    ".git ",
    ".git::$INDEX_ALLOCATION",
    "GIT~1",
    ".g\u200cit",
    ".env",
    ".env.production",
    ".ENV",
    ".envrc",
    ".ssh/id_rsa",
    "id_ed25519",
    "id_rsa.pub",
    "keys/server.PEM",
    "x.key",
    ".netrc",
    ".npmrc",
    ".aws/credentials",
    "\uff0egit/config",
  ])("is neither read nor written, also when it is absent: %s", (path) => {
    expect(decide("read", path)).toBe("deny");
    expect(decide("list", path)).toBe("deny");
    expect(decide("write", path)).toBe("deny");
    expect(decide("delete", path)).toBe("deny");
  });

  it.each([
    ".bashrc",
    ".BashRC",
    "sub/.vscode/tasks.json",
    ".husky/pre-push",
    "hooks/pre-commit",
    ".gitmodules",
    ".mcp.json",
    ".claude/settings.json",
  ])("of a start-up file or hook is read but not written: %s", (path) => {
    expect(decide("read", path)).toBe("allow");
    expect(decide("write", path)).toBe("deny");
    expect(decide("delete", path)).toBe("deny");
    expect(decide("anything" as PathOp, path)).toBe("deny");
  });

  it.each([
    ".gitignore",
    "git",
    "env",
    "environment.ts",
    "ssh.md",
    "keys",
    "key",
    "monkey",
    "pem.txt",
    ".github/workflows/ci.yml",
    "a.git.txt",
    "hooks/use-state.ts",
  ])("is not every name that looks a little like one: %s", (path) => {
    expect(decide("write", path)).toBe("allow");
  });

  it("comes from the list of the host when there is one", () => {
    const own = createConfinement({ roots: [root], protectedNames: ["secret*"], readOnlyNames: [] });
    expect(own.check({ op: "read", path: "secrets/x" }).decision).toBe("deny");
    expect(own.check({ op: "write", path: ".git/config" }).decision).toBe("allow");
    const more = createConfinement({
      roots: [root],
      protectedNames: [...PROTECTED_NAMES, "x"],
      readOnlyNames: [...READ_ONLY_NAMES, "y"],
    });
    expect(more.check({ op: "read", path: "x" }).decision).toBe("deny");
    expect(more.check({ op: "read", path: "y" }).decision).toBe("allow");
    expect(more.check({ op: "write", path: "y" }).decision).toBe("deny");
    expect(more.isProtected("X")).toBe(true);
    expect(more.isProtected("y")).toBe(false);
  });

  it("above the root does not matter", () => {
    const inner = join(base, ".ssh", "proj");
    mkdirSync(inner, { recursive: true });
    const own = createConfinement({ roots: [inner] });
    expect(own.check({ op: "read", path: "a.txt" }).decision).toBe("allow");
    expect(own.check({ op: "read", path: join(inner, "a.txt") }).decision).toBe("allow");
  });
});

describe("what is no file", () => {
  it("is denied: pipes, devices, the system's own folders", () => {
    execFileSync("mkfifo", [join(root, "pipe")]);
    expect(confinement.check({ op: "read", path: "pipe" })).toMatchObject({
      decision: "deny",
      reason: expect.stringMatching(/no regular file/),
    });
    link("/dev/null", "null");
    expect(decide("read", "null")).toBe("deny");
    const everything = createConfinement({ roots: ["/"] });
    for (const path of ["/dev/null", "/dev/sda", "/proc/self/environ", "/proc/1/mem", "/sys/power/state", "/proc"]) {
      expect(everything.check({ op: "read", path }).decision, path).toBe("deny");
    }
    expect(everything.check({ op: "read", path: join(root, "a.txt") }).decision).toBe("allow");
  });

  it("is denied where it cannot be looked at", () => {
    expect(decide("read", `${"x".repeat(300)}/y`)).toBe("deny");
  });
});

describe("making a confinement", () => {
  it("needs roots", () => {
    for (const roots of [undefined, [], [""], ["a\0b"], [5]]) {
      expect(() => createConfinement({ roots: roots as never })).toThrow(TypeError);
    }
    link("loop", "loop");
    expect(() => createConfinement({ roots: [join(root, "loop")] })).toThrow(/cannot be used/);
  });

  it("takes a root that does not exist yet", () => {
    const later = createConfinement({ roots: [join(base, "later")] });
    expect(later.check({ op: "write", path: "x" }).decision).toBe("allow");
    expect(later.check({ op: "write", path: "../x" }).decision).toBe("deny");
  });
});

describe("the names of a path", () => {
  it("are parted by a backslash too where the platform says so", () => {
    expect(split("a\\b/c", "\\")).toEqual(["a", "b", "c"]);
    expect(split("a\\b/c", "/")).toEqual(["a\\b", "c"]);
  });
});

describe("the path cases of the gate", () => {
  const { cases } = JSON.parse(readFileSync(new URL("../cases/gate.json", import.meta.url), "utf8")) as {
    cases: { id: string; kind: string; why: string; input: PathRequest; expected: { decision: string } }[];
  };

  it.each(cases.filter(({ kind }) => kind === "path"))("$id: $why", ({ input: { op, path }, expected }) => {
    link(join(base, "out"), "dlink");
    const here = path.replace("/srv/proj", root);
    expect(confinement.check({ op, path: here }).decision).toBe(expected.decision);
  });
});

describe("opening", () => {
  it("reads and writes inside", async () => {
    const written = await confinement.open({ op: "write", path: "sub/new.txt", flags: "w" });
    await written.handle.writeFile("hello");
    await written.handle.close();
    expect(written.path).toBe(join(root, "sub/new.txt"));
    const read = await confinement.open({ op: "read", path: "sub/new.txt" });
    expect(await read.handle.readFile("utf8")).toBe("hello");
    await read.handle.close();
  });

  it("starts a file anew, adds to it, changes it, or creates it only", async () => {
    const write = async (flags: "w" | "a" | "r+" | "wx", text: string) => {
      const { handle } = await confinement.open({ op: "write", path: "f.txt", flags });
      await handle.writeFile(text);
      await handle.close();
      return readFileSync(join(root, "f.txt"), "utf8");
    };
    expect(await write("wx", "first")).toBe("first");
    await expect(write("wx", "second")).rejects.toMatchObject({ code: "EEXIST" });
    expect(await write("a", "+")).toBe("first+");
    expect(await write("r+", "F")).toBe("First+");
    expect(await write("w", "x")).toBe("x");
  });

  it("opens directories, the root included, to be listed", async () => {
    for (const path of [".", "sub", root]) {
      const { handle } = await confinement.open({ op: "list", path });
      expect((await handle.stat()).isDirectory()).toBe(true);
      await handle.close();
    }
  });

  it("refuses what the check refuses, and creates nothing there", async () => {
    link(join(base, "out"), "dlink");
    link(join(base, "out/absent"), "dangling");
    for (const path of ["dlink/new.txt", "dangling", "../x", ".env", ".git/config"]) {
      await expect(confinement.open({ op: "write", path, flags: "w" })).rejects.toMatchObject({
        kind: "permission",
        code: "PERMISSION_DENIED",
      });
    }
    await expect(confinement.open({ op: "write", path: ".", flags: "w" })).rejects.toThrow();
    expect(existsSync(join(base, "out/new.txt"))).toBe(false);
    expect(existsSync(join(base, "out/absent"))).toBe(false);
  });

  it("judges a writing by its flags, whatever it is called", async () => {
    await expect(confinement.open({ op: "read", path: ".bashrc", flags: "w" })).rejects.toMatchObject({
      kind: "permission",
    });
    expect(existsSync(join(root, ".bashrc"))).toBe(false);
  });

  it("lets the system say what is missing", async () => {
    await expect(confinement.open({ op: "read", path: "absent.txt" })).rejects.toMatchObject({ code: "ENOENT" });
    await expect(confinement.open({ op: "read", path: "absent/deep.txt" })).rejects.toMatchObject({ code: "ENOENT" });
  });

  it("does not wait for a pipe that came after the check", async () => {
    const racing = createConfinement({ roots: [root] });
    execFileSync("mkfifo", [join(root, "pipe")]);
    await expect(racing.open({ op: "read", path: "pipe" })).rejects.toMatchObject({ kind: "permission" });
  });

  it("gives a place in which files are renamed and removed", async () => {
    const place = await confinement.openPlace({ op: "write", path: "sub/target.txt" });
    expect(place).toMatchObject({ path: join(root, "sub/target.txt"), name: "target.txt" });
    writeFileSync(place.at("tmp"), "new");
    renameSync(place.at("tmp"), place.at(place.name));
    await place.handle.close();
    expect(readFileSync(join(root, "sub/target.txt"), "utf8")).toBe("new");
    await expect(confinement.openPlace({ op: "delete", path: "." })).rejects.toMatchObject({ kind: "permission" });
    await expect(confinement.openPlace({ op: "delete", path: "../x" })).rejects.toMatchObject({ kind: "permission" });
  });
});
