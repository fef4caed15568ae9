/**
 * Reads a `.env` file.
 *
 * Command line. A parser of its own, because `util.parseEnv` came only with Node 20.12.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { errorMessage } from "../errors/index.ts";

export type Variables = Readonly<Record<string, string | undefined>>;

const LINE =
  /^[ \t]*(?:export[ \t]+)?(?<name>[A-Za-z_][\w.]*)[ \t]*=[ \t]*(?:"(?<double>(?:\\[\s\S]|[^"\\])*)"|'(?<single>[^']*)'|`(?<back>[^`]*)`|(?<bare>[^#\r\n]*))/gm;

/** The variables of a `.env` text: `NAME=value`, comments, quotes; in double quotes `\n` is a line break. */
export function parseDotenv(text: string): Variables {
  const variables: Record<string, string> = Object.create(null);
  const lines = text.replace(/^\uFEFF/, "").replaceAll("\r\n", "\n");
  for (const { groups = {} } of lines.matchAll(LINE)) {
    const { name = "", double, single, back, bare = "" } = groups;
    const value = double?.replaceAll("\\n", "\n").replaceAll('\\"', '"') ?? single ?? back ?? bare.trim();
    variables[name] = value;
  }
  return variables;
}

/** The variables of the directory's `.env`, with a warning where there is one that cannot be read. */
export function readDotenv(cwd: string): { variables: Variables; warning?: string } {
  const path = join(cwd, ".env");
  try {
    return { variables: parseDotenv(readFileSync(path, "utf8")) };
  } catch (error) {
    const code: unknown = Reflect.get(Object(error), "code");
    if (code === "ENOENT" || code === "ENOTDIR") return { variables: {} };
    return { variables: {}, warning: `The file ${path} was left out: ${errorMessage(error)}.` };
  }
}
