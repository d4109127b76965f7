import { type RefObject, useEffect, useRef } from "react";

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
      if (opener instanceof HTMLElement && opener.isConnected) opener.focus();
    };
  }, []);
  return dialog;
}
