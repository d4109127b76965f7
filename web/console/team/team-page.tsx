import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { printableText } from "../../../packages/client/src/printable.ts";
import { AdminPage } from "../admin/admin-page.tsx";
import { Loading, LoadProblem } from "../admin/load-problem.tsx";
import { useNotices } from "../common/notices.tsx";
import { may } from "../common/rights.ts";
import { useWorkspace } from "../data/workspace.tsx";
import { Invites } from "../session/invites.tsx";
import { InviteDialog } from "./invite-dialog.tsx";
import { InviteRow } from "./invite-row.tsx";
import { MailLanguage } from "./mail-language.tsx";
import { MemberRow } from "./member-row.tsx";
import { arrangeMembers, openInvites } from "./members.ts";
import { texts } from "./texts.ts";
import "./team.css";

/** The members of the workspace and its invites, and the invites of the person to other workspaces. */
export function TeamPage() {
  const { parley, tenant, person } = useWorkspace();
  const { show } = useNotices();
  const [isInviting, setInviting] = useState(false);
  const mayInvite = may(person.role, "GET /console/invites");
  const team = useQuery({ queryKey: ["team", tenant], queryFn: () => parley.team.list() });
  const invites = useQuery({
    queryKey: ["invites", tenant],
    queryFn: () => parley.invites.list(),
    enabled: mayInvite,
  });
  const open = openInvites(invites.data?.invites ?? []);
  return (
    <AdminPage
      title={texts.title}
      intro={texts.intro}
      actions={
        mayInvite ? (
          <button type="button" className="btn first" onClick={() => setInviting(true)}>
            {texts.invite}
          </button>
        ) : null
      }
    >
      <div className="own-invites">
        <Invites />
      </div>
      {team.isPending ? <Loading /> : null}
      {team.error ? <LoadProblem error={team.error} onAgain={() => void team.refetch()} /> : null}
      {team.data ? (
        <ul className="rowset" aria-label={texts.members}>
          {arrangeMembers(team.data.members).map((member) => (
            <MemberRow key={member.user_id} member={member} onChanged={() => void team.refetch()} />
          ))}
        </ul>
      ) : null}
      {mayInvite && (open.length > 0 || invites.error) ? (
        <section className="invite-part">
          <h2>{texts.invites}</h2>
          {invites.error ? <LoadProblem error={invites.error} onAgain={() => void invites.refetch()} /> : null}
          {open.length > 0 ? (
            <ul className="rowset" aria-label={texts.invites}>
              {open.map((invite) => (
                <InviteRow key={invite.id} invite={invite} onChanged={() => void invites.refetch()} />
              ))}
            </ul>
          ) : null}
        </section>
      ) : null}
      <MailLanguage />
      <dl className="role-list">
        {(["agent", "admin", "owner"] as const).map((role) => (
          <div key={role}>
            <dt>{texts.roles[role]}</dt>
            <dd>{texts.roleTexts[role]}</dd>
          </div>
        ))}
      </dl>
      {isInviting ? (
        <InviteDialog
          onClose={() => setInviting(false)}
          onTried={() => void invites.refetch()}
          onInvited={(email) => {
            setInviting(false);
            show({ text: texts.invited(printableText(email)) });
          }}
        />
      ) : null}
    </AdminPage>
  );
}
