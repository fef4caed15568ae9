/**
 * The message that stands for old turns: what the user wanted, which tools were called, and the summary.
 *
 * Adapter wing. What the user said is not left to the summary alone: the first message and the latest one
 * are kept as they were, as far as there is room.
 */
import { contentText, type Message } from "../../../contract/message.ts";
import { formatCount } from "../../../util/text.ts";

/** What is kept of old messages word by word. */
export interface Facts {
  /** How many messages of the history they are. */
  readonly messages: number;
  /** The first message of the user. */
  readonly task: string;
  /** The last message of the user, when it is another one. */
  readonly latest: string;
  /** How often each tool was called. */
  readonly calls: ReadonlyMap<string, number>;
  /** The summary; `""` for none. */
  readonly summary: string;
  /** How many of the messages it is about, from the oldest on. */
  readonly summarized: number;
}

/** More tools than this are not named. */
const MAX_TOOLS = 10;

/** Makes notes and knows them again. */
export class Notes {
  readonly #facts = new WeakMap<Message, Facts>();

  /** The note that stands for messages in a request. */
  write(facts: Facts): Message {
    const message = Object.freeze({ role: "user" as const, content: textOf(facts) });
    this.#facts.set(message, facts);
    return message;
  }

  /** What messages say, notes of earlier compactions among them; texts of the user as `clip` leaves them. */
  read(messages: readonly Message[], clip: (text: string) => string): Facts {
    const calls = new Map<string, number>();
    const said: string[] = [];
    let count = 0;
    let summary = "";
    let summarized = 0;
    for (const message of messages) {
      const earlier = this.#facts.get(message);
      count += earlier?.messages ?? 1;
      if (earlier !== undefined) ({ summary, summarized } = earlier);
      said.push(...(earlier === undefined ? saidBy(message) : [earlier.task, earlier.latest]));
      for (const [name, times] of earlier?.calls ?? callsOf(message)) calls.set(name, (calls.get(name) ?? 0) + times);
    }
    const texts = said.filter((text) => text !== "");
    const latest = texts.length > 1 ? clip(texts.at(-1) ?? "") : "";
    return { messages: count, task: clip(texts[0] ?? ""), latest, calls, summary, summarized };
  }
}

function saidBy(message: Message): readonly string[] {
  if (message.role !== "user") return [];
  const { content } = message;
  const hasImage = typeof content !== "string" && content.some(({ type }) => type === "image");
  return [hasImage ? `${contentText(content)}\n[image left out]`.trim() : contentText(content)];
}

function callsOf(message: Message): readonly (readonly [string, number])[] {
  return message.role === "assistant" ? (message.toolCalls ?? []).map(({ name }) => [name, 1] as const) : [];
}

function textOf({ messages, task, latest, calls, summary, summarized }: Facts): string {
  const how = summary === "" ? "left out" : "replaced by a summary";
  const about = summarized < messages ? `Summary of the first ${formatCount(summarized)} of them:` : "Summary of them:";
  const parts = [
    `[${formatCount(messages)} earlier messages of this conversation were ${how}, because there is no room for them.]`,
    section("The user's first message:", task),
    section("The user's latest message among them:", latest),
    section("Tools called in them:", listOf(calls)),
    section(about, summary),
  ];
  return parts.filter((part) => part !== "").join("\n\n");
}

function section(title: string, text: string): string {
  return text === "" ? "" : `${title}\n${text}`;
}

function listOf(calls: ReadonlyMap<string, number>): string {
  const named = [...calls]
    .slice(0, MAX_TOOLS)
    .map(([name, times]) => (times === 1 ? name : `${name} (${formatCount(times)} times)`));
  const rest = calls.size - named.length;
  return [...named, ...(rest > 0 ? [`${formatCount(rest)} other tools`] : [])].join(", ");
}
