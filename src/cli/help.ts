/**
 * The help text, made of the table of options.
 *
 * Command line.
 */
import { LOCAL_MODEL_LABEL } from "../adapters/models/local/index.ts";
import { OPTIONS, type OptionSpec } from "./options.ts";
import { DEFAULT_MODEL } from "./settings.ts";

export function helpText(): string {
  const rows = OPTIONS.map((option) => [nameOf(option), option.help] as const);
  const width = Math.max(...rows.map(([name]) => name.length));
  return `harness-kit: run an agent and see everything it does.

Usage: harness-kit [options] "prompt"
       harness-kit            a chat, where a terminal is attached

Options:
${rows.map(([name, help]) => `  ${name.padEnd(width)}  ${help}`).join("\n")}

At a terminal, a tool that may change things is asked about first: y once, a always (exactly this,
in this run or chat), n no. Elsewhere it is denied unless --allow names it.

Environment, also read from a file .env in the working directory:
  OPENAI_API_KEY    the key for the endpoint
  OPENAI_BASE_URL   the endpoint, when it is not OpenAI's
  HARNESS_MODEL     the model, when it is not ${DEFAULT_MODEL}
  HARNESS_STORE     where sessions are kept (not read from .env)
Without a key and without a base URL the embedded model answers:
a ${LOCAL_MODEL_LABEL}.

Examples:
  harness-kit "what is 17 * 38?"
  harness-kit "list files" · harness-kit "read README.md" · harness-kit "search for TODO in src"
  harness-kit --allow bash "run \`ls -la\`"
  harness-kit --session sums "what is 17 * 38?"
  harness-kit --base-url http://127.0.0.1:11434/v1 --model qwen3:8b "what is 2 ** 100?"

Exit status: 0 completed, 1 failed, 2 wrong usage, 130 aborted.
`;
}

function nameOf({ flag, short, argument }: OptionSpec): string {
  return `${short === undefined ? "    " : `${short}, `}${flag}${argument === undefined ? "" : ` ${argument}`}`;
}
