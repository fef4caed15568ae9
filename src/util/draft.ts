/**
 * An object that is still being made.
 *
 * Floor 0 (util). Fields that are not always there are assigned one by one: spreading a condition into a
 * literal costs several times the rest of it, and these objects are made in every turn.
 */

/** `T` with its fields open; give it away as `T` when it is done. */
export type Draft<T> = { -readonly [Field in keyof T]: T[Field] };
