/**
 * Runs on the disk: a folder for each, with its journal and its record.
 *
 * Wing (store).
 */
import { type AgentRun, RUN_SCHEMA_VERSION } from "../../../contract/run.ts";
import { checkId } from "../records/check-id.ts";
import type { RunMethods } from "../records/methods.ts";
import { selectRuns } from "../records/select.ts";
import { summaryOfRun } from "../records/summaries.ts";
import type { Disk } from "./disk.ts";
import { type DocumentKind, readDocument, writeDocument } from "./document.ts";
import { onDisk } from "./failures.ts";
import { removeFolder } from "./files.ts";
import { appendEntries, readEntries } from "./journal.ts";
import type { Layout } from "./layout.ts";
import { listRunFolders } from "./list.ts";

const RUN: DocumentKind = { name: "run", version: RUN_SCHEMA_VERSION };

/** Makes the part of a file store that keeps runs. */
export function fileRuns(layout: Layout, disk: Disk): RunMethods {
  return {
    async append(runId, entries) {
      checkId(runId, "The id of a run");
      const path = layout.journal(runId);
      await onDisk("write", path, () => appendEntries(disk, { path, runId }, entries));
    },
    async readJournal(runId) {
      checkId(runId, "The id of a run");
      const path = layout.journal(runId);
      return onDisk("read", path, () => readEntries({ path, runId }));
    },
    async saveRun(run) {
      checkId(run?.id, "The id of a run");
      const path = layout.record(run.id);
      await onDisk("write", path, () =>
        writeDocument(disk, path, { kind: RUN, body: run, summary: summaryOfRun(run) }),
      );
    },
    async loadRun(runId) {
      checkId(runId, "The id of a run");
      const path = layout.record(runId);
      return onDisk("read", path, () => readDocument(path, RUN, runId) as AgentRun | undefined);
    },
    async listRuns(query) {
      selectRuns([], query);
      return selectRuns(await onDisk("read", layout.runs, () => listRunFolders(layout.runs)), query);
    },
    async deleteRun(runId) {
      checkId(runId, "The id of a run");
      const folder = layout.runFolder(runId);
      return (await onDisk("delete", folder, () => removeFolder(disk, folder))).length > 0;
    },
  };
}
