import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createConfinement } from "../../src/process/confine.ts";
import { PROTECTED_NAMES, READ_ONLY_NAMES } from "../../src/process/confine-names.ts";
import type { Confinement, PathOp } from "../../src/process/confine-types.ts";
import { makeConfinedFolder } from "./confined-folder.ts";

let base = "";
let root = "";
let confinement: Confinement;

beforeEach(() => {
  ({ base, root, confinement } = makeConfinedFolder());
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

const decide = (op: PathOp, path: string) => confinement.check({ op, path }).decision;

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
