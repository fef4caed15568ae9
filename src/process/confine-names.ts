/**
 * Which names inside a workspace are not for a model: secrets, and files that make other programs run code.
 *
 * Floor 2 (process). By name and not by presence, because what is absent can be created; in any letter
 * case and without what file systems leave out, because `.GIT`, `.git.` and `.g\u200cit` are `.git` somewhere.
 */
import { matchesWildcard } from "./confine-wildcard.ts";

/** Neither read nor written: secrets, and the repository's own files, whose config and hooks run programs. */
export const PROTECTED_NAMES: readonly string[] = [
  ...[".git", "git~1", ".hg", ".svn", ".ssh", ".gnupg", ".aws", ".azure", ".kube", ".docker", ".env*", ".direnv"],
  ...[".netrc", "_netrc", ".npmrc", ".pypirc", ".pgpass", ".my.cnf", ".htpasswd", ".git-credentials", ".vault-token"],
  ...["id_rsa*", "id_dsa*", "id_ecdsa*", "id_ed25519*", "*.pem", "*.key", "*.p12", "*.pfx", "*.jks", "*.keystore"],
];

/** Read but never written: start-up files, hooks and settings that run something later, with nobody asked. */
export const READ_ONLY_NAMES: readonly string[] = [
  ...[".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".profile", ".zshrc", ".zshenv", ".zprofile"],
  ...[".zlogin", ".inputrc", ".vimrc", ".exrc", ".nvimrc", ".gitconfig", ".gitmodules", ".ripgreprc", ".curlrc"],
  ...[".wgetrc", ".yarnrc*", ".pnpmfile.cjs", ".mcp.json", ".vscode", ".idea", ".claude", ".cursor", ".codex"],
  ...[".gemini", ".husky", ".githooks", ".lefthook*", "lefthook.y*ml", ".pre-commit-config.yaml"],
  ...["applypatch-msg", "pre-applypatch", "post-applypatch", "pre-commit", "pre-merge-commit", "prepare-commit-msg"],
  ...["commit-msg", "post-commit", "pre-rebase", "post-checkout", "post-merge", "pre-push", "pre-receive"],
  ...["post-receive", "post-update", "post-rewrite", "reference-transaction", "push-to-checkout", "pre-auto-gc"],
];

/** Finds out whether a name is on a list. */
export type NameList = (name: string) => boolean;

/** Compiles names; `*` stands for any characters. */
export function nameList(names: readonly string[]): NameList {
  const folded = names.map(foldName);
  const exact = new Set(folded.filter((name) => !name.includes("*")));
  const patterns = folded.filter((name) => name.includes("*"));
  return (name) => {
    const asked = foldName(name);
    return exact.has(asked) || patterns.some((pattern) => matchesWildcard(pattern, asked));
  };
}

/** Characters that HFS+ leaves out of a name (CVE-2014-9390). */
const IGNORED = /[\u200c-\u200f\u202a-\u202e\u2060-\u206f\ufeff]/g;

/** The name as the most forgiving file system reads it: no case, no trailing dots and blanks, no stream. */
function foldName(name: string): string {
  const plain = name.normalize("NFKC").replace(IGNORED, "").toLowerCase();
  const colon = plain.indexOf(":");
  return (colon > 0 ? plain.slice(0, colon) : plain).replace(/[. ]+$/, "");
}
