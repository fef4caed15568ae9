import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { homeMounts } from "../../../src/process/sandbox/bubblewrap-view.ts";
import { openExtraStdio } from "../../../src/process/sandbox/extra-stdio.ts";
import { closedFiles, covered, runtimeMounts, systemMounts } from "../../../src/process/sandbox/system-view.ts";

let base = "";
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "harness-view-")));
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

describe.runIf(process.platform === "linux")("the part of the system that commands see", () => {
  it("is programs and settings, to be read only, and nothing that people keep", () => {
    const mounts = systemMounts(false);
    expect(mounts).toEqual(
      expect.arrayContaining([
        { type: "readOnly", path: "/usr" },
        { type: "readOnly", path: "/etc" },
        { type: "proc", path: "/proc" },
        { type: "dev", path: "/dev" },
        { type: "scratch", path: "/tmp" },
        { type: "scratch", path: "/var/tmp" },
      ]),
    );
    expect(mounts.filter(({ type }) => type === "writable")).toEqual([]);
    for (const path of ["/", "/home", "/root", "/var", "/run", "/srv", "/mnt", "/media", "/sys", "/boot"]) {
      expect(mounts.map((mount) => mount.path)).not.toContain(path);
    }
  });

  it("holds links as links", () => {
    const bin = systemMounts(false).find(({ path }) => path === "/bin");
    expect(bin).toEqual(
      realpathSync("/bin") === "/bin"
        ? { type: "readOnly", path: "/bin" }
        : { type: "link", path: "/bin", target: "usr/bin" },
    );
  });

  it.runIf(process.getuid?.() === 0)("keeps from root what only root may read or write", () => {
    const mounts = systemMounts(false);
    expect(mounts).toEqual(
      expect.arrayContaining(
        [
          { type: "readOnly", path: "/proc/sys" },
          { type: "readOnly", path: "/proc/sysrq-trigger" },
          { type: "covered", path: "/etc/shadow", source: "/dev/null" },
          { type: "covered", path: "/proc/kmsg", source: "/dev/null" },
        ].filter(({ path }) => path !== "/proc/sysrq-trigger" || exists(path)),
      ),
    );
  });

  it("shows who resolves names only where there is a network", () => {
    const extra = systemMounts(true).length - systemMounts(false).length;
    expect(extra).toBe(exists("/etc/resolv.conf") && !realpathSync("/etc/resolv.conf").startsWith("/etc/") ? 1 : 0);
  });
});

const exists = (path: string) => {
  try {
    readFileSync(path);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ENOENT";
  }
};

describe("closed files", () => {
  it("are those that not everybody may read, links aside", () => {
    const make = (name: string, mode: number) => {
      writeFileSync(join(base, name), "");
      chmodSync(join(base, name), mode);
    };
    make("open", 0o644);
    make("owner", 0o600);
    make("group", 0o640);
    make("odd", 0o604);
    mkdirSync(join(base, "folder"));
    make("folder/inner", 0o400);
    for (const [name, mode] of [
      ["closed", 0o750],
      ["listed", 0o754],
      ["passed", 0o751],
    ] as const) {
      mkdirSync(join(base, name));
      make(`${name}/inside`, 0o600);
      chmodSync(join(base, name), mode);
    }
    symlinkSync("owner", join(base, "link"));
    expect(closedFiles(base).sort()).toEqual(
      ["closed", "folder/inner", "group", "listed", "owner", "passed"].map((name) => join(base, name)).sort(),
    );
  });
});

describe("what is covered", () => {
  it("looks empty, and cannot be opened", () => {
    expect(covered(base)).toEqual({ type: "emptyDirectory", path: base });
    expect(covered("/etc/passwd")).toEqual({ type: "covered", path: "/etc/passwd", source: "/dev/null" });
    expect(covered("/no/such/file")).toEqual({ type: "covered", path: "/no/such/file", source: "/dev/null" });
  });
});

describe("the Node that runs us", () => {
  it.each([
    ["/usr/bin/node", "/home/me", []],
    ["/opt/node/bin/node", "/home/me", []],
    ["/home/me/.nvm/versions/node/v20/bin/node", "/home/me", ["/home/me/.nvm/versions/node/v20"]],
    ["/srv/node/bin/node", "/home/me", ["/srv/node"]],
    ["/home/me/bin/node", "/home/me", ["/home/me/bin/node"]],
    ["/home/bin/node", "/home/me", ["/home/bin/node"]],
    ["/home/me/node", "/home/me", ["/home/me/node"]],
    ["/srv/app/app", "/home/me", ["/srv/app/app"]],
  ])("is shown without showing a home directory: %s", (program, home, paths) => {
    expect(runtimeMounts(program, home)).toEqual(paths.map((path) => ({ type: "readOnly", path })));
  });
});

describe("a home directory", () => {
  it.each(["/home/me", "/root", "/work/deep", "/nonexistent", "/home/me/"])("is scratch: %s", (home) => {
    expect(homeMounts(home, "/work/deep/project")).toEqual([{ type: "scratch", path: home.replace(/\/$/, "") }]);
  });

  it.each([
    "/",
    "",
    "relative",
    "/work/deep/project",
    "/work/deep/project/home",
    "/usr/home",
    "/etc",
    "/opt/me",
    "/proc/1",
    "/dev",
  ])("is left as it is where it must not be covered: %j", (home) => {
    expect(homeMounts(home, "/work/deep/project")).toEqual([]);
  });
});

describe("the descriptors that a wrapper starts with", () => {
  const fdinfo = (flags: Record<string, string>) => {
    for (const [fd, text] of Object.entries(flags)) writeFileSync(join(base, fd), text);
    return base;
  };
  const OPEN = "pos:\t0\nflags:\t0100001\nmnt_id:\t9\n";
  const CLOSES = "pos:\t0\nflags:\t02100001\n";

  it("are a pipe for the report, or none", () => {
    expect(openExtraStdio(true, fdinfo({ 0: OPEN, 1: OPEN, 2: OPEN, 9: CLOSES })).entries).toEqual(["pipe"]);
    expect(openExtraStdio(false, base).entries).toEqual([]);
    expect(openExtraStdio(true, join(base, "none")).entries).toEqual(["pipe"]);
  });

  it("cover what our own parent left open", () => {
    const path = fdinfo({ 2: OPEN, 3: OPEN, 5: OPEN, 6: CLOSES, 8: OPEN, 12: "no flags" });
    const withReport = openExtraStdio(true, path);
    const nothing = withReport.entries[2];
    expect(typeof nothing).toBe("number");
    expect(withReport.entries).toEqual([
      "pipe",
      "ignore",
      nothing,
      "ignore",
      "ignore",
      nothing,
      "ignore",
      "ignore",
      "ignore",
      nothing,
    ]);
    withReport.close();
    const without = openExtraStdio(false, path);
    expect(without.entries.slice(0, 3)).toEqual([expect.any(Number), "ignore", expect.any(Number)]);
    without.close();
  });

  it("take a descriptor that is closed meanwhile for closed", () => {
    symlinkSync("gone", join(base, "7"));
    expect(openExtraStdio(false, base).entries).toEqual([]);
  });
});
