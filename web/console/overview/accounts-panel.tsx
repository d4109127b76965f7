import { Link } from "wouter";
import { Loading, LoadProblem } from "../admin/load-problem.tsx";
import { Tag } from "../admin/tag.tsx";
import { StaleLine } from "../common/stale-line.tsx";
import { useAccounts } from "../common/use-accounts.ts";
import { accountName, faceOf } from "../data/accounts.ts";
import type { Conversation } from "../data/types.ts";
import { useServerTime, useWorkspace } from "../data/workspace.tsx";
import { accountsPath } from "../paths.ts";
import { AccountFace } from "../ui/account-face.tsx";
import { accountHealth, byUrgency, lastMessageAt } from "./account-health.ts";
import { texts } from "./texts.ts";

/** The accounts and how they are, those that need attention first. */
export function AccountsPanel({ newest }: { newest: readonly Conversation[] | null }) {
  const { tenant } = useWorkspace();
  const { data, error, isPending, refetch } = useAccounts();
  const now = useServerTime();
  const again = () => void refetch();
  const rows = (data?.accounts ?? []).map((account) => ({
    account,
    ...accountHealth(account, lastMessageAt(newest, account.account_key), now),
  }));
  return (
    <section className="panel" aria-labelledby="accounts">
      <h2 id="accounts">{texts.accounts}</h2>
      {isPending ? <Loading /> : null}
      {error && !data ? <LoadProblem error={error} onAgain={again} /> : null}
      {error && data ? <StaleLine what={texts.mayBeOld} error={error} onAgain={again} /> : null}
      {data && rows.length === 0 ? <p className="soft">{texts.noAccounts}</p> : null}
      <ul>
        {byUrgency(rows).map(({ account, tone, words, line }) => (
          <li key={account.account_key}>
            <Link className="line" href={accountsPath(tenant)}>
              <AccountFace {...faceOf(account)} size={36} />
              <span className="main">
                <b>
                  <bdi>{accountName(account)}</bdi>
                </b>
                <small>{line}</small>
              </span>
              <Tag tone={tone}>{words}</Tag>
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}
