import { useState } from "react";
import { problemLine } from "../common/problems.ts";
import { useOneAtATime } from "../common/use-one-at-a-time.ts";
import { account, isName, NAME_CHARS_MAX } from "./session.ts";
import { texts } from "./texts.ts";

interface NameFormProps {
  readonly name: string;
  readonly onSaved: () => void;
  readonly onCancel?: () => void;
}

/** Asks for the person's name. */
export function NameForm({ name: before, onSaved, onCancel }: NameFormProps) {
  const [name, setName] = useState(before);
  const [problem, setProblem] = useState("");
  const { isBusy, run } = useOneAtATime();
  const save = async () => {
    if (!isName(name)) return setProblem(texts.nameProblem);
    try {
      await account.me.update({ name: name.trim() });
      onSaved();
    } catch (error) {
      setProblem(problemLine(error));
    }
  };
  return (
    <form
      className="form"
      onSubmit={(event) => {
        event.preventDefault();
        void run(save);
      }}
    >
      <label>
        <span>{texts.nameLabel}</span>
        <input
          value={name}
          autoComplete="name"
          maxLength={NAME_CHARS_MAX * 2}
          aria-invalid={problem !== ""}
          onChange={(event) => setName(event.currentTarget.value)}
        />
      </label>
      <p className="problem" role="alert">
        {problem}
      </p>
      <div className="acts">
        {onCancel ? (
          <button type="button" className="btn" onClick={onCancel}>
            {texts.cancel}
          </button>
        ) : null}
        <button type="submit" className="btn first" aria-disabled={isBusy}>
          {texts.save}
        </button>
      </div>
    </form>
  );
}
