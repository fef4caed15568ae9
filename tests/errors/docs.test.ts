import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { ERROR_CODES } from "harness-kit/errors";
import { describe, expect, it } from "vitest";

const path = (file: string) => fileURLToPath(new URL(`../../${file}`, import.meta.url));

describe("the page about errors", () => {
  const page = readFileSync(path("docs/errors.md"), "utf8");

  it.each(Object.entries(ERROR_CODES))("says what to do about %s", (code, { retryable, title, advice }) => {
    expect(page).toContain(`| \`${code}\` | ${retryable ? "yes" : "no"} | ${title} | ${advice} |`);
  });

  it("is what the script writes from the table", async () => {
    const check = promisify(execFile)(process.execPath, [path("scripts/generate-error-docs.mjs"), "--check"]);
    await expect(check).resolves.toMatchObject({ stderr: "" });
  });
});
