import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const CHROMIUM = "/usr/bin/chromium";
const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const ARGUMENTS = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

// .ci/run installs Debian's chromium; elsewhere the rest of the example is shown by tests/examples.test.ts.
describe.runIf(existsSync(CHROMIUM))(`the approval page in a real browser (needs ${CHROMIUM})`, () => {
  let example: ChildProcess;
  let address = "";
  let browser: Browser;
  let page: Page;

  beforeAll(async () => {
    example = spawn(process.execPath, ["--import", "tsx", "examples/17-approval-page.ts", "--serve"], { cwd: ROOT });
    address = await new Promise<string>((resolve, reject) => {
      let out = "";
      example.stdout?.on("data", (chunk) => {
        out += String(chunk);
        const found = /http:\S+/.exec(out)?.[0];
        if (found !== undefined) resolve(found);
      });
      example.on("exit", () => reject(new Error(`The example ended early: ${out}`)));
    });
    browser = await chromium.launch({ executablePath: CHROMIUM, args: ARGUMENTS });
    page = await browser.newPage();
  }, 120_000);

  afterAll(async () => {
    await browser?.close();
    example?.kill("SIGKILL");
  });

  const form = (command: string) => page.locator("form", { hasText: command });
  const done = () => page.locator("li").allTextContents();

  it("shows what waits as text, and none of it as markup", async () => {
    await page.goto(address);
    expect(await page.locator("form").count()).toBe(2);
    expect(await page.locator("dd pre").allTextContents()).toEqual([
      "echo published",
      "echo '<script>document.title = 1</script>'",
    ]);
    expect(await page.title()).toBe("Approvals");
    expect(await page.locator("script").count()).toBe(0);
  });

  it("takes no answer that a page from elsewhere sends", async () => {
    const id = await form("echo published").locator("[name=id]").inputValue();
    const elsewhere = await serveForm(`${address}decide`, id);
    const other = await browser.newPage();
    await other.goto(elsewhere.address);
    const [response] = await Promise.all([other.waitForResponse(`${address}decide`), other.locator("button").click()]);
    expect(response.status()).toBe(403);
    await other.close();
    elsewhere.server.close();
    await page.reload();
    expect(await page.locator("form").count()).toBe(2);
    expect(await done()).toEqual([]);
  });

  it("resumes the run of the call that is approved, and lets the other one wait", async () => {
    const stale = await browser.newPage();
    await stale.goto(address);
    await form("echo published").getByRole("button", { name: "Approve" }).click();
    await expect.poll(done).toEqual(["completed: `echo published` gave:\npublished"]);
    expect(await page.locator("form").count()).toBe(1);

    // The same answer from a page that was loaded before comes too late.
    const late = stale.waitForResponse(`${address}decide`);
    await stale.locator("form", { hasText: "echo published" }).getByRole("button", { name: "Approve" }).click();
    expect((await late).status()).toBe(409);
    await stale.close();
  });

  it("denies with the reason that was typed", async () => {
    const last = form("<script>");
    await last.getByLabel("Why:").fill("No <b>markup</b>.");
    await last.getByRole("button", { name: "Deny" }).click();
    await expect.poll(done).toHaveLength(2);
    expect((await done())[1]).toContain("failed:\nNo <b>markup</b>.");
    expect(await page.locator("b").count()).toBe(0);
    expect(await page.locator("form").count()).toBe(0);
    expect(await page.getByText("Nothing waits.").count()).toBe(1);
  });
});

/** A page of another origin, with a form that looks like the real one but for the token. */
async function serveForm(action: string, id: string): Promise<{ server: Server; address: string }> {
  const html = `<form method="post" action="${action}"><input name="id" value="${id}"><input name="decision" value="allow"><button>Win</button></form>`;
  const server = createServer((_, response) => response.setHeader("content-type", "text/html").end(html));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { server, address: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` };
}
