import { X } from "lucide-react";
import { type ReactNode, useId } from "react";
import { texts } from "./texts.ts";
import { useModal } from "./use-modal.ts";
import "./dialog.css";

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
  /** A dialog that must be answered has no button to close it, and Escape does nothing. */
  readonly isRequired?: boolean;
}

/** A modal dialog. The focus goes into it and, when it closes, back to where it was. */
export function Dialog({ title, onClose, children, isRequired = false }: DialogProps) {
  const dialog = useModal();
  const titleId = useId();
  return (
    <dialog
      ref={dialog}
      className="dialog"
      data-required={isRequired ? "" : undefined}
      aria-labelledby={titleId}
      onCancel={(event) => {
        if (event.target !== dialog.current) return;
        event.preventDefault();
        if (!isRequired) onClose();
      }}
    >
      <header>
        <h2 id={titleId}>{title}</h2>
        {isRequired ? null : (
          <button type="button" className="icon" aria-label={texts.close} onClick={onClose}>
            <X size={18} />
          </button>
        )}
      </header>
      {children}
    </dialog>
  );
}
