/**
 * Values as JSON text and back: what a store keeps is an independent copy, and what it gives is frozen.
 *
 * Wing (store).
 */
import { ContextError } from "../../../errors/index.ts";
import { freezeJson } from "../../../util/json.ts";

/**
 * Writes a value as JSON.
 *
 * @param what - Names the value in the error: "the record of run r1".
 * @throws ContextError CONTEXT_NOT_SERIALIZABLE for what JSON cannot hold.
 */
export function toText(value: unknown, what: string): string {
  try {
    const text: string | undefined = JSON.stringify(value);
    if (text !== undefined) return text;
  } catch (cause) {
    throw notSerializable(what, { cause });
  }
  throw notSerializable(what, {});
}

function notSerializable(what: string, options: { cause?: unknown }): ContextError {
  return new ContextError(`The store cannot keep ${what}: it is no JSON. Give it plain data only.`, {
    code: "CONTEXT_NOT_SERIALIZABLE",
    ...options,
  });
}

/** Reads what {@link toText} wrote, frozen. The caller vouches for the type. */
export function fromText<T>(text: string): T {
  return freezeJson(JSON.parse(text) as T);
}
