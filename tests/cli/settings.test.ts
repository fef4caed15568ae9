import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseEnv } from "node:util";
import { describe, expect, it } from "vitest";
import { createColors, wantsColor } from "../../src/cli/colors.ts";
import { parseDotenv, readDotenv } from "../../src/cli/dotenv.ts";
import { chooseModel, DEFAULT_MODEL } from "../../src/cli/settings.ts";
import { packageVersion } from "../../src/cli/version.ts";
import { emptyDirectory, FakeIo } from "./fake-io.ts";

describe("chooseModel", () => {
  it("takes the embedded model without a key and without a base URL, and says what it is", () => {
    const { model, note } = chooseModel({}, {}, {});
    expect(model.name).toBe("rule-based demo model, not an LLM");
    expect(note).toBe("rule-based demo model, not an LLM (no OPENAI_API_KEY and no base URL)");
  });

  it("says that a model that was named needs an endpoint", () => {
    expect(chooseModel({ model: "gpt-5" }, {}, {}).note).toContain("gpt-5 needs one of them");
  });

  it("takes OpenAI's endpoint with a key, and says that the model is the default", () => {
    const { model, note } = chooseModel({}, { OPENAI_API_KEY: "k" }, {});
    expect(model.name).toBe(`openai:${DEFAULT_MODEL}`);
    expect(note).toContain(`${DEFAULT_MODEL} at https://api.openai.com/v1 (the default;`);
  });

  it("needs no key where there is a base URL", () => {
    const { note } = chooseModel({ baseUrl: "http://127.0.0.1:1/v1", model: "m" }, {}, {});
    expect(note).toBe("m at http://127.0.0.1:1/v1, without a key");
  });

  it("prefers the option, then the environment, then the file", () => {
    const file = { OPENAI_BASE_URL: "http://file/v1", HARNESS_MODEL: "file" };
    const env = { OPENAI_BASE_URL: "http://env/v1", HARNESS_MODEL: "env" };
    expect(chooseModel({}, {}, file).note).toContain("file at http://file/v1");
    expect(chooseModel({}, env, file).note).toContain("env at http://env/v1");
    expect(chooseModel({ model: "m", baseUrl: "http://option/v1" }, env, file).note).toContain("m at http://option/v1");
  });

  it("takes an empty variable for one that is not set, and does not look further", () => {
    expect(chooseModel({}, { OPENAI_API_KEY: "" }, { OPENAI_API_KEY: "k" }).note).toContain("rule-based");
  });

  it("reads the key from the variable that was named, and refuses one that is not set", () => {
    expect(chooseModel({ apiKeyEnv: "MY_KEY" }, { MY_KEY: "k" }, {}).keyVariable).toBe("MY_KEY");
    expect(() => chooseModel({ apiKeyEnv: "MY_KEY" }, { OPENAI_API_KEY: "k" }, {})).toThrow(
      "The environment variable MY_KEY is not set",
    );
  });

  it("refuses a base URL of the environment that is none", () => {
    expect(() => chooseModel({}, { OPENAI_BASE_URL: "nowhere" }, {})).toThrow("OPENAI_BASE_URL takes a web address");
  });

  it("shows no secret of the base URL", () => {
    const { note } = chooseModel({ baseUrl: "https://host/v1?key=secret", model: "m" }, {}, {});
    expect(note).not.toMatch(/secret/);
  });
});

describe("parseDotenv", () => {
  const text = [
    "\uFEFFA=1",
    "# comment",
    "  B = two words  # comment",
    "export C='single # quoted'",
    'D="line\\nbreak"',
    "E=`back`",
    "F=",
    "G=a=b",
    "not a line",
    'H="two',
    'lines"',
    "A_B=last",
    "A_B=wins",
    "WINDOWS=yes\r",
  ].join("\n");

  it("reads names, quotes, comments and lines of any kind", () => {
    expect({ ...parseDotenv(text) }).toEqual({
      A: "1",
      B: "two words",
      C: "single # quoted",
      D: "line\nbreak",
      E: "back",
      F: "",
      G: "a=b",
      H: "two\nlines",
      A_B: "wins",
      WINDOWS: "yes",
    });
  });

  it("agrees with Node on plain files", () => {
    const plain = "A=1\nB='x y'\nC=\"a\\nb\"\n\n# no\nD=a b # c\nexport E=5\n";
    expect({ ...parseDotenv(plain) }).toEqual({ ...parseEnv(plain) });
  });

  it("makes no prototype of a name", () => {
    expect(parseDotenv("__proto__=x")["toString"]).toBeUndefined();
  });

  it("reads a long hostile text in a moment", () => {
    const start = performance.now();
    for (const piece of ['A="', "A='\\", " ", "export ", "A"]) parseDotenv(piece.repeat(100_000));
    expect(performance.now() - start).toBeLessThan(2_000);
  });
});

describe("readDotenv", () => {
  it("gives nothing where there is no file", () => {
    expect(readDotenv(emptyDirectory())).toEqual({ variables: {} });
  });

  it("warns of a file that cannot be read", () => {
    const cwd = emptyDirectory();
    mkdirSync(join(cwd, ".env"));
    expect(readDotenv(cwd).warning).toContain(`The file ${join(cwd, ".env")} was left out`);
  });

  it("reads the file of the directory", () => {
    const cwd = emptyDirectory();
    writeFileSync(join(cwd, ".env"), "HARNESS_MODEL=m\n");
    expect(readDotenv(cwd).variables["HARNESS_MODEL"]).toBe("m");
  });
});

describe("colors", () => {
  const terminal = new FakeIo({ isTerminal: true }).stdout;
  const file = new FakeIo({}).stdout;

  it("are for terminals, unless someone says no", () => {
    expect(wantsColor(terminal, {}, false)).toBe(true);
    expect(wantsColor(file, {}, false)).toBe(false);
    expect(wantsColor(terminal, {}, true)).toBe(false);
    expect(wantsColor(terminal, { NO_COLOR: "1" }, false)).toBe(false);
    expect(wantsColor(terminal, { NO_COLOR: "" }, false)).toBe(true);
    expect(wantsColor(terminal, { TERM: "dumb" }, false)).toBe(false);
  });

  it("wrap text, or leave it alone", () => {
    expect(createColors(true).red("x")).toBe("\u001b[31mx\u001b[39m");
    expect(createColors(true).red("")).toBe("");
    expect(createColors(false).red("x")).toBe("x");
  });
});

describe("packageVersion", () => {
  it("finds the package's own version from the source and from a built file", () => {
    expect(packageVersion()).toMatch(/^\d+\.\d+\.\d+/);
    expect(packageVersion(new URL("../../dist/cli.js", import.meta.url).href)).toBe(packageVersion());
  });

  it("says so where there is none", () => {
    expect(packageVersion("file:///nowhere/at/all/cli.js")).toBe("unknown");
  });
});
