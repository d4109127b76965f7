import { useEffect, useRef } from "react";
import { placePopover } from "./menu/place-popover.ts";
import "./focus-tip.css";

/**
 * Shows the title of a control that has the focus by the keyboard: browsers show titles to a pointer alone. Escape, as any key,
 * hides it. Screen readers have the title itself.
 */
export function FocusTip() {
  const tip = useRef<HTMLDivElement>(null);
  useEffect(() => {
    let control: HTMLElement | null = null;
    const hide = () => {
      control = null;
      if (tip.current?.matches(":popover-open")) tip.current.hidePopover();
    };
    // A control that was out of sight moves again after it has the focus.
    const place = () => {
      if (control) placePopover(tip.current, control, "below");
    };
    const show = ({ target }: FocusEvent) => {
      hide();
      if (!(target instanceof HTMLElement) || target.title === "" || !target.matches(":focus-visible")) return;
      control = target;
      // The browser moves the focus also while it opens or closes a menu, and opens no second popover in the middle of that.
      requestAnimationFrame(() => {
        if (control !== target || !tip.current?.isConnected) return;
        tip.current.textContent = target.title;
        if (!tip.current.matches(":popover-open")) tip.current.showPopover();
        place();
      });
    };
    const hiding = ["focusout", "keydown", "pointerdown"];
    const moving = ["scroll", "resize"];
    for (const type of hiding) addEventListener(type, hide, true);
    for (const type of moving) addEventListener(type, place, true);
    addEventListener("focusin", show);
    return () => {
      for (const type of hiding) removeEventListener(type, hide, true);
      for (const type of moving) removeEventListener(type, place, true);
      removeEventListener("focusin", show);
    };
  }, []);
  return <div ref={tip} popover="manual" className="tip" aria-hidden="true" />;
}
