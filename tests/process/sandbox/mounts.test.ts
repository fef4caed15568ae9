import { basename, dirname } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { toBubblewrapCommand } from "../../../src/process/sandbox/bubblewrap-command.ts";
import { BUBBLEWRAP_CONTROL } from "../../../src/process/sandbox/bubblewrap-report.ts";
import { type Mount, toBubblewrapOptions } from "../../../src/process/sandbox/mounts.ts";

describe("the mounts of a sandbox", () => {
  it("are written for bwrap, each in its way", () => {
    expect(
      toBubblewrapOptions([
        { type: "readOnly", path: "/a" },
        { type: "writable", path: "/b" },
        { type: "link", path: "/c", target: "usr/c" },
        { type: "scratch", path: "/d" },
        { type: "emptyDirectory", path: "/e" },
        { type: "covered", path: "/f", source: "/dev/null" },
        { type: "proc", path: "/proc" },
        { type: "dev", path: "/dev" },
      ]),
    ).toEqual([
      ...["--ro-bind", "/a", "/a", "--bind", "/b", "/b", "--symlink", "usr/c", "/c", "--tmpfs", "/d", "--tmpfs", "/e"],
      ...["--ro-bind", "/dev/null", "/f", "--proc", "/proc", "--dev", "/dev"],
      ...["--remount-ro", "/e", "--remount-ro", "/"],
    ]);
  });

  it("come from above to below, and of two at one place the later one counts", () => {
    const mounts: Mount[] = [
      { type: "covered", path: "/w/deep/.env", source: "/dev/null" },
      { type: "writable", path: "/w" },
      { type: "scratch", path: "/w/" },
      { type: "emptyDirectory", path: "/home" },
    ];
    expect(toBubblewrapOptions(mounts)).toEqual([
      ...["--bind", "/w", "/w", "--tmpfs", "/w/", "--tmpfs", "/home", "--ro-bind", "/dev/null", "/w/deep/.env"],
      ...["--remount-ro", "/home", "--remount-ro", "/"],
    ]);
  });

  it("never cover what lies below with what lies above", () => {
    const path = fc
      .array(fc.constantFrom("a", "b"), { minLength: 1, maxLength: 4 })
      .map((names) => `/${names.join("/")}`);
    fc.assert(
      fc.property(fc.array(path), (paths) => {
        const options = toBubblewrapOptions(paths.map((each) => ({ type: "scratch", path: each })));
        const order = options.filter((_option, index) => options[index - 1] === "--tmpfs");
        order.forEach((each, index) => {
          for (const later of order.slice(index + 1)) expect(each.startsWith(`${later}/`)).toBe(false);
        });
        expect([...order].sort()).toEqual([...paths].sort());
      }),
    );
  });
});

describe("the command line of bwrap", () => {
  const frame = { program: "/usr/bin/bwrap", mounts: [], network: false };
  const spec = { file: "npm", args: ["--", "x"], cwd: "/w", env: {}, background: "kill" } as const;

  it("parts everything, drops every privilege and ends the options before the command", () => {
    expect(toBubblewrapCommand(frame, spec)).toEqual({
      file: "/usr/bin/bwrap",
      args: [
        ...["--unshare-all", "--unshare-user", "--disable-userns", "--cap-drop", "ALL", "--new-session"],
        ...["--remount-ro", "/", "--chdir", "/w", "--json-status-fd", "3", "--", "npm", "--", "x"],
      ],
      cwd: "/",
      env: {},
      control: BUBBLEWRAP_CONTROL,
    });
  });

  it("keeps the network only where it is allowed", () => {
    expect(toBubblewrapCommand(frame, spec).args).not.toContain("--share-net");
    const { args } = toBubblewrapCommand({ ...frame, network: true }, spec);
    expect(args.indexOf("--share-net")).toBeGreaterThan(args.indexOf("--unshare-all"));
  });

  it("spells the path of the program that runs us in another way, which Deno would take for a call of itself", () => {
    const mounts = [{ type: "readOnly", path: process.execPath } as const];
    const { args } = toBubblewrapCommand({ ...frame, mounts }, { ...spec, args: [process.execPath] });
    const spelled = `${dirname(process.execPath)}/./${basename(process.execPath)}`;
    expect(args.slice(args.indexOf("--ro-bind"), args.indexOf("--remount-ro"))).toEqual([
      "--ro-bind",
      spelled,
      spelled,
    ]);
    expect(args.at(-1)).toBe(process.execPath);
  });

  it("hands the environment on, but sets inside only what a loader acts on", () => {
    const loader = {
      LD_PRELOAD: "a",
      LD_LIBRARY_PATH: "b",
      GLIBC_TUNABLES: "c",
      GCONV_PATH: "d",
      LOCPATH: "e",
      NLSPATH: "f",
      MALLOC_TRACE: "g",
    };
    const others = { PATH: "/bin", OLD_PATH: "x", MY_LD_PATH: "y", LOCPATHS: "z", XMALLOC_: "1" };
    const { args, env } = toBubblewrapCommand(frame, { ...spec, env: { ...loader, ...others, UNSET: undefined } });
    expect(env).toEqual(others);
    const set = args.slice(args.indexOf("--setenv"), args.indexOf("--chdir"));
    expect(set).toEqual(Object.entries(loader).flatMap(([name, value]) => ["--setenv", name, value]));
  });
});
