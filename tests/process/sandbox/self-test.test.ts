import { mkdtempSync, readFileSync, readlinkSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { runProcess } from "../../../src/process/index.ts";
import { judgeSelfTest, type SelfTestSubject, selfTestCommand } from "../../../src/process/sandbox/self-test.ts";

const outside = { net: "net:[1]", pid: "pid:[1]", mnt: "mnt:[1]", ipc: "ipc:[1]", user: "user:[1]" };
const GOOD = [
  ...["CapPrm: 0000000000000000", "CapEff: 0000000000000000", "CapAmb: 0000000000000000", "NoNewPrivs: 1"],
  ...["net: net:[2]", "pid: pid:[2]", "mnt: mnt:[2]", "ipc: ipc:[2]", "user: user:[2]", "done"],
];
const judge = (lines: string[], network = false) => judgeSelfTest(`${lines.join("\n")}\n`, { network, outside });
const without = (start: string) => GOOD.filter((line) => !line.startsWith(start));

describe("the judgement of a self-test", () => {
  it("is good when everything failed that must", () => {
    expect(judge(GOOD)).toEqual([]);
  });

  it.each([[[]], [["done", ""].slice(1)], [GOOD.slice(0, -1)], [[...GOOD, "more"]], [["not done"]]])(
    "is bad when the test did not come to its end: %j",
    (lines) => {
      expect(judge(lines)).toEqual(["it did not come to its end"]);
    },
  );

  it("names every leak", () => {
    expect(judge(["leak write /usr", "leak connect", "leak read /tmp/x: y", ...GOOD])).toEqual([
      "it could write /usr",
      "it could connect",
      "it could read /tmp/x: y",
    ]);
  });

  it.each(["CapPrm", "CapEff", "CapAmb"])("is bad with a capability, or when nothing is known of them: %s", (name) => {
    expect(judge([`${name}: 000001fffeffffff`, ...without(name)])).toEqual([
      `it had capabilities (${name} 000001fffeffffff)`,
    ]);
    expect(judge([`${name}: 0000000000000010`, ...without(name)])).toHaveLength(1);
    expect(judge([`${name}:`, ...without(name)])).toEqual([`it had capabilities (${name} unknown)`]);
    expect(judge(without(name))).toEqual([`it had capabilities (${name} unknown)`]);
  });

  it("is bad when privileges can be gained", () => {
    expect(judge(without("NoNewPrivs"))).toEqual(["it could gain privileges"]);
    expect(judge(["NoNewPrivs: 0", ...without("NoNewPrivs")])).toEqual(["it could gain privileges"]);
  });

  it.each(["net", "pid", "mnt", "ipc", "user"])("is bad when something is shared, or unknown: %s", (name) => {
    const problem = [`it was not parted from the system (${name})`];
    expect(judge([`${name}: ${name}:[1]`, ...without(`${name}:`)])).toEqual(problem);
    expect(judge([`${name}: `, ...without(`${name}:`)])).toEqual(problem);
    expect(judge([`${name}: x ${name}:[2]`, ...without(`${name}:`)])).toEqual(problem);
    expect(judge([`${name}: ${name}:[2] x`, ...without(`${name}:`)])).toEqual(problem);
    expect(judge(without(`${name}:`))).toEqual(problem);
  });

  it("lets the network be shared only where that is allowed", () => {
    const shared = ["net: net:[1]", ...without("net:")];
    expect(judge(shared, true)).toEqual([]);
    expect(judge(shared, false)).toHaveLength(1);
  });
});

describe("the self-test itself", () => {
  const outsideMounts = readlinkSync("/proc/self/ns/mnt");
  const attempt = async (subject: Partial<SelfTestSubject>) => {
    const { file, args } = selfTestCommand({
      canary: "/none",
      port: 0,
      outsideMounts,
      hiddenFiles: [],
      readOnlyPaths: [],
      ...subject,
    });
    // Nothing is created in the folders of the system, although it would be removed again.
    const { stdout } = await runProcess(
      file,
      args.map((arg) => arg.replace("for place in / /usr /etc", 'for place in "$canary"')),
    );
    return stdout.split("\n");
  };

  it("finds that nothing is closed where there is no sandbox, and changes no mount there", async () => {
    const before = readFileSync("/proc/self/mountinfo", "utf8");
    const lines = await attempt({ hiddenFiles: ["/etc/passwd"], readOnlyPaths: [tmpdir()] });
    expect(lines).toEqual(expect.arrayContaining(["leak read /etc/passwd", `leak write ${tmpdir()}`]));
    expect(judgeSelfTest(lines.join("\n"), { network: false, outside: {} })).toContain("it could read /etc/passwd");
    expect(judgeSelfTest(lines.join("\n"), { network: false, outside: ownNamespaces() })).toContain(
      "it was not parted from the system (mnt)",
    );
    expect(readFileSync("/proc/self/mountinfo", "utf8")).toBe(before);
  });

  it("finds the canary, and the server that it is told of", async () => {
    const server = createServer((socket) => socket.destroy());
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as { port: number };
    const folder = mkdtempSync(join(tmpdir(), "harness-canary-"));
    const lines = await attempt({ canary: folder, port });
    server.close();
    rmSync(folder, { recursive: true });
    expect(lines).toEqual(expect.arrayContaining([`leak read ${folder}`, `leak write ${folder}`, "leak connect"]));
  });
});

function ownNamespaces() {
  return Object.fromEntries(
    ["net", "pid", "mnt", "ipc", "user"].map((name) => [name, readlinkSync(`/proc/self/ns/${name}`)]),
  );
}
