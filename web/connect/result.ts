import { create, element } from "../common/elements.ts";

const result = element("result", HTMLElement);

/** How a login or a call ended. */
export type Tone = "done" | "problem";

/** Shows how a login or a call ended. @param focus whether the focused element is gone, or the person acted just now */
export function showResult(tone: Tone, sentence: string, { focus = false } = {}): void {
  result.replaceChildren(create("p", { class: `result ${tone}` }, sentence));
  if (focus) result.focus();
}

export function clearResult(): void {
  result.replaceChildren();
}
