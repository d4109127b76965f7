import { useEffect, useRef } from "react";

/**
 * Gives the focus a place when what had it is gone or hidden: in the thread that was opened, as on a phone, or in the list
 * when it was left or erased. Elsewhere the focus stays where it is.
 * @param openId the id of the open conversation, or null
 */
export function usePageFocus(openId: string | null): void {
  const before = useRef(openId);
  useEffect(() => {
    const left = before.current;
    if (left === openId) return;
    before.current = openId;
    const active = document.activeElement;
    if (active !== null && active !== document.body && active.checkVisibility()) return;
    if (openId !== null) return focus(".thread");
    focus(".list");
    // A list that was hidden draws its rows after it is shown.
    requestAnimationFrame(() => requestAnimationFrame(() => focusRow(left)));
  }, [openId]);
}

/** Moves the focus from the list to a row, unless the row is gone or the person has moved the focus. */
function focusRow(id: string | null): void {
  const list = document.activeElement;
  if (!list?.matches(".list")) return;
  const rows = [...list.querySelectorAll<HTMLElement>("[data-conversation]")];
  rows.find(({ dataset }) => dataset.conversation === id)?.focus();
}

function focus(selector: string): void {
  document.querySelector<HTMLElement>(selector)?.focus();
}
