import { useEffect, useRef } from "react";
import { placePopover } from "./place-popover.ts";
import "./focus-tip.css";

/**
 * Shows the title of a control that has the focus by the keyboard: browsers show titles to a pointer alone. Escape, as any key,
 * hides it. Screen readers have the title itself.
 */
export function FocusTip() {
  const tip = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const hide = () => {
      if (tip.current?.matches(":popover-open")) tip.current.hidePopover();
    };
    const show = ({ target }: FocusEvent) => {
      hide();
      if (!(target instanceof HTMLElement) || target.title === "" || !target.matches(":focus-visible")) return;
      if (!tip.current) return;
      tip.current.textContent = target.title;
      tip.current.showPopover();
      placePopover(tip.current, target, "below");
    };
    const hiding = ["focusout", "keydown", "pointerdown", "scroll", "resize"];
    for (const type of hiding) addEventListener(type, hide, true);
    addEventListener("focusin", show);
    return () => {
      for (const type of hiding) removeEventListener(type, hide, true);
      removeEventListener("focusin", show);
    };
  }, []);
  return <div ref={tip} popover="manual" className="tip" aria-hidden="true" />;
}
