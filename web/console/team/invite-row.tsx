import { useState } from "react";
import type { Invite } from "#client";
import { printableText } from "../../../packages/client/src/printable.ts";
import { ConfirmDialog } from "../admin/confirm-dialog.tsx";
import { actionProblem } from "../admin/problems.ts";
import { Tag } from "../admin/tag.tsx";
import { pastDay } from "../admin/times.ts";
import { useNotices } from "../common/notices.tsx";
import { usePeople } from "../common/people.ts";
import { deadline } from "../common/times.ts";
import { useOneAtATime } from "../common/use-one-at-a-time.ts";
import { useServerTime, useWorkspace } from "../data/workspace.tsx";
import { mayResend } from "./members.ts";
import { texts } from "./texts.ts";

const tags = {
  pending: { tone: "warn", words: texts.waiting },
  expired: { tone: "off", words: texts.expired },
  declined: { tone: "bad", words: texts.declined },
} as const;

/** An invite, with what can be done with it. */
export function InviteRow({ invite, onChanged }: { invite: Invite; onChanged: () => void }) {
  const { parley, person } = useWorkspace();
  const { show } = useNotices();
  const nameOf = usePeople();
  const now = useServerTime();
  const [isRevoking, setRevoking] = useState(false);
  const { isBusy, run } = useOneAtATime();
  const email = printableText(invite.email);
  const { tone, words } = tags[invite.status as keyof typeof tags];
  const isOwn = invite.invited_by === person.actorId;
  const isOperator = invite.invited_by === "cli" || invite.invited_by.startsWith("operator:");
  const inviter = isOperator ? texts.operator : nameOf(invite.invited_by);
  const by = isOwn ? texts.you : (inviter ?? printableText(invite.invited_by));
  const isOpen = invite.status === "pending" && invite.expires_at !== null;
  const resend = async () => {
    try {
      await parley.invites.resend(invite.id);
      show({ text: texts.resent(email) });
    } catch (error) {
      show({ text: actionProblem(error, texts.problems), kind: "problem" });
    } finally {
      onChanged();
    }
  };
  const revoke = async () => {
    try {
      await parley.invites.revoke(invite.id);
      show({ text: texts.revoked });
      return null;
    } catch (error) {
      return actionProblem(error, texts.problems);
    } finally {
      onChanged();
    }
  };
  return (
    <li>
      <div className="line">
        <span className="main">
          <b dir="auto">{email}</b>
          <small>
            {texts.roles[invite.role]}, {texts.invitedBy(by, pastDay(Date.parse(invite.created_at), now))}
            {isOpen ? `, ${texts.openUntil(deadline(Date.parse(invite.expires_at ?? ""), now))}` : ""}
          </small>
        </span>
        <Tag tone={tone}>{words}</Tag>
        {mayResend(person.role, invite) ? (
          <button
            type="button"
            className="btn small"
            aria-label={`${texts.resend}: ${email}`}
            aria-disabled={isBusy}
            onClick={() => void run(resend)}
          >
            {texts.resend}
          </button>
        ) : null}
        {invite.status === "declined" ? null : (
          <button
            type="button"
            className="btn small warns"
            aria-label={`${texts.revoke}: ${email}`}
            onClick={() => setRevoking(true)}
          >
            {texts.revoke}
          </button>
        )}
      </div>
      {isRevoking ? (
        <ConfirmDialog
          title={texts.revokeTitle(email)}
          confirm={texts.revoke}
          isDanger
          onConfirm={revoke}
          onClose={() => setRevoking(false)}
        >
          <p>{texts.revokeText}</p>
        </ConfirmDialog>
      ) : null}
    </li>
  );
}
