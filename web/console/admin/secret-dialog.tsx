import { type ReactNode, useEffect, useId, useRef, useState } from "react";
import { Dialog } from "../ui/dialog.tsx";
import { type Snippet, Snippets } from "./snippets.tsx";
import { texts } from "./texts.ts";
import { useStay } from "./use-stay.ts";

interface SecretDialogProps {
  readonly title: string;
  readonly secret: string;
  /** What it is for, in a line. */
  readonly note: string;
  readonly snippets: readonly Snippet[];
  readonly children: ReactNode;
  readonly onClose: () => void;
}

/**
 * Shows a secret once. It has no button that closes it, and neither Escape nor a press beside it nor "Back" does, until the
 * secret was copied or the person says that they have stored it. The secret is in the memory of the page alone.
 */
export function SecretDialog({ title, secret, note, snippets, children, onClose }: SecretDialogProps) {
  const code = useRef<HTMLElement>(null);
  const statusId = useId();
  const [isStored, setStored] = useState(false);
  const [said, setSaid] = useState("");
  const copyButton = useRef<HTMLButtonElement>(null);
  useStay(!isStored);
  useEffect(() => copyButton.current?.focus(), []);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(secret);
      setStored(true);
      setSaid(texts.copied);
    } catch {
      if (code.current) getSelection()?.selectAllChildren(code.current);
      setSaid(texts.copySecretFailed);
    }
  };
  return (
    <Dialog title={title} onClose={() => {}} isRequired>
      <div className="secret-dialog">
        {children}
        <div className="secret">
          <code ref={code}>{secret}</code>
          <button ref={copyButton} type="button" className="btn first" onClick={() => void copy()}>
            {texts.copy}
          </button>
        </div>
        <p role="status" id={statusId} className="soft">
          {said}
        </p>
        <Snippets snippets={snippets} />
        <label className="check">
          <input type="checkbox" checked={isStored} onChange={(event) => setStored(event.currentTarget.checked)} />
          {texts.storedIt}
        </label>
        <div className="acts">
          <span className="soft breaks">{note}</span>
          <button
            type="button"
            className="btn"
            aria-disabled={!isStored}
            aria-describedby={statusId}
            onClick={() => (isStored ? onClose() : setSaid(texts.notStored))}
          >
            {texts.done}
          </button>
        </div>
      </div>
    </Dialog>
  );
}
