/**
 * Sessions in memory.
 *
 * Wing (store).
 */
import { SESSION_VERSION, type SessionRecord } from "../../../contract/store.ts";
import { checkId } from "../records/check-id.ts";
import { checkVersion } from "../records/check-version.ts";
import { fromText, toText } from "../records/json-text.ts";
import type { SessionMethods } from "../records/methods.ts";
import { sortSessions } from "../records/select.ts";
import { summaryOfSession } from "../records/summaries.ts";

/** Makes the part of a memory store that keeps sessions. */
export function memorySessions(): SessionMethods {
  const sessions = new Map<string, string>();
  return {
    async saveSession(session) {
      checkId(session?.id, "The id of a session");
      sessions.set(session.id, toText(session, `session ${session.id}`));
    },
    async loadSession(id) {
      checkId(id, "The id of a session");
      const text = sessions.get(id);
      if (text === undefined) return undefined;
      const session = fromText<SessionRecord>(text);
      checkVersion(session.schemaVersion, SESSION_VERSION, `Session ${id}`);
      return session;
    },
    async listSessions() {
      const all = [...sessions.values()].map((text) => summaryOfSession(fromText<SessionRecord>(text)));
      return sortSessions(all.map((summary) => Object.freeze(summary)));
    },
    async deleteSession(id) {
      checkId(id, "The id of a session");
      return sessions.delete(id);
    },
  };
}
