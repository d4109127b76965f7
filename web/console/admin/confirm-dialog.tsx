import { type ReactNode, useState } from "react";
import { useOneAtATime } from "../common/use-one-at-a-time.ts";
import { Dialog } from "../ui/dialog.tsx";
import { texts } from "./texts.ts";

interface ConfirmDialogProps {
  readonly title: string;
  readonly confirm: string;
  readonly isDanger?: boolean;
  /** What must be typed before it is confirmed. */
  readonly typed?: string;
  readonly children: ReactNode;
  /** Does it. Resolves with the words of what went wrong, or null: then the dialog closes. */
  readonly onConfirm: () => Promise<string | null>;
  readonly onClose: () => void;
}

/** Asks before something is done. */
export function ConfirmDialog(props: ConfirmDialogProps) {
  const { title, confirm, isDanger = false, typed: wanted, children, onConfirm, onClose } = props;
  const [typed, setTyped] = useState("");
  const [problem, setProblem] = useState("");
  const { isBusy, run } = useOneAtATime();
  const isReady = wanted === undefined || typed.trim() === wanted;
  const submit = async () => {
    if (!isReady) return;
    setProblem("");
    const result = await onConfirm();
    if (result === null) onClose();
    else setProblem(result);
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          void run(submit);
        }}
      >
        {children}
        {wanted === undefined ? null : (
          <label>
            <span className="breaks">{texts.confirmBy(wanted)}</span>
            <input
              value={typed}
              autoComplete="off"
              autoCapitalize="none"
              spellCheck={false}
              onChange={(event) => setTyped(event.currentTarget.value)}
            />
          </label>
        )}
        <p className="problem" role="alert">
          {problem}
        </p>
        <div className="acts">
          <button type="button" className="btn" onClick={onClose}>
            {texts.cancel}
          </button>
          <button type="submit" className={isDanger ? "btn danger" : "btn first"} aria-disabled={!isReady || isBusy}>
            {confirm}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
