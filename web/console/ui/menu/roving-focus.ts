import { nextIndex } from "./next-index.ts";
import type { TypeAhead } from "./type-ahead.ts";

/** The controls of a popover. */
export const focusable = "a[href], button, select";

/**
 * Moves the focus between the controls of a popover by the arrow keys, `Home` and `End`. Tab works as before.
 * @param columns how many stand in a row; 1 in a list
 */
export function moveFocus(
  event: { readonly key: string; readonly currentTarget: Element; preventDefault(): void },
  columns = 1,
): void {
  const { controls, index } = controlsOf(event.currentTarget);
  const next = nextIndex(event.key, { index, columns, count: controls.length });
  if (next === null) return;
  event.preventDefault();
  controls[next]?.focus();
}

interface TypingEvent {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
  readonly timeStamp: number;
  readonly currentTarget: Element;
  preventDefault(): void;
}

/** Moves the focus to the control that begins with what is typed. A space in between is typed, another one presses. */
export function typeFocus(event: TypingEvent, typeAhead: TypeAhead): void {
  const { key, timeStamp: now } = event;
  if ([...key].length !== 1 || event.ctrlKey || event.metaKey || event.altKey) return;
  if (key === " " && !typeAhead.isTyping(now)) return;
  event.preventDefault();
  const { controls, index } = controlsOf(event.currentTarget);
  const labels = controls.map((control) => control.textContent);
  const next = typeAhead.next(key, { labels, index, now });
  if (next !== null) controls[next]?.focus();
}

function controlsOf(popover: Element): { readonly controls: readonly HTMLElement[]; readonly index: number } {
  const controls = [...popover.querySelectorAll<HTMLElement>(focusable)];
  const active = document.activeElement;
  return { controls, index: active instanceof HTMLElement ? controls.indexOf(active) : -1 };
}
