/**
 * What happens between the moment a path is allowed and the moment it is open.
 */
import { execFileSync } from "node:child_process";
import {
  constants,
  existsSync,
  lstatSync,
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
import { openNumbers } from "../../src/process/confine-flags.ts";
import { type Opening, openConfined, openingOf, openPlace, pathOf } from "../../src/process/confine-open.ts";
import type { Confinement, OpenFlags, PathVerdict } from "../../src/process/confine-types.ts";

let base = "";
let root = "";
let confinement: Confinement;

beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "harness-open-")));
  root = join(base, "proj");
  mkdirSync(join(root, "sub/deep"), { recursive: true });
  mkdirSync(join(base, "out/deep"), { recursive: true });
  writeFileSync(join(base, "out/file"), "secret");
  writeFileSync(join(base, "out/deep/file"), "secret");
  writeFileSync(join(root, "sub/file"), "inside");
  writeFileSync(join(root, "sub/deep/file"), "inside");
  confinement = createConfinement({ roots: [root] });
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

/** The systems that tests can play: one that says where a descriptor leads, and one that does not. */
const SYSTEMS = [true, false].filter((hasDescriptorPaths) => !hasDescriptorPaths || process.platform === "linux");

/** Allows as the confinement does, and after the check with this number does what a racing program would. */
function interferingAfter(number: number, interfere: () => void, hasDescriptorPaths: boolean): Opening {
  let checks = 0;
  const check = (request: Parameters<Confinement["check"]>[0]): PathVerdict => {
    const verdict = confinement.check(request);
    if (++checks === number) interfere();
    return verdict;
  };
  return { check, hasDescriptorPaths };
}

const exchange = (path: string, target: string) => {
  renameSync(path, `${path}-away`);
  symlinkSync(target, path);
};

describe.each(SYSTEMS)(
  "a path that is exchanged while it is opened (the descriptor tells where it leads: %s)",
  (tells) => {
    const opening = (
      flags: OpenFlags,
      path: string,
      { number, interfere }: { number: number; interfere: () => void },
    ) =>
      openConfined({ op: flags === "r" ? "read" : "write", path, flags }, interferingAfter(number, interfere, tells));
    const refused = { kind: "permission", code: "PERMISSION_DENIED" };

    it.each(["r", "r+", "w", "a", "wx"] as const)("is not opened when it became a link: %s", async (flags) => {
      const path = flags === "wx" ? "sub/new" : "sub/file";
      for (const number of [1, 2, 3]) {
        const interfere = () => {
          rmSync(join(root, path), { force: true });
          symlinkSync(join(base, "out/file"), join(root, path));
        };
        const became = `The path ${JSON.stringify(join(root, path))} is not allowed: it became a link.`;
        const failure = { ...refused, message: number === 1 ? expect.stringContaining("outside") : became };
        const told = flags === "wx" && number > 1 ? { code: "EEXIST" } : failure;
        await expect(opening(flags, path, { number, interfere })).rejects.toMatchObject(told);
        rmSync(join(root, path));
        if (flags !== "wx") writeFileSync(join(root, path), "inside");
      }
      expect(readFileSync(join(base, "out/file"), "utf8")).toBe("secret");
    });

    it.each(["r", "w", "a", "wx"] as const)("leads nowhere when its directory became a link: %s", async (flags) => {
      for (const number of [1, 2, 3]) {
        const path = flags === "wx" ? "sub/new" : "sub/file";
        const interfere = () => exchange(join(root, "sub"), join(base, "out"));
        await opening(flags, path, { number, interfere }).then(
          ({ handle }) => handle.close(),
          () => {},
        );
        expect(readFileSync(join(base, "out/file"), "utf8")).toBe("secret");
        rmSync(join(root, "sub"));
        renameSync(join(root, "sub-away"), join(root, "sub"));
        rmSync(join(root, "sub/new"), { force: true });
      }
      if (tells) expect(existsSync(join(base, "out/new"))).toBe(false);
    });

    it("is refused when a directory above its own became a link", async () => {
      const interfere = () => exchange(join(root, "sub"), join(base, "out"));
      const failure = {
        ...refused,
        message: expect.stringMatching(/it was exchanged while it was opened|is outside of the workspace/),
      };
      await expect(opening("r", "sub/deep/file", { number: 1, interfere })).rejects.toMatchObject(failure);
      rmSync(join(root, "sub"));
      renameSync(join(root, "sub-away"), join(root, "sub"));
      await expect(opening("r", "sub/deep/file", { number: 2, interfere })).rejects.toMatchObject(failure);
    });

    it("is refused when it became a pipe or a device, without waiting for anybody", async () => {
      const interfere = () => {
        rmSync(join(root, "sub/file"));
        execFileSync("mkfifo", [join(root, "sub/file")]);
      };
      const failure = { ...refused, message: expect.stringMatching(/it is no regular file and no directory\.$/) };
      await expect(opening("r", "sub/file", { number: 2, interfere })).rejects.toMatchObject(failure);
    });

    it("is refused when what was opened is not allowed any more", async () => {
      let checks = 0;
      const denied = { decision: "deny", reason: "it is not what it was", isOutside: false } as const;
      const check: Opening["check"] = (request) => (++checks === 4 ? denied : confinement.check(request));
      await expect(
        openConfined({ op: "read", path: "sub/file" }, { check, hasDescriptorPaths: tells }),
      ).rejects.toMatchObject({ ...refused, message: expect.stringMatching(/it is not what it was\.$/) });
    });

    it("is told as missing when it was removed", async () => {
      for (const path of ["sub/file", "sub"]) {
        const interfere = () => rmSync(join(root, path), { recursive: true });
        await expect(opening("r", "sub/file", { number: 1, interfere })).rejects.toMatchObject({ code: "ENOENT" });
      }
    });

    it("is opened when nothing happens to it, the workspace itself to be listed only", async () => {
      const opened = async (flags: OpenFlags, path: string) => {
        const result = await openConfined(
          { op: "list", path, flags },
          { check: confinement.check, hasDescriptorPaths: tells },
        );
        await result.handle.close();
        return result.path;
      };
      expect(await opened("r", "sub/file")).toBe(join(root, "sub/file"));
      expect(await opened("r", "sub")).toBe(join(root, "sub"));
      expect(await opened("r", ".")).toBe(root);
      expect(await opened("wx", "sub/new")).toBe(join(root, "sub/new"));
      await expect(opened("w", ".")).rejects.toMatchObject({
        ...refused,
        message: 'The path "." is not allowed: it is the workspace itself.',
      });
    });

    it("is created in a place that stays the same", async () => {
      const place = await openPlace(
        { op: "write", path: "sub/new" },
        { check: confinement.check, hasDescriptorPaths: tells },
      );
      if (tells) exchange(join(root, "sub"), join(base, "out"));
      writeFileSync(place.at(place.name), "new");
      await place.handle.close();
      expect(existsSync(join(base, "out/new"))).toBe(false);
      expect(readFileSync(join(root, tells ? "sub-away/new" : "sub/new"), "utf8")).toBe("new");
    });

    it("is refused as its own place when it is the workspace or outside", async () => {
      for (const path of [".", root, "../x"]) {
        await expect(
          openPlace({ op: "delete", path }, { check: confinement.check, hasDescriptorPaths: tells }),
        ).rejects.toMatchObject(refused);
      }
    });
  },
);

