/**
 * What a command in a real sandbox can reach, and what it cannot.
 */
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { homedir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { HAS_BUBBLEWRAP, place, WHERE } from "./bubblewrap-here.ts";

describe.runIf(HAS_BUBBLEWRAP)(`a command in bubblewrap${WHERE}`, () => {
  it("writes to the workspace, and to nothing else that lasts", async () => {
    const { sh, base, workspace } = place();
    const result = await sh(`
      echo in >kept; echo tmp >/tmp/x; echo home >"$HOME/x"
      for f in /etc/x /usr/x /x ${base}/x ${homedir()}/harness-x; do echo out >$f; done 2>/dev/null
      ln -s ${base} way; echo out >way/y; cat kept /tmp/x "$HOME/x"`);
    expect(result).toMatchObject({ status: "completed", stdout: "in\ntmp\nhome\n", sandbox: "bubblewrap" });
    expect(readdirSync(base)).toEqual(["work"]);
    expect(readFileSync(join(workspace, "kept"), "utf8")).toBe("in\n");
    for (const path of ["/etc/x", "/usr/x", "/x", "/tmp/x", join(homedir(), "harness-x")]) {
      expect(existsSync(path), path).toBe(false);
    }
  });

  it("sees programs and settings of the system, and nothing of what people keep", async () => {
    const { sh, base } = place();
    writeFileSync(join(base, "secret"), "secret");
    const { stdout, stderr } = await sh(
      `ls /; ls ${homedir()} /home /srv /mnt /var ${base}; cat ${base}/secret /etc/shadow /proc/keys`,
    );
    const known = [
      "bin",
      "sbin",
      "lib",
      "lib32",
      "lib64",
      "libx32",
      "usr",
      "etc",
      "opt",
      "dev",
      "proc",
      "tmp",
      "var",
      "nix",
      "gnu",
    ];
    const top = stdout.split("\n").slice(0, stdout.split("\n").indexOf("var") + 1);
    expect(top.filter((name) => !known.includes(name) && !homedir().startsWith(`/${name}`))).toEqual([]);
    expect(stdout).not.toContain("secret");
    expect(stderr).toContain(`${base}/secret: No such file or directory`);
    expect(stderr).toContain("/etc/shadow: Permission denied");
  });

  it("reaches no network, not even a server on this machine", async () => {
    const server = createServer((socket) => socket.end("reached"));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as { port: number };
    const connect = `cat </dev/tcp/127.0.0.1/${port}`;
    try {
      expect((await place().sh(connect)).stdout).toBe("");
      expect((await place().sh("cat /proc/net/route /proc/net/ipv6_route | grep -v Iface | grep -v lo")).stdout).toBe(
        "",
      );
      expect((await place({ network: true }).sh(connect)).stdout).toBe("reached");
    } finally {
      server.close();
    }
  });

  it("neither sees nor signals any process outside", async () => {
    const outside = spawn("sleep", ["100"]);
    const { stdout } = await place().sh(`kill -9 ${outside.pid} ${process.pid}; kill -9 -- -1; ps -e -o pid= | wc -l`);
    expect(outside.exitCode ?? outside.signalCode).toBe(null);
    outside.kill();
    expect(Number(stdout)).toBeLessThan(10);
  });

  it("gains no privileges, and changes no mount", async () => {
    const { sh, workspace } = place();
    const { stdout } = await sh(`
      for try in "mount -o remount,rw,bind /usr" "mount -o remount,rw /" "umount -l /etc" "umount .git" "mount --bind . /tmp" \
        "unshare -Urm true" "unshare -U true" "mknod disk b 254 0" "chroot . /bin/true" "su -c true" \
        "nsenter -t 1 -m true" "hostname other"; do
        $try 2>/dev/null && echo "went through: $try"
      done
      grep -E "^(Cap(Eff|Prm|Inh|Amb)|NoNewPrivs)" /proc/self/status | tr -d "\\t"`);
    expect(stdout).toBe(
      "CapInh:0000000000000000\nCapPrm:0000000000000000\nCapEff:0000000000000000\nCapAmb:0000000000000000\nNoNewPrivs:1\n",
    );
    expect(existsSync(join(workspace, "disk"))).toBe(false);
  });

  it("writes nothing in /proc that the kernel of this machine acts on", async () => {
    const before = readFileSync("/proc/sys/kernel/core_pattern", "utf8");
    const { stdout } = await place().sh(`
      echo "|/tmp/evil" >/proc/sys/kernel/core_pattern && echo written
      find /proc/sys /proc/bus /proc/irq /proc/fs -type f -writable 2>/dev/null
      [ -w /proc/sysrq-trigger ] && echo sysrq`);
    expect(stdout).toBe("");
    expect(readFileSync("/proc/sys/kernel/core_pattern", "utf8")).toBe(before);
  });

  it("has nothing open but the three that it needs, whatever our own parent left open", async () => {
    const { stdout } = await place().sh("exec ls -l /proc/self/fd");
    const open = [...stdout.matchAll(/ (\d+) -> (.*)/g)]
      .filter(([, fd]) => Number(fd) > 2)
      .map(([, , target]) => target);
    expect(open.filter((target) => target !== "/dev/null" && !target?.endsWith("/fd"))).toEqual([]);
  });

  it("gets the environment that it is given, and what acts on a loader acts inside only", async () => {
    const { sh, workspace } = place();
    const env = {
      PATH: "/usr/bin:/bin",
      LD_LIBRARY_PATH: workspace,
      LD_PRELOAD: join(workspace, "absent.so"),
      A: "b c",
    };
    const { stdout, stderr } = await sh('echo "$LD_LIBRARY_PATH $A"; env | cut -d= -f1 | sort | tr "\\n" " "', {
      env,
      inheritEnv: false,
    });
    expect(stdout).toBe(`${workspace} b c\nA LD_LIBRARY_PATH LD_PRELOAD PATH PWD SHLVL _ `);
    expect(stderr).toContain("absent.so");
    expect(stderr).not.toMatch(/bwrap/);
  });

  it("works in a directory of the workspace, also one that was named by a link", async () => {
    const { base, workspace, sh } = place({}, (made) => mkdirSync(join(made, "deep")));
    symlinkSync(workspace, join(base, "link"));
    expect((await sh("pwd", { cwd: join(base, "link/deep") })).stdout).toBe(`${workspace}/deep\n`);
  });

  it("writes and reads what the host lists, and sees nothing of what it hides", async () => {
    const { base } = place();
    for (const name of ["cache", "tools", "tools/private"]) mkdirSync(join(base, name));
    writeFileSync(join(base, "tools/private/key"), "key");
    writeFileSync(join(base, "tools/tool"), "tool");
    writeFileSync(join(base, "tools/password"), "password");
    const { sh } = place({
      writable: [join(base, "cache")],
      readable: [join(base, "tools")],
      hidden: [join(base, "tools/private"), join(base, "tools/password"), "/absent/anyway"],
    });
    const { stdout } = await sh(
      `cd ${base}; cat tools/tool; echo x >cache/y; echo x >tools/z; cat tools/password; ls -A tools/private; echo x >tools/private/x`,
    );
    expect(stdout).toBe("tool");
    expect(readdirSync(join(base, "cache"))).toEqual(["y"]);
    expect(readdirSync(join(base, "tools")).sort()).toEqual(["password", "private", "tool"]);
    expect(readdirSync(join(base, "tools/private"))).toEqual(["key"]);
  });

  it("keeps the lists of placeholders to itself, also where /tmp is shared", async () => {
    const { sh } = place({ writable: ["/tmp"] });
    expect((await sh("ls -A /tmp/harness-kit-sandbox-$(id -u)")).stdout).toBe("");
  });
});
