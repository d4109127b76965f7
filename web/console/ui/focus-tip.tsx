import { useEffect, useRef } from "react";
import { placePopover } from "./place-popover.ts";
import "./focus-tip.css";

/**
 * Shows the title of a control that has the focus by the keyboard: browsers show titles to a pointer alone. Escape hides it
 * and does nothing else. Screen readers have the title itself.
 */
export function FocusTip() {
  const tip = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const isShown = () => tip.current?.matches(":popover-open") ?? false;
    const hide = () => {
      if (isShown()) tip.current?.hidePopover();
    };
    const show = ({ target }: FocusEvent) => {
      hide();
      if (!(target instanceof HTMLElement) || target.title === "" || !target.matches(":focus-visible")) return;
      if (!tip.current) return;
      tip.current.textContent = target.title;
      tip.current.showPopover();
      placePopover(tip.current, target, "below");
    };
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key === "Escape" && isShown()) event.stopPropagation();
      hide();
    };
    const hiding = ["focusout", "pointerdown", "scroll", "resize"];
    for (const type of hiding) addEventListener(type, hide, true);
    addEventListener("focusin", show);
    addEventListener("keydown", onKeyDown, true);
    return () => {
      for (const type of hiding) removeEventListener(type, hide, true);
      removeEventListener("focusin", show);
      removeEventListener("keydown", onKeyDown, true);
    };
  }, []);
  return <div ref={tip} popover="manual" className="tip" aria-hidden="true" />;
}
