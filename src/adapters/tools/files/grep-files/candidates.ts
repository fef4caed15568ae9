/**
 * The files to search, in batches, those that cannot match left out where ripgrep can tell.
 *
 * Wing (adapters). Node only.
 */
import type { Glob } from "../search/glob.ts";
import { type WalkRequest, walk } from "../search/walk.ts";
import type { Workspace } from "../workspace.ts";
import type { Prefilter } from "./ripgrep.ts";

const BATCH_FILES = 1_000;
/** What the arguments of a program may hold everywhere: Windows takes 32,767 characters. */
const BATCH_CHARS = 24_000;
/** For fewer files a program more is not worth its start. */
const FEW_FILES = 20;

export interface CandidateRequest extends WalkRequest {
  readonly glob: Glob | undefined;
  readonly prefilter: Prefilter | undefined;
}

/** Paths from the root of the workspace on. */
export async function* candidates(workspace: Workspace, request: CandidateRequest): AsyncGenerator<readonly string[]> {
  const { budget, prefilter } = request;
  for await (const batch of batchesOf(workspace, request)) {
    const isWorth = prefilter !== undefined && batch.length >= FEW_FILES;
    yield isWorth ? await prefilter(batch, budget.signal) : batch;
  }
}

async function* batchesOf(
  workspace: Workspace,
  { folder, glob, ...request }: CandidateRequest,
): AsyncGenerator<readonly string[]> {
  const base = folder === "." ? 0 : folder.length + 1;
  let batch: string[] = [];
  let chars = 0;
  for await (const { path, type } of walk(workspace, { folder, ...request })) {
    if (type !== "file" || glob?.(path.slice(base)) === false) continue;
    batch.push(path);
    chars += path.length + 3;
    if (batch.length < BATCH_FILES && chars < BATCH_CHARS) continue;
    yield batch;
    batch = [];
    chars = 0;
  }
  if (batch.length > 0) yield batch;
}
