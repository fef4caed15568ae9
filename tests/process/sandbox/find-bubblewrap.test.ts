import { describe, expect, it } from "vitest";
import { type BubblewrapHost, findBubblewrap } from "../../../src/process/sandbox/find-bubblewrap.ts";

const place = { program: undefined, workspace: "/work", writable: ["/cache"] };
const host = (more: Partial<BubblewrapHost>): BubblewrapHost => ({
  platform: "linux",
  path: undefined,
  exists: () => true,
  ...more,
});
const only =
  (...paths: string[]) =>
  (path: string) =>
    paths.includes(path);

describe("the search for bwrap", () => {
  it("takes the first one on PATH", () => {
    expect(findBubblewrap(place, host({ path: "/a:/b/", exists: only("/b/bwrap", "/usr/bin/bwrap") }))).toBe(
      "/b/bwrap",
    );
  });

  it("looks in the usual places as well", () => {
    for (const path of [undefined, "", "/a"]) {
      expect(findBubblewrap(place, host({ path, exists: only("/usr/bin/bwrap", "/bin/bwrap") }))).toBe(
        "/usr/bin/bwrap",
      );
      expect(findBubblewrap(place, host({ path, exists: only("/usr/local/bin/bwrap") }))).toBe("/usr/local/bin/bwrap");
    }
  });

  it("takes none that a command could have put there", () => {
    const path = "/work/bin:/cache:/x/../work:.:node_modules/.bin::/a";
    expect(findBubblewrap(place, host({ path }))).toBe("/a/bwrap");
    expect(findBubblewrap(place, host({ path: "/workshop" }))).toBe("/workshop/bwrap");
  });

  it("takes the one that is named, and no other", () => {
    const named = { ...place, program: "/opt/bwrap" };
    expect(findBubblewrap(named, host({ path: "/a" }))).toBe("/opt/bwrap");
    expect(() => findBubblewrap(named, host({ exists: only("/usr/bin/bwrap") }))).toThrow(
      /^bubblewrapSandbox: \/opt\/bwrap does not exist\. Install/,
    );
  });

  it("says what to install", () => {
    expect(() => findBubblewrap(place, host({ exists: () => false }))).toThrow(
      expect.objectContaining({
        code: "TOOL_SANDBOX_FAILED",
        retryable: false,
        message: expect.stringMatching(
          /^bubblewrapSandbox needs the program bwrap, which was not found\. Install version 0\.8 or newer: apt install bubblewrap \(Debian/,
        ),
      }),
    );
  });

  it.each(["darwin", "win32", "freebsd"] as const)("says where it works, and what to do elsewhere: %s", (platform) => {
    expect(() => findBubblewrap({ ...place, program: "/opt/bwrap" }, host({ platform }))).toThrow(
      `bubblewrapSandbox works on Linux only, and this is ${platform}. Run the program in a Linux container or in WSL 2, or pass a sandbox of your own.`,
    );
  });

  it("looks at this machine by default", () => {
    const asked = () => findBubblewrap({ ...place, program: "/no/such/bwrap" });
    expect(asked).toThrow(process.platform === "linux" ? /does not exist/ : /works on Linux only/);
  });
});
