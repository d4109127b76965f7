import { CircleCheck } from "lucide-react";
import { Link } from "wouter";
import { AdminPage } from "../admin/admin-page.tsx";
import { Loading, LoadProblem } from "../admin/load-problem.tsx";
import { Tag } from "../admin/tag.tsx";
import { may } from "../common/rights.ts";
import { StaleLine } from "../common/stale-line.tsx";
import { useWorkspace } from "../data/workspace.tsx";
import { InviteAnswer } from "../session/invites.tsx";
import type { WaitingEntry } from "./entries.ts";
import { texts } from "./texts.ts";
import { useWaiting } from "./use-waiting.ts";
import "./waiting.css";

/** Everything that waits for this person, each with what to do. */
export function WaitingPage() {
  const { person } = useWorkspace();
  const { entries, reads } = useWaiting({ isPage: true });
  const names = Object.keys(reads) as (keyof typeof reads)[];
  const failed = names.filter((name) => reads[name].error !== null);
  const isLoading = names.some((name) => reads[name].isLoading);
  const isWell = entries.length === 0 && failed.length === 0 && !isLoading;
  return (
    <AdminPage title={texts.title} intro={texts.intro}>
      {failed.map((name) => {
        const { error, data, refetch } = reads[name];
        const again = () => void refetch();
        return data === undefined ? (
          <div key={name} className="unread">
            <h2>{texts.unread[name]}</h2>
            <LoadProblem error={error} onAgain={again} />
          </div>
        ) : (
          <StaleLine key={name} what={texts.unread[name]} error={error} onAgain={again} />
        );
      })}
      {entries.length > 0 ? (
        <ul className="rowset" aria-label={texts.list}>
          {entries.map((entry) => (
            <Row key={entry.key} entry={entry} />
          ))}
        </ul>
      ) : null}
      {isLoading ? <Loading /> : null}
      {isWell ? (
        <div className="blank-page all-well" role="status">
          <CircleCheck size={36} strokeWidth={1.4} aria-hidden="true" />
          <h2>{texts.wellTitle}</h2>
          <p>{may(person.role, "GET /v1/webhooks") ? texts.well : texts.wellForAgents}</p>
        </div>
      ) : null}
    </AdminPage>
  );
}

function Row({ entry: { tone, state, title, text, action, invite } }: { entry: WaitingEntry }) {
  return (
    <li>
      <div className="line waiting-line">
        <span className="main">
          <b dir="auto">{title}</b>
          <small dir="auto">{text}</small>
        </span>
        <Tag tone={tone}>{state}</Tag>
        {action === null ? null : (
          <Link className="btn small" href={action.href} aria-label={`${action.label}: ${title}`}>
            {action.label}
          </Link>
        )}
        {invite === undefined ? null : <InviteAnswer invite={invite} isSmall />}
      </div>
    </li>
  );
}
