import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sanitizeForDisplay } from "../../src/permission/display.ts";

describe("text shown to an approver", () => {
  it.each([
    ["a\u001b[31mb", "a\\u001b[31mb", ["control"]],
    ["a\u009b31mb", "a\\u009b31mb", ["control"]],
    ["a\u0007", "a\\u0007", ["control"]],
    ["a\u007f", "a\\u007f", ["control"]],
    ["a\u0000b", "a\\u0000b", ["control"]],
    ["a\bb", "a\\u0008b", ["control"]],
    ["a\rb", "a\\rb", ["control"]],
    ["a\tb", "a\\tb", []],
    ["a\nb", "a⏎\nb", []],
    ["a\r\nb", "a\\r⏎\nb", ["control"]],
    ["a\u200bb", "a\\u200bb", ["invisible"]],
    ["a\u00adb", "a\\u00adb", ["invisible"]],
    ["a\u2028b\u2029", "a\\u2028b\\u2029", ["invisible"]],
    ["a\ufeff", "a\\ufeff", ["invisible"]],
    ["a\u3164b", "a\\u3164b", ["invisible"]],
    ["a\ufe0fb", "a\\ufe0fb", ["invisible"]],
    ["a\u2800b", "a\\u2800b", ["invisible"]],
    ["a\ue000", "a\\ue000", ["invisible"]],
    ["a\u0378", "a\\u0378", ["invisible"]],
    ["a\ud800b", "a\\ud800b", ["invisible"]],
    ["a\u{e0041}b", "a\\udb40\\udc41b", ["invisible"]],
    ["a\u202egnp.sh", "a\\u202egnp.sh", ["invisible", "bidi"]],
    ["\u2066a\u2069", "\\u2066a\\u2069", ["invisible", "bidi"]],
    ["a\u00a0b", "a\\u00a0b", []],
    ["a\u3000b", "a\\u3000b", []],
    ["\u0441at notes.txt", "\u0441at notes.txt", ["mixedScript"]],
    ["p\u03b1ypal", "p\u03b1ypal", ["mixedScript"]],
    ["\u0441\u0430\u0442 cat", "\u0441\u0430\u0442 cat", []],
    ["日本語 ok naïve", "日本語 ok naïve", []],
    ["日本ok", "日本ok", []],
    ["😀", "😀", []],
    ["", "", []],
  ])("shows %j as %j", (raw, text, flags) => {
    expect(sanitizeForDisplay(raw)).toEqual({ text, flags });
  });

  it("holds nothing that does not show as itself, whatever it was made of", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 200 }), (raw) => {
        const { text } = sanitizeForDisplay(raw);
        expect(text.replaceAll("⏎\n", "")).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cs}\p{Cn}]/u);
      }),
    );
  });

  it("leaves nothing out: it can be read back", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 200 }), (raw) => {
        fc.pre(!/\\|⏎/.test(raw));
        const { text } = sanitizeForDisplay(raw);
        const back = text
          .replaceAll("⏎\n", "\n")
          .replace(/\\(r|t|u([0-9a-f]{4}))/g, (_, kind: string, code: string) =>
            kind === "r" ? "\r" : kind === "t" ? "\t" : String.fromCharCode(Number.parseInt(code, 16)),
          );
        expect(back).toBe(raw);
      }),
    );
  });

  it("keeps the start and the end of a long text and says what is missing", () => {
    const raw = `${"a".repeat(6_000)}${"b".repeat(5_000)}rm -rf /`;
    const { text, flags } = sanitizeForDisplay(raw);
    expect(flags).toEqual(["truncated"]);
    expect(text.startsWith("aaa")).toBe(true);
    expect(text.endsWith("rm -rf /")).toBe(true);
    expect(text).toContain("[... 3008 of 11008 characters not shown ...]");
    expect(sanitizeForDisplay("abcdef", 4)).toEqual({
      text: "ab\n[... 2 of 6 characters not shown ...]\nef",
      flags: ["truncated"],
    });
    expect(sanitizeForDisplay("abcd", 4)).toEqual({ text: "abcd", flags: [] });
  });

  it("looks for what is odd in the part that is not shown as well", () => {
    const raw = `${"a".repeat(9_000)}\u202e${"a".repeat(9_000)}`;
    expect(sanitizeForDisplay(raw).flags).toEqual(["invisible", "bidi", "truncated"]);
  });
});
