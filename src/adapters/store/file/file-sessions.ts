/**
 * Sessions on the disk: a file for each.
 *
 * Wing (store).
 */
import { SESSION_VERSION, type SessionRecord } from "../../../contract/store.ts";
import { checkId } from "../records/check-id.ts";
import type { SessionMethods } from "../records/methods.ts";
import { sortSessions } from "../records/select.ts";
import { summaryOfSession } from "../records/summaries.ts";
import type { Disk } from "./disk.ts";
import { type DocumentKind, readDocument, writeDocument } from "./document.ts";
import { onDisk } from "./failures.ts";
import { removeFile } from "./files.ts";
import type { Layout } from "./layout.ts";
import { listSessionFiles } from "./list.ts";

const SESSION: DocumentKind = { name: "session", version: SESSION_VERSION };

/** Makes the part of a file store that keeps sessions. */
export function fileSessions(layout: Layout, disk: Disk): SessionMethods {
  return {
    async saveSession(session) {
      checkId(session?.id, "The id of a session");
      const path = layout.session(session.id);
      await onDisk("write", path, () =>
        writeDocument(disk, path, { kind: SESSION, body: session, summary: summaryOfSession(session) }),
      );
    },
    async loadSession(id) {
      checkId(id, "The id of a session");
      const path = layout.session(id);
      return onDisk("read", path, () => readDocument(path, SESSION, id) as SessionRecord | undefined);
    },
    async listSessions() {
      return sortSessions(await onDisk("read", layout.sessions, () => listSessionFiles(layout.sessions)));
    },
    async deleteSession(id) {
      checkId(id, "The id of a session");
      const path = layout.session(id);
      return onDisk("delete", path, () => removeFile(disk, path));
    },
  };
}
