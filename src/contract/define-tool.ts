/**
 * Types a tool's arguments from its schema.
 *
 * Floor 3 (contract). Does nothing at run time: the registry checks the tool.
 */
import type { InferArguments, SchemaLike } from "./schema.ts";
import type { Tool } from "./tool.ts";

/**
 * Returns the tool unchanged, with `execute`'s arguments typed by `parameters`: the *output* type of the
 * schema, after its defaults and transforms.
 *
 * @example
 * const add = defineTool({
 *   name: "add",
 *   description: "Add two numbers.",
 *   parameters: z.object({ a: z.number(), b: z.number() }),
 *   execute: ({ a, b }) => a + b,
 * });
 */
export function defineTool<const Schema extends SchemaLike>(
  tool: Omit<Tool<InferArguments<Schema>>, "parameters"> & { readonly parameters: Schema },
): Tool<InferArguments<Schema>> {
  return tool;
}
