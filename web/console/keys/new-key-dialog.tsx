import { useState } from "react";
import { actionProblem, isOutcomeUnknown } from "../admin/problems.ts";
import { useOneAtATime } from "../common/use-one-at-a-time.ts";
import { useWorkspace } from "../data/workspace.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { isLabel } from "./key-state.ts";
import { texts } from "./texts.ts";

/** A key as it is returned once. */
export interface NewKey {
  readonly secret: string;
  readonly label: string;
  readonly scope: "live" | "test";
}

interface NewKeyDialogProps {
  readonly onCreated: (key: NewKey) => void;
  /** Called after each try: the list may have changed. */
  readonly onTried: () => void;
  readonly onClose: () => void;
}

/** Asks for the name and the scope of a new key, and whether it is strict. */
export function NewKeyDialog({ onCreated, onTried, onClose }: NewKeyDialogProps) {
  const { parley } = useWorkspace();
  const [label, setLabel] = useState("");
  const [scope, setScope] = useState<NewKey["scope"]>("live");
  /** Null until the person chooses: then a test key is strict, and a live one is not. */
  const [strict, setStrict] = useState<boolean | null>(null);
  const isStrict = strict ?? scope === "test";
  const [problem, setProblem] = useState("");
  const { isBusy, run } = useOneAtATime();
  const create = async () => {
    const name = label.trim();
    if (!isLabel(name)) return setProblem(texts.labelProblem);
    setProblem("");
    try {
      onCreated(await parley.keys.create({ label: name, scope, strict: isStrict }));
    } catch (error) {
      setProblem(isOutcomeUnknown(error) ? texts.lost : actionProblem(error, { key_limit: texts.limit }));
    } finally {
      onTried();
    }
  };
  return (
    <Dialog title={texts.createTitle} onClose={onClose} isRequired={isBusy}>
      <form
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          void run(create);
        }}
      >
        <label>
          <span>{texts.label}</span>
          <input value={label} autoComplete="off" onChange={(event) => setLabel(event.currentTarget.value)} />
          <small>{texts.labelText}</small>
        </label>
        <fieldset>
          <legend>{texts.scope}</legend>
          {(["live", "test"] as const).map((each) => (
            <label key={each} className="check">
              <input type="radio" name="scope" checked={scope === each} onChange={() => setScope(each)} />
              <span>
                {texts.scopes[each]}
                <small>{texts.scopeTexts[each]}</small>
              </span>
            </label>
          ))}
        </fieldset>
        <label className="check">
          <input type="checkbox" checked={isStrict} onChange={(event) => setStrict(event.currentTarget.checked)} />
          <span>
            {texts.strictLabel}
            <small>{texts.strictText}</small>
          </span>
        </label>
        <p className="problem" role="alert">
          {problem}
        </p>
        <div className="acts">
          <button type="submit" className="btn first" aria-disabled={isBusy}>
            {texts.createButton}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
