import { useState } from "react";
import { useLocation } from "wouter";
import { ParleyError } from "#client";
import { printableText } from "../../../packages/client/src/printable.ts";
import { useNotices } from "../common/notices.tsx";
import { problemLine } from "../common/problems.ts";
import { useOneAtATime } from "../common/use-one-at-a-time.ts";
import { inboxPath } from "../paths.ts";
import { account, type Me } from "./session.ts";
import { useSession } from "./session-provider.tsx";
import { texts } from "./texts.ts";

type OwnInvite = Me["invites"][number];

/** The invites that wait for the person. @param opensWorkspace whether an accepted one opens its workspace at once */
export function Invites({ opensWorkspace = false }: { opensWorkspace?: boolean }) {
  const { me } = useSession();
  if (me.invites.length === 0) return null;
  return (
    <section className="invites" aria-label={texts.invites}>
      <h2>{texts.invites}</h2>
      <ul>
        {me.invites.map((invite) => (
          <li key={invite.id}>
            <div>
              <b dir="auto">{texts.invite(printableText(invite.name), invite.tenant, invite.role)}</b>
              {invite.invited_by_email === null ? null : (
                <p dir="auto">{texts.invitedBy(printableText(invite.invited_by_email))}</p>
              )}
            </div>
            <InviteAnswer invite={invite} opensWorkspace={opensWorkspace} />
          </li>
        ))}
      </ul>
    </section>
  );
}

interface InviteAnswerProps {
  readonly invite: OwnInvite;
  readonly opensWorkspace?: boolean;
  readonly isSmall?: boolean;
}

/** Accepts or declines an invite. The result stays readable after its row has gone. */
export function InviteAnswer({ invite, opensWorkspace = false, isSmall = false }: InviteAnswerProps) {
  const { reload } = useSession();
  const { show } = useNotices();
  const [, navigate] = useLocation();
  const [problem, setProblem] = useState("");
  const { isBusy, run } = useOneAtATime();
  const name = printableText(invite.name);
  const answer = (operation: "accept" | "decline") =>
    run(async () => {
      try {
        await account.invites[operation](invite.id);
      } catch (error) {
        // Revoked, expired, or answered in another tab.
        if (!(error instanceof ParleyError && error.code === "invite_not_found")) return setProblem(problemLine(error));
        show({ text: texts.inviteEnded(name), kind: "problem" });
        return await reload();
      }
      await reload();
      const open = () => navigate(inboxPath(invite.tenant));
      if (operation === "decline") show({ text: texts.declined(name) });
      else if (opensWorkspace) open();
      else show({ text: texts.accepted(name, invite.tenant), action: { label: texts.open, run: open } });
    });
  const size = isSmall ? "btn small" : "btn";
  return (
    <>
      <button
        type="button"
        className={`${size} first`}
        aria-label={`${texts.accept}: ${name}`}
        aria-disabled={isBusy}
        onClick={() => void answer("accept")}
      >
        {texts.accept}
      </button>
      <button
        type="button"
        className={size}
        aria-label={`${texts.decline}: ${name}`}
        aria-disabled={isBusy}
        onClick={() => void answer("decline")}
      >
        {texts.decline}
      </button>
      <p className="problem" role="alert">
        {problem}
      </p>
    </>
  );
}
