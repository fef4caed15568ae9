import { describe, expect, it } from "vitest";
import { anchorsOf, brokenLinks, type Place, placeOn } from "./links.ts";
import { PAGES, ROOT, textOf } from "./pages.ts";

const place = placeOn(ROOT, textOf);

/** A package of pages that nobody wrote. */
function pagesOf(pages: Readonly<Record<string, string>>): Place {
  return { read: (path) => pages[path] ?? "", exists: (path) => Object.hasOwn(pages, path) };
}

describe("the pages", () => {
  it.each(PAGES)("%s has no link that leads nowhere", (page) => {
    expect(brokenLinks(page, place)).toEqual([]);
  });

  it("are all those that a stranger looks for", () => {
    const wanted = ["README.md", "README.zh-CN.md", "CONTRIBUTING.md", "SECURITY.md", "ARCHITECTURE.md", "AGENTS.md"];
    expect(PAGES).toEqual(expect.arrayContaining([...wanted, "CHANGELOG.md", "docs/errors.md"]));
  });

  it("in docs can each be reached from the README", () => {
    const links = new Set(textOf("README.md").match(/docs\/[\w-]+\.md/g));
    expect(PAGES.filter((page) => page.startsWith("docs/") && !links.has(page))).toEqual([]);
  });
});

describe("the search for broken links", () => {
  const broken = (text: string, others: Record<string, string> = {}) =>
    brokenLinks("docs/a.md", pagesOf({ ...others, "docs/a.md": text }));

  it("finds a file that is not there", () => {
    expect(broken("# A\n\nSee [b](b.md) and [c](../c.md).", { "c.md": "" })).toEqual([
      "docs/a.md:3 b.md: there is no such file",
    ]);
  });

  it("finds a heading that is not there, on this page or on another", () => {
    const page = "# A\n[here](#a) [gone](#z) [there](b.md#b-two) [gone there](b.md#b-three)";
    expect(broken(page, { "docs/b.md": "## B: two" })).toEqual([
      "docs/a.md:2 #z: there is no such heading",
      "docs/a.md:2 b.md#b-three: there is no such heading",
    ]);
  });

  it("finds links in references and in HTML", () => {
    expect(broken('[x]: gone.md\n<a href="gone2.md">x</a>')).toEqual([
      "docs/a.md:1 gone.md: there is no such file",
      "docs/a.md:2 gone2.md: there is no such file",
    ]);
  });

  it("finds what works only on this machine", () => {
    expect(broken("[x](/work/x.md) [y](../../y.md)")).toEqual([
      "docs/a.md:1 /work/x.md: is no relative path",
      "docs/a.md:1 ../../y.md: leads out of the package",
    ]);
  });

  it("passes over code and over what lies outside", () => {
    expect(broken("```md\n[x](x.md)\n```\n`[y](y.md)` [z](https://example.com/z.md#z)")).toEqual([]);
  });

  it("names anchors as GitHub does", () => {
    const page = "# The `run()` & its end\n## A\n## A\n## 两条命令\n## [Linked](x.md), snake_case\n```\n# code\n```";
    expect([...anchorsOf(page)]).toEqual(["the-run--its-end", "a", "a-1", "两条命令", "linked-snake_case"]);
  });
});
