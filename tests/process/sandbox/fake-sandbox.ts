/**
 * Sandboxes that wrap as a test says, and keep nothing from nothing.
 */
import type { Sandbox, SandboxedCommand, SpawnSpec } from "../../../src/process/index.ts";

const guarantees = { fsWrite: "open", fsRead: "open", net: "open", proc: "open" } as const;

/** A sandbox of whatever `wrap` is. */
export const wrapWith = (wrap: unknown, more: object = {}) => ({ name: "test", guarantees, wrap, ...more }) as Sandbox;

/** The command as it is, with something changed. */
export const asIs = (spec: SpawnSpec, more: object = {}): SandboxedCommand => ({ ...spec, ...more });
