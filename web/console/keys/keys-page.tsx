import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { printableText } from "../../../packages/client/src/printable.ts";
import { AdminPage } from "../admin/admin-page.tsx";
import { ConfirmDialog } from "../admin/confirm-dialog.tsx";
import { Loading, LoadProblem } from "../admin/load-problem.tsx";
import { actionProblem } from "../admin/problems.ts";
import { SecretDialog } from "../admin/secret-dialog.tsx";
import { Tag } from "../admin/tag.tsx";
import { pastDay, pastTime } from "../admin/times.ts";
import { useNotices } from "../common/notices.tsx";
import { useServerTime, useWorkspace } from "../data/workspace.tsx";
import { arrangeKeys, isUnused, type Key, keySnippets } from "./key-state.ts";
import { type NewKey, NewKeyDialog } from "./new-key-dialog.tsx";
import { texts } from "./texts.ts";

/** Lists, creates and revokes the API keys of the workspace. */
export function KeysPage() {
  const { parley, tenant } = useWorkspace();
  const { show } = useNotices();
  const now = useServerTime();
  const [isCreating, setCreating] = useState(false);
  const [created, setCreated] = useState<NewKey | null>(null);
  const [revoking, setRevoking] = useState<Key | null>(null);
  const query = useQuery({ queryKey: ["keys", tenant], queryFn: () => parley.keys.list() });
  const keys = arrangeKeys(query.data?.keys ?? []);
  const revoke = async (key: Key) => {
    try {
      await parley.keys.revoke(key.id);
      show({ text: texts.revokedDone(nameOf(key)) });
      return null;
    } catch (error) {
      return actionProblem(error);
    } finally {
      void query.refetch();
    }
  };
  return (
    <AdminPage
      title={texts.title}
      intro={texts.intro}
      actions={
        <button type="button" className="btn first" onClick={() => setCreating(true)}>
          {texts.create}
        </button>
      }
    >
      {query.isPending ? <Loading /> : null}
      {query.error ? <LoadProblem error={query.error} onAgain={() => void query.refetch()} /> : null}
      {query.data && keys.length === 0 ? <p className="blank-page">{texts.none}</p> : null}
      {keys.length > 0 ? <KeyTable keys={keys} now={now} onRevoke={setRevoking} /> : null}
      {isCreating ? (
        <NewKeyDialog
          onClose={() => setCreating(false)}
          onTried={() => void query.refetch()}
          onCreated={(key) => {
            setCreating(false);
            setCreated(key);
          }}
        />
      ) : null}
      {created ? (
        <SecretDialog
          title={texts.secretTitle}
          secret={created.secret}
          note={texts.secretNote(printableText(created.label), created.scope)}
          snippets={keySnippets(location.origin)}
          onClose={() => setCreated(null)}
        >
          <p>{texts.secretText}</p>
        </SecretDialog>
      ) : null}
      {revoking ? (
        <ConfirmDialog
          title={texts.revokeTitle(nameOf(revoking))}
          confirm={texts.revoke}
          isDanger
          onConfirm={() => revoke(revoking)}
          onClose={() => setRevoking(null)}
        >
          <p>{texts.revokeText(printableText(revoking.prefix))}</p>
          {revoking.last_used_at === null ? null : (
            <p>{texts.usedText(pastTime(Date.parse(revoking.last_used_at), now))}</p>
          )}
        </ConfirmDialog>
      ) : null}
    </AdminPage>
  );
}

interface KeyTableProps {
  readonly keys: readonly Key[];
  readonly now: number;
  readonly onRevoke: (key: Key) => void;
}

function KeyTable({ keys, now, onRevoke }: KeyTableProps) {
  return (
    <div className="rowset">
      <table className="cards" aria-label={texts.list}>
        <thead>
          <tr>
            <th>{texts.name}</th>
            <th>{texts.key}</th>
            <th className="far">{texts.scope}</th>
            <th className="far">{texts.lastUsed}</th>
            <th className="far">{texts.created}</th>
            <th>
              <span className="unseen">{texts.actions}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {keys.map((key) => (
            <tr key={key.id} data-off={key.status === "revoked"}>
              <td className="breaks">
                <b dir="auto">{nameOf(key)}</b>
                {isUnused(key, now) ? (
                  <>
                    {" "}
                    <Tag tone="warn">{texts.unused}</Tag>
                  </>
                ) : null}
                <small className="near">{summary(key, now)}</small>
              </td>
              <td className="mono whole">{printableText(key.prefix)}…</td>
              <td className="far">
                <Tag tone={key.scope === "live" ? "ok" : "off"}>{texts.scopes[key.scope]}</Tag>
                {key.strict ? (
                  <>
                    {" "}
                    <span title={texts.strictText}>
                      <Tag tone="off">{texts.strict}</Tag>
                    </span>
                  </>
                ) : null}
              </td>
              <td className="far">
                {key.last_used_at === null ? texts.never : pastTime(Date.parse(key.last_used_at), now)}
              </td>
              <td className="far">{pastDay(Date.parse(key.created_at), now)}</td>
              <td className="r">
                {key.status === "active" ? (
                  <button
                    type="button"
                    className="btn small warns"
                    aria-label={`${texts.revoke} ${nameOf(key)}`}
                    onClick={() => onRevoke(key)}
                  >
                    {texts.revoke}
                  </button>
                ) : (
                  <Tag tone="off">{texts.revoked}</Tag>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** What the columns say that a phone has no room for. */
function summary({ scope, strict, last_used_at: usedAt }: Key, now: number): string {
  const kind = strict ? `${texts.scopes[scope]}, ${texts.strict}` : texts.scopes[scope];
  return texts.summary(kind, usedAt === null ? null : pastTime(Date.parse(usedAt), now));
}

function nameOf({ label }: Key): string {
  return printableText(label).trim() || texts.unnamed;
}
