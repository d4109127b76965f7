import { nextIndex } from "./next-index.ts";

const focusable = "a[href], button, select";

/**
 * Moves the focus between the controls of a popover by the arrow keys, `Home` and `End`. Tab works as before.
 * @param columns how many stand in a row; 1 in a list
 */
export function moveFocus(
  event: { readonly key: string; readonly currentTarget: Element; preventDefault(): void },
  columns = 1,
): void {
  const controls = [...event.currentTarget.querySelectorAll<HTMLElement>(focusable)];
  const active = document.activeElement;
  const next = nextIndex(event.key, {
    index: active instanceof HTMLElement ? controls.indexOf(active) : -1,
    columns,
    count: controls.length,
  });
  if (next === null) return;
  event.preventDefault();
  controls[next]?.focus();
}
