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
    const rows = [...document.querySelectorAll<HTMLElement>(".list [data-conversation]")];
    const row = rows.find(({ dataset }) => dataset.conversation === left);
    if (row) row.focus();
    else focus(".list");
  }, [openId]);
}

function focus(selector: string): void {
  document.querySelector<HTMLElement>(selector)?.focus();
}
