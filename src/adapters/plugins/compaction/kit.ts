/**
 * What the parts of compaction hand to each other.
 *
 * Adapter wing.
 */
import type { NextModel, PluginCallContext } from "../../../contract/plugin.ts";
import type { Notes } from "./note.ts";
import type { Settings } from "./options.ts";
import type { TokenMeter } from "./token-meter.ts";

/** What the compactions of one plugin share. */
export interface Kit {
  readonly settings: Settings;
  readonly meter: TokenMeter;
  readonly notes: Notes;
}

/** The model call in which a compaction takes place. */
export interface Asking {
  readonly next: NextModel;
  readonly context: PluginCallContext;
}

/** What a history is to fit into, in tokens of its messages alone. */
export interface Bounds {
  /** What must not be passed. */
  readonly limit: number;
  /** What is aimed at when turns are summarised, so that it is not needed again at once. */
  readonly target: number;
}
