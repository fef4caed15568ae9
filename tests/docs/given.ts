/** What the reader of an example has at hand: declared, so that fragments can be checked. Nothing of it runs. */
import type { AgentRun, Model, Runtime, RuntimeOptions, Store, Tool } from "harness-kit";
import type { DisplayedCall, Rule } from "harness-kit/permission";

export { describe, expect, it } from "vitest";
export { z } from "zod";
/** Has an example, and is not exported by the package. */
export { createConfinement } from "../../src/process/confine.ts";

// What createRuntime takes, and what comes of it.
export declare const model: Model;
export declare const add: Tool<{ readonly a: number; readonly b: number }>;
export declare const tools: NonNullable<RuntimeOptions["tools"]>;
export declare const store: Store;
export declare const signal: AbortSignal;
export declare const rules: readonly Rule[];
export declare const secret: Uint8Array;
export declare const runtime: Runtime;
export declare const run: AgentRun;
export declare const record: AgentRun;

// What comes from elsewhere.
export declare const apiKey: string;
export declare const url: string;
export declare const text: string;
export declare const response: Response;
export declare const error: unknown;
export declare const worker: Worker;

// What the reader wrote, named by what it does.
export declare function callTheModel(): Promise<unknown>;
export declare function askForKey(): void;
export declare function scheduleAgain(delayMs: number): void;
export declare function report(error: object): void;
export declare function save(json: string): Promise<void>;
export declare function load(): Promise<string>;
export declare function show(id: string, display: DisplayedCall): void;
export declare function askSomebody(display: DisplayedCall, options: { signal: AbortSignal }): Promise<string>;
export declare function myModel(endpoint: { readonly baseUrl: string; readonly apiKey: string }): Model;
export declare function myStore(database: string): Store;
export declare function emptyDatabase(): Promise<string>;
export declare function drop(database: string): Promise<void>;
