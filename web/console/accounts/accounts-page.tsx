import { TriangleAlert } from "lucide-react";
import { useEffect, useState } from "react";
import { useLocation, useSearch } from "wouter";
import { AdminPage } from "../admin/admin-page.tsx";
import { Loading, LoadProblem } from "../admin/load-problem.tsx";
import { Note } from "../admin/note.tsx";
import { may } from "../common/rights.ts";
import { useAccounts } from "../common/use-accounts.ts";
import { accountName } from "../data/accounts.ts";
import { useServerTime, useWorkspace } from "../data/workspace.tsx";
import { accountsPath } from "../paths.ts";
import { type Account, arrangeAccounts, type Trouble, troublesOf } from "./account-health.ts";
import { AccountRow } from "./account-row.tsx";
import { troubleWords } from "./account-words.ts";
import { ConnectDialog } from "./connect-dialog.tsx";
import { parseLoginEnd, parseWay } from "./login-end.ts";
import { LoginResult } from "./login-result.tsx";
import { PageChoice } from "./page-choice.tsx";
import { texts } from "./texts.ts";
import { useLogin } from "./use-login.ts";
import "./accounts.css";

/** Lists the connected accounts with their health, and connects others. */
export function AccountsPage() {
  const { person } = useWorkspace();
  const now = useServerTime();
  const query = useAccounts();
  const [isConnecting, setConnecting] = useState(false);
  const { end, setEnd, choice, endChoice } = useLoginEnd();
  const mayConnect = may(person.role, "POST /oauth/messenger/select");
  const accounts = arrangeAccounts(query.data?.accounts ?? [], now);
  const openConnect = () => {
    endChoice();
    setConnecting(true);
  };
  return (
    <AdminPage
      title={texts.title}
      intro={mayConnect ? texts.intro : `${texts.intro} ${texts.onlyAdmins}`}
      actions={
        mayConnect ? (
          <button type="button" className="btn first" onClick={openConnect}>
            {texts.connect}
          </button>
        ) : null
      }
    >
      {end ? <LoginResult end={end} accounts={query.isPending ? null : accounts} /> : null}
      {choice && mayConnect ? (
        <PageChoice
          way={choice.way}
          accounts={accounts}
          onChanged={() => query.refetch()}
          onConnected={(keys) => {
            endChoice();
            setEnd({ kind: "connected", keys });
          }}
          onStartAgain={openConnect}
          onCancel={endChoice}
        />
      ) : null}
      {query.isPending ? <Loading /> : null}
      {query.error ? <LoadProblem error={query.error} onAgain={() => void query.refetch()} /> : null}
      {query.data && accounts.length === 0 ? <p className="blank-page">{texts.none}</p> : null}
      {accounts.map((account) => (
        <LoginNote key={account.account_key} account={account} now={now} mayConnect={mayConnect} />
      ))}
      {accounts.length > 0 ? (
        <ul className="rowset account-list" aria-label={texts.list}>
          {accounts.map((account) => (
            <AccountRow
              key={account.account_key}
              account={account}
              accounts={accounts}
              now={now}
              onChanged={() => query.refetch()}
            />
          ))}
        </ul>
      ) : null}
      {isConnecting ? <ConnectDialog onClose={() => setConnecting(false)} /> : null}
    </AdminPage>
  );
}

/** What a login says in the address is shown once: a reload of the page does not repeat it. */
function useLoginEnd() {
  const { tenant } = useWorkspace();
  const [, navigate] = useLocation();
  const search = useSearch();
  const query = new URLSearchParams(search);
  const named = parseLoginEnd(query);
  const [end, setEnd] = useState(named);
  const isNamed = named !== null;
  const path = accountsPath(tenant);
  useEffect(() => {
    if (!isNamed) return;
    setEnd(parseLoginEnd(new URLSearchParams(search)));
    navigate(path, { replace: true });
  }, [isNamed, search, path, navigate]);
  const isChoosing = query.get("choose") === "messenger" && !isNamed;
  return {
    end,
    setEnd,
    choice: isChoosing ? { way: parseWay(query.get("way")) } : null,
    endChoice: () => {
      setEnd(null);
      if (search !== "") navigate(path, { replace: true });
    },
  };
}

interface LoginNoteProps {
  readonly account: Account;
  readonly now: number;
  readonly mayConnect: boolean;
}

/** Asks for the login that an account cannot work without. */
function LoginNote({ account, now, mayConnect }: LoginNoteProps) {
  const { isOpening, start } = useLogin();
  const trouble: Trouble | undefined = troublesOf(account, now).find(({ kind }) => kind === "needs_reauth");
  if (!trouble) return null;
  const { title, text } = troubleWords(account, trouble, now);
  return (
    <Note
      Icon={TriangleAlert}
      tone="bad"
      title={title}
      action={
        mayConnect ? (
          <button
            type="button"
            className="btn small"
            aria-label={texts.logInAgainName(accountName(account))}
            aria-disabled={isOpening}
            onClick={() => void start(account.connection)}
          >
            {texts.logInAgain}
          </button>
        ) : null
      }
    >
      {text}
    </Note>
  );
}
