import { Ellipsis, LogOut, UserCog, UserMinus } from "lucide-react";
import { useState } from "react";
import type { Member } from "#client";
import { printableText } from "../../../packages/client/src/printable.ts";
import { ConfirmDialog } from "../admin/confirm-dialog.tsx";
import { actionProblem } from "../admin/problems.ts";
import { Tag } from "../admin/tag.tsx";
import { pastDay } from "../admin/times.ts";
import { useNotices } from "../common/notices.tsx";
import { may, roles } from "../common/rights.ts";
import type { Role } from "../data/types.ts";
import { useServerTime, useWorkspace } from "../data/workspace.tsx";
import { useSession } from "../session/session-provider.tsx";
import { Face } from "../ui/avatar.tsx";
import { Menu } from "../ui/menu/menu.tsx";
import { memberName } from "./members.ts";
import { RoleChoice } from "./role-choice.tsx";
import { texts } from "./texts.ts";

/** A member, with what can be done: owners change roles and remove members, and everyone may leave. */
export function MemberRow({ member, onChanged }: { member: Member; onChanged: () => void }) {
  const { parley, person } = useWorkspace();
  const { show } = useNotices();
  const { reload } = useSession();
  const now = useServerTime();
  const [opened, setOpened] = useState<"role" | "remove" | null>(null);
  const [role, setRole] = useState<Role>(member.role);
  const name = printableText(memberName(member));
  const isSelf = member.user_id === person.userId;
  const isOwner = may(person.role, "PATCH /console/team/{user_id}");
  const close = () => setOpened(null);
  const attempt = async (call: () => Promise<unknown>, done: string) => {
    try {
      await call();
      show({ text: done });
      return null;
    } catch (error) {
      return actionProblem(error, texts.problems);
    } finally {
      onChanged();
      if (isSelf) void reload();
    }
  };
  const change = () =>
    attempt(() => parley.team.update(member.user_id, { role }), texts.changed(name, texts.roles[role]));
  const remove = () => attempt(() => parley.team.remove(member.user_id), texts.removed(name));
  const items = [
    ...(isOwner
      ? [
          {
            label: texts.change,
            icon: <UserCog size={16} />,
            onSelect: () => {
              setRole(member.role);
              setOpened("role");
            },
          },
        ]
      : []),
    ...(isSelf || isOwner
      ? [
          {
            label: isSelf ? texts.leave : texts.remove,
            icon: isSelf ? <LogOut size={16} /> : <UserMinus size={16} />,
            isDanger: true,
            onSelect: () => setOpened("remove"),
          },
        ]
      : []),
  ];
  return (
    <li>
      <div className="line">
        <Face name={name} id={member.user_id} size={38} />
        <span className="main">
          <b>
            <bdi>{name}</bdi> {isSelf ? <small>{texts.you}</small> : null}
          </b>
          <small>
            <bdi>{printableText(member.email)}</bdi>, {texts.since(pastDay(Date.parse(member.created_at), now))}
          </small>
        </span>
        <span title={texts.roleTexts[member.role]}>
          <Tag tone={member.role === "agent" ? "off" : "ok"}>{texts.roles[member.role]}</Tag>
        </span>
        {items.length > 0 ? (
          <Menu label={texts.actionsOf(name)} button={<Ellipsis size={18} aria-hidden="true" />} items={items} />
        ) : null}
      </div>
      {opened === "role" ? (
        <ConfirmDialog title={texts.changeTitle(name)} confirm={texts.save} onConfirm={change} onClose={close}>
          <RoleChoice roles={roles} role={role} onChange={setRole} />
          {isSelf ? <p className="soft">{texts.changeOwn}</p> : null}
        </ConfirmDialog>
      ) : null}
      {opened === "remove" ? (
        <ConfirmDialog
          title={isSelf ? texts.leaveTitle : texts.removeTitle(name)}
          confirm={isSelf ? texts.leave : texts.remove}
          isDanger
          typed={printableText(isSelf ? person.email : member.email)}
          onConfirm={remove}
          onClose={close}
        >
          <p>{isSelf ? texts.leaveText : texts.removeText}</p>
        </ConfirmDialog>
      ) : null}
    </li>
  );
}
