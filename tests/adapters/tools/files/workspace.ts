/**
 * A workspace in a temporary folder, beside a folder that no tool may reach.
 */
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import { type WorkspaceToolsOptions, workspaceTools } from "../../../../src/adapters/tools/files/index.ts";
import type { ToolContext, ToolResult } from "../../../../src/contract/tool.ts";

export const SECRET = "the secret of the outside";

export interface TestWorkspace {
  readonly root: string;
  /** Holds "secret.txt". */
  readonly outside: string;
  /** Calls a tool by name. */
  call(name: string, args?: object, context?: Partial<ToolContext>): Promise<ToolResult>;
  /** The text of a result that is ok. */
  text(name: string, args?: object): Promise<string>;
  /** The message of a refusal that a model can act on. */
  refusal(name: string, args?: object): Promise<string>;
  put(path: string, content: string | Uint8Array, mode?: number): void;
  get(path: string): string;
  link(target: string, path: string): void;
}

/** Removed when the test is over. */
export function createTestWorkspace(options: WorkspaceToolsOptions = {}): TestWorkspace {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "harness-kit-files-")));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  const root = join(base, "project");
  const outside = join(base, "outside");
  mkdirSync(root);
  mkdirSync(outside);
  writeFileSync(join(outside, "secret.txt"), SECRET);
  const tools = new Map(workspaceTools(root, options).map((tool) => [tool.name, tool]));
  const at = (path: string) => join(root, path);

  async function call(name: string, args: object = {}, context: Partial<ToolContext> = {}): Promise<ToolResult> {
    const tool = tools.get(name);
    if (tool === undefined) throw new Error(`There is no tool ${name}.`);
    return (await tool.execute(args as never, context as ToolContext)) as ToolResult;
  }
  async function text(name: string, args: object = {}): Promise<string> {
    const result = await call(name, args);
    if (!result.ok) throw new Error(`${name} refused: ${result.error}`);
    return result.value as string;
  }
  async function refusal(name: string, args: object = {}): Promise<string> {
    const result = await call(name, args);
    if (result.ok) throw new Error(`${name} did not refuse: ${result.value}`);
    if (result.code !== "TOOL_REJECTED" || result.kind !== "tool") throw new Error(`${result.code}: ${result.error}`);
    return result.error;
  }
  return {
    root,
    outside,
    call,
    text,
    refusal,
    put(path, content, mode) {
      mkdirSync(dirname(at(path)), { recursive: true });
      writeFileSync(at(path), content);
      if (mode !== undefined) chmodSync(at(path), mode);
    },
    get: (path) => readFileSync(at(path), "utf8"),
    link: (target, path) => symlinkSync(target, at(path)),
  };
}
