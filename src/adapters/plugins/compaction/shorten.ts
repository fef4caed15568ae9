/**
 * Shortens tool results: the head and the tail stay, with a note between them of how much is left out.
 *
 * Adapter wing.
 */
import { contentText, type ImagePart, type Message, type Part, type ToolMessage } from "../../../contract/message.ts";
import { clipMiddle } from "../../../util/text.ts";

const IMAGE_LEFT_OUT = "[image left out]";

/** How far a result is shortened. */
export interface Shortening {
  readonly maxChars: number;
  /** Whether images stay; a note takes their place otherwise. */
  readonly keepImages: boolean;
}

/** The same messages, with every tool result among those before `end` shortened. */
export function shortenResults(messages: readonly Message[], end: number, how: Shortening): readonly Message[] {
  return messages.map((message, index) =>
    index < end && message.role === "tool" ? shortenResult(message, how) : message,
  );
}

/** How many characters the longest tool result has. */
export function longestResult(messages: readonly Message[]): number {
  let longest = 0;
  for (const { role, content } of messages) {
    if (role === "tool") longest = Math.max(longest, contentText(content).length);
  }
  return longest;
}

/** The same object when there is nothing to leave out. */
function shortenResult(message: ToolMessage, { maxChars, keepImages }: Shortening): ToolMessage {
  const { content } = message;
  const text = contentText(content);
  const images = typeof content === "string" ? [] : content.filter(isImage);
  const isWhole = text.length <= maxChars && (keepImages || images.length === 0);
  if (isWhole) return message;
  return Object.freeze({
    ...message,
    content: keepImages ? withImages(text, images, maxChars) : flat(text, images, maxChars),
  });
}

function withImages(text: string, images: readonly ImagePart[], maxChars: number): string | readonly Part[] {
  const clipped = clipMiddle(text, maxChars);
  if (images.length === 0) return clipped;
  return Object.freeze([Object.freeze({ type: "text" as const, text: clipped }), ...images]);
}

function flat(text: string, images: readonly ImagePart[], maxChars: number): string {
  const pieces = text === "" ? [] : [text];
  return clipMiddle([...pieces, ...images.map(() => IMAGE_LEFT_OUT)].join("\n"), maxChars);
}

function isImage(part: Part): part is ImagePart {
  return part.type === "image";
}
