/**
 * Asks the person at the terminal whether a tool call may run.
 *
 * Command line. One question at a time; what was allowed with "always" is not asked again.
 */
import type { ApprovalAnswer, ApprovalRequest, Approver } from "../contract/approval.ts";
import { assertNever } from "../util/assert-never.ts";
import { type Answer, parseAnswer } from "./answer.ts";
import type { Keyboard } from "./keyboard.ts";
import { ANSWER_PROMPT, type QuestionStyle, questionText, type Remembering } from "./question.ts";

/** Makes an approver that shows a call whole and takes y, a or n; the end of the input denies. */
export function createTerminalApprover(keyboard: Keyboard, style: QuestionStyle): Approver {
  const always = new Set<string>();
  let last: Promise<unknown> = Promise.resolve();

  async function ask(request: ApprovalRequest, signal: AbortSignal): Promise<ApprovalAnswer> {
    const exactly = `${request.tool} ${request.argsDigest}`;
    // Equal calls that run side by side are all sent here before the first is answered.
    if (always.has(exactly)) return { decision: "allow", reason: "Allowed before at the terminal." };
    const answer = await readAnswer(keyboard, questionText(request, style), signal);
    if (answer?.type === "always") always.add(exactly);
    return toApproval(answer, style.remembering);
  }

  return (request, signal) => {
    const answered = last.then(() => ask(request, signal));
    last = answered.catch(() => undefined);
    return answered;
  };
}

const AGAIN = "          Nothing was allowed. Type y, a or n and press Enter.\n";

/** Asks until there is an answer; `undefined` when none will come. */
async function readAnswer(keyboard: Keyboard, text: string, signal: AbortSignal): Promise<Answer | undefined> {
  for (let shown = text; ; shown = AGAIN) {
    const line = await keyboard.answer({ text: shown, prompt: ANSWER_PROMPT }, signal);
    if (line === undefined) return undefined;
    const answer = parseAnswer(line);
    if (answer !== undefined) return answer;
  }
}

function toApproval(answer: Answer | undefined, remembering: Remembering): ApprovalAnswer {
  if (answer === undefined) return { decision: "deny", reason: "Denied at the terminal: the input ended unanswered." };
  switch (answer.type) {
    case "once":
      return { decision: "allow", reason: "Allowed once at the terminal." };
    case "always":
      return {
        decision: "allow",
        reason: `Allowed at the terminal, for this ${remembering}.`,
        remember: { type: "exact", scope: remembering === "chat" ? "gate" : "run" },
      };
    case "no":
      return {
        decision: "deny",
        reason: `Denied at the terminal${answer.reason === undefined ? "." : `: ${answer.reason}`}`,
      };
    default:
      return assertNever(answer);
  }
}