describe("the path of a descriptor that does not tell", () => {
  it("is what was asked for, if it still is the same file", () => {
    const [path, other] = [join(root, "sub/file"), join(root, "sub/deep/file")];
    expect(pathOf(path, lstatSync(path))).toBe(path);
    expect(pathOf(path, lstatSync(other))).toBeUndefined();
    expect(pathOf(path, { dev: -1, ino: lstatSync(path).ino })).toBeUndefined();
    expect(pathOf(join(root, "gone"), lstatSync(path))).toBeUndefined();
  });
});

describe("the way a path is opened", () => {
  it("looks at descriptors where they say where they lead", () => {
    expect(openingOf(confinement.check).hasDescriptorPaths).toBe(process.platform === "linux");
  });

  it("follows no link at its end, cuts nothing off, and waits for nobody", () => {
    const { file, directory } = openNumbers(constants);
    for (const flags of [...Object.values(file), directory]) {
      expect(flags & constants.O_NOFOLLOW).toBe(constants.O_NOFOLLOW);
      expect(flags & constants.O_TRUNC).toBe(0);
    }
    for (const flags of Object.values(file)) expect(flags & constants.O_NONBLOCK).toBe(constants.O_NONBLOCK);
    expect(directory & constants.O_DIRECTORY).toBe(constants.O_DIRECTORY);
    expect(file.wx & (constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY)).toBe(
      constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY,
    );
    expect(file.a & (constants.O_CREAT | constants.O_APPEND)).toBe(constants.O_CREAT | constants.O_APPEND);
    expect(file.r & (constants.O_CREAT | constants.O_WRONLY | constants.O_RDWR)).toBe(0);
    expect(file["r+"] & constants.O_RDWR).toBe(constants.O_RDWR);
    expect(file.w & (constants.O_CREAT | constants.O_EXCL | constants.O_APPEND)).toBe(constants.O_CREAT);
  });

  it("leaves out what the system does not know", () => {
    const windows = { O_RDONLY: 0, O_WRONLY: 1, O_RDWR: 2, O_APPEND: 8, O_CREAT: 256, O_EXCL: 1_024 };
    expect(openNumbers(windows)).toEqual({ file: { r: 0, "r+": 2, w: 257, a: 265, wx: 1_281 }, directory: 0 });
  });
});
