/**
 * The table of what the rule-based model understands, in the order in which the intents read a message.
 *
 * Wing (models/local). Commands come first: what stands in backticks is no arithmetic.
 */
import { arithmetic } from "./arithmetic.ts";
import { command } from "./command.ts";
import { fileListing, fileReading, fileSearch } from "./files.ts";
import type { Intent } from "./intent.ts";

export const INTENTS: readonly Intent[] = [command, fileReading, fileSearch, fileListing, arithmetic];
