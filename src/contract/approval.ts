/**
 * Approvals: what somebody is asked before a tool call runs, and what they may answer.
 *
 * Floor 3 (contract). Plain JSON, so that a question can be shown in a terminal, on a web page or in a chat,
 * and be answered days later in another process.
 */
import type { PermissionError } from "../errors/index.ts";
import type { Clock } from "../util/clock.ts";
import type { DisplayedCall } from "./display.ts";
import type { ToolCall } from "./message.ts";
import type { Gate, GateDecision } from "./permission.ts";

/** A question about one tool call. */
export interface ApprovalRequest {
  /** Names the question; an answer carries it. */
  readonly id: string;
  readonly runId: string;
  readonly callId: string;
  readonly tool: string;
  /** What the tool will be called with, exactly. */
  readonly arguments: unknown;
  /** SHA-256 of the canonical arguments, in hex. */
  readonly argsDigest: string;
  /** Names the rules that asked: an approval holds only under the same ones. */
  readonly policyHash: string;
  /** Why it is asked. */
  readonly reason: string;
  /** The rule that asked, or "default". */
  readonly by: string;
  /** What to show: escaped, so that it looks like what will run. */
  readonly display: DisplayedCall;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  /** From when on an answer is too late; absent when it never is. */
  readonly expiresAt?: number | undefined;
}

/** A question that waits in a paused run. */
export interface PendingApproval extends ApprovalRequest {
  /** Proves, when the gate has a secret, that this question was asked by it and has not been changed. */
  readonly signature?: string | undefined;
}

/** What an approver answers. Anything else denies. */
export interface ApprovalAnswer {
  readonly decision: "allow" | "deny";
  /** Told to the model when the call is denied. */
  readonly reason?: string | undefined;
  /** What need not be asked again. */
  readonly remember?: Grant | undefined;
}

/** The answer to a {@link PendingApproval}. */
export interface ApprovalDecision extends ApprovalAnswer {
  /** The id of the question. */
  readonly id: string;
}

/** Asks somebody: a person at a terminal, a web page, a chat. The signal fires when nobody waits any more. */
export type Approver = (request: ApprovalRequest, signal: AbortSignal) => ApprovalAnswer | Promise<ApprovalAnswer>;

/**
 * What is allowed from now on without being asked. "exact" means the same tool with the same arguments; a
 * "prefix" means shell commands that begin with these words, two at least, and are harmless otherwise.
 */
export type Grant =
  | { readonly type: "exact"; readonly scope?: GrantScope | undefined }
  | { readonly type: "prefix"; readonly words: readonly string[]; readonly scope?: GrantScope | undefined };

/** How long a grant holds: for this run, or for as long as the gate lives. @defaultValue "run" */
export type GrantScope = "run" | "gate";

/** What came of a question. */
export type ApprovalOutcome =
  | { readonly decision: "allow"; readonly reason: string | undefined; readonly remember: Grant | undefined }
  | { readonly decision: "deny"; readonly reason: string; readonly error: PermissionError };

/** What a question is made of, beside its call. Times are milliseconds since the epoch. */
export interface QuestionFacts {
  /** Unique: it names the question. */
  readonly id: string;
  readonly runId: string;
  /** What the gate said: reason, rule and policy hash. */
  readonly decision: GateDecision;
  readonly now: number;
}

/** What an answer is held against. */
export interface AnswerFacts {
  /** The call that would run now. */
  readonly call: ToolCall;
  readonly runId: string;
  readonly now: number;
  /** Whether this answer has been used. */
  readonly isUsed: (id: string) => boolean;
}

/** A gate that knows whom to ask. */
export interface ApprovalGate extends Gate {
  /** What an "ask" becomes: a denial, a paused run, or a question to somebody. */
  readonly onAsk: "deny" | "pause" | Approver;
  /** Longest wait for an approver in milliseconds, and how long a question of a paused run can be answered; 0: no limit. */
  readonly approverTimeoutMs: number;
  /** Signs the questions of paused runs. */
  readonly secret?: Uint8Array | undefined;
  /** Keeps what an approver wants remembered; from then on `check` allows it. */
  remember(request: ApprovalRequest, grant: Grant): void;
  /** Makes the question about a call, signed when there is a secret. @throws TypeError for arguments that are no JSON. */
  question(call: ToolCall, facts: QuestionFacts): PendingApproval;
  /** Puts a question to the approver, within its time. Never rejects; no answer denies. */
  ask(question: PendingApproval, signal: AbortSignal, clock: Clock): Promise<ApprovalOutcome>;
  /** Holds an answer to a paused run against its question, and the question against the call. */
  verify(question: PendingApproval, decision: ApprovalDecision, facts: AnswerFacts): ApprovalOutcome;
}
