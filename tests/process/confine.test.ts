import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createConfinement } from "../../src/process/confine.ts";
import { split } from "../../src/process/confine-resolve.ts";
import type { Confinement, PathOp, PathRequest } from "../../src/process/confine-types.ts";
import { makeConfinedFolder } from "./confined-folder.ts";

let base = "";
let root = "";
let confinement: Confinement;

beforeEach(() => {
  ({ base, root, confinement } = makeConfinedFolder());
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
