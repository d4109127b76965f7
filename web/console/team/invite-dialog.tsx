import { useState } from "react";
import { actionProblem } from "../admin/problems.ts";
import { useOneAtATime } from "../common/use-one-at-a-time.ts";
import type { Role } from "../data/types.ts";
import { useWorkspace } from "../data/workspace.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { invitableRoles } from "./members.ts";
import { RoleChoice } from "./role-choice.tsx";
import { texts } from "./texts.ts";

interface InviteDialogProps {
  /** Called after each try: the list may have changed. */
  readonly onTried: () => void;
  readonly onInvited: (email: string) => void;
  readonly onClose: () => void;
}

/** Invites an address with a role. */
export function InviteDialog({ onTried, onInvited, onClose }: InviteDialogProps) {
  const { parley, person } = useWorkspace();
  const [email, setEmail] = useState("");
  const [role, setRole] = useState<Role>("agent");
  const [problem, setProblem] = useState("");
  const { isBusy, run } = useOneAtATime();
  const invite = async () => {
    setProblem("");
    try {
      await parley.invites.create({ email: email.trim(), role });
      onInvited(email.trim());
    } catch (error) {
      setProblem(actionProblem(error, texts.problems));
    } finally {
      onTried();
    }
  };
  return (
    <Dialog title={texts.inviteTitle} onClose={onClose} isRequired={isBusy}>
      <form
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          void run(invite);
        }}
      >
        <label>
          <span>{texts.email}</span>
          <input
            type="email"
            required
            value={email}
            autoComplete="off"
            onChange={(event) => setEmail(event.currentTarget.value)}
          />
          <small>{texts.inviteText}</small>
        </label>
        <RoleChoice roles={invitableRoles(person.role)} role={role} onChange={setRole} />
        <p className="problem" role="alert">
          {problem}
        </p>
        <div className="acts">
          <button type="submit" className="btn first" aria-disabled={isBusy}>
            {texts.send}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
