import { type RefObject, useEffect, useRef } from "react";
import { returnFocus } from "./return-focus.ts";

/**
 * Opens a dialog over the page while its component is shown. The focus goes into its first field, or where the browser puts it
 * in one without fields, and back to where it was when the dialog closes.
 */
export function useModal(): RefObject<HTMLDialogElement | null> {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const node = dialog.current;
    const opener = document.activeElement;
    node?.showModal();
    // The browser chooses the button that closes it.
    node?.querySelector<HTMLElement>("input, textarea")?.focus();
    return () => {
      node?.close();
      if (opener?.isConnected) {
        if (opener instanceof HTMLElement) opener.focus();
        return;
      }
      // The page that is shown now may have given the focus a better place.
      requestAnimationFrame(() => {
        if (document.activeElement === document.body) returnFocus(null);
      });
    };
  }, []);
  return dialog;
}
