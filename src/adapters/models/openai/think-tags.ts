/**
 * Takes `<think>…</think>` at the start of a reply apart from the reply.
 *
 * Wing adapters (models/openai). Local servers without a reasoning parser pass the tags on as text.
 */

const OPEN = "<think>";
const CLOSE = "</think>";

/** Text, split by what it is. */
export interface SplitText {
  readonly reasoning: string;
  readonly text: string;
}

/** Splits a reply that comes in pieces. */
export interface ThinkSplitter {
  push(piece: string): SplitText;
  /** What was held back because a tag might have followed. */
  end(): SplitText;
}

/** Passes everything on as text. */
export const noSplitter: ThinkSplitter = {
  push: (text) => ({ reasoning: "", text }),
  end: () => ({ reasoning: "", text: "" }),
};

/** Starts before the reply. Only a tag at its very start counts: later ones are the model's own text. */
export function thinkSplitter(): ThinkSplitter {
  let state: "start" | "thinking" | "after" | "text" = "start";
  let held = "";
  const push = (piece: string): SplitText => {
    if (state === "text") return { reasoning: "", text: piece };
    held += piece;
    if (state === "start") {
      const start = held.trimStart();
      if (start.length < OPEN.length && OPEN.startsWith(start)) return { reasoning: "", text: "" };
      state = start.startsWith(OPEN) ? "thinking" : "text";
      if (state === "text") return { reasoning: "", text: release() };
      held = start.slice(OPEN.length);
    }
    const reasoning = state === "thinking" ? takeReasoning() : "";
    return { reasoning, text: takeText() };
  };
  const takeReasoning = (): string => {
    const close = held.indexOf(CLOSE);
    if (close !== -1) {
      const reasoning = held.slice(0, close);
      held = held.slice(close + CLOSE.length);
      state = "after";
      return reasoning;
    }
    const kept = endThatMayBe(CLOSE, held);
    const reasoning = held.slice(0, held.length - kept);
    held = held.slice(held.length - kept);
    return reasoning;
  };
  const takeText = (): string => {
    if (state !== "after") return "";
    held = held.trimStart();
    if (held === "") return "";
    state = "text";
    return release();
  };
  const release = (): string => {
    const text = held;
    held = "";
    return text;
  };
  return {
    push,
    end: () => (state === "thinking" ? { reasoning: release(), text: "" } : { reasoning: "", text: release() }),
  };
}

/** How many characters at the end of `text` may be the start of `tag`. */
function endThatMayBe(tag: string, text: string): number {
  for (let length = Math.min(tag.length - 1, text.length); length > 0; length--) {
    if (tag.startsWith(text.slice(-length))) return length;
  }
  return 0;
}
