import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useSearch } from "wouter";
import type { Account } from "#client";
import { printableText } from "../../../packages/client/src/printable.ts";
import { useNotices } from "../common/notices.tsx";
import { problemLine } from "../common/problems.ts";
import { platformName } from "../data/names.ts";
import { useWorkspace } from "../data/workspace.tsx";
import { accountsPath } from "../paths.ts";
import { Dialog } from "../ui/dialog.tsx";
import { PlatformGlyph } from "../ui/platform-glyph.tsx";
import { PageChoice } from "./page-choice.tsx";
import { texts } from "./texts.ts";
import "./accounts.css";

/** Lists the connected accounts, and connects others. */
export function AccountsPage() {
  const { parley, tenant, person } = useWorkspace();
  const search = new URLSearchParams(useSearch());
  const accounts = useQuery({ queryKey: ["accounts", tenant], queryFn: () => parley.accounts.list() });
  const mayConnect = person.role !== "agent";
  return (
    <main className="accounts">
      <header className="accounts-head">
        <div>
          <h1>{texts.title}</h1>
          <p>{mayConnect ? texts.intro : texts.onlyAdmins}</p>
        </div>
        {mayConnect ? <ConnectButtons /> : null}
      </header>
      <LoginResult connected={search.get("connected")} error={search.get("error")} />
      {search.get("choose") === "messenger" && mayConnect ? <PageChoice /> : null}
      {accounts.isPending ? <p role="status">{texts.loading}</p> : null}
      {accounts.error ? <LoadProblem error={accounts.error} onRetry={() => void accounts.refetch()} /> : null}
      {accounts.data?.accounts.length === 0 ? <p>{texts.none}</p> : null}
      <ul className="account-list">
        {accounts.data?.accounts.map((account) => (
          <AccountRow key={account.account_key} account={account} mayDisconnect={mayConnect} />
        ))}
      </ul>
    </main>
  );
}

function LoginResult({ connected, error }: { connected: string | null; error: string | null }) {
  if (error !== null) {
    return (
      <p className="login-result problem" role="alert">
        {texts.loginError(error)}
      </p>
    );
  }
  return connected === null ? null : (
    <p className="login-result" role="status">
      {texts.connected}
    </p>
  );
}

function LoadProblem({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  return (
    <div className="load-problem" role="alert">
      <p className="problem">{problemLine(error)}</p>
      <button type="button" className="btn" onClick={onRetry}>
        {texts.again}
      </button>
    </div>
  );
}

/** Goes to the platform's login, which leads back to this page. */
function useLogin() {
  const { parley, tenant } = useWorkspace();
  const { show } = useNotices();
  const [isOpening, setOpening] = useState(false);
  const start = async (platform: "instagram" | "messenger") => {
    if (isOpening) return;
    setOpening(true);
    try {
      const { url } = await parley.logins.start(platform, { redirect: accountsPath(tenant) });
      location.assign(url);
    } catch (error) {
      show({ text: problemLine(error), kind: "problem" });
      setOpening(false);
    }
  };
  return { isOpening, start };
}

function ConnectButtons() {
  const { isOpening, start } = useLogin();
  return (
    <div className="connect-buttons">
      <button type="button" className="btn first" aria-disabled={isOpening} onClick={() => void start("instagram")}>
        {texts.connectInstagram}
      </button>
      <button type="button" className="btn" aria-disabled={isOpening} onClick={() => void start("messenger")}>
        {texts.connectMessenger}
      </button>
    </div>
  );
}

function AccountRow({ account, mayDisconnect }: { account: Account; mayDisconnect: boolean }) {
  const { parley, tenant } = useWorkspace();
  const { show } = useNotices();
  const client = useQueryClient();
  const [isAsked, setAsked] = useState(false);
  const login = useLogin();
  const name = printableText(account.display_name || account.handle);
  const disconnect = async () => {
    setAsked(false);
    try {
      await parley.accounts.disconnect(account.account_key);
      await client.invalidateQueries({ queryKey: ["accounts", tenant] });
      show({ text: texts.disconnected(name) });
    } catch (error) {
      show({ text: problemLine(error), kind: "problem" });
    }
  };
  return (
    <li>
      <span className="platform">
        <PlatformGlyph platform={account.platform} />
      </span>
      <span className="names">
        <b dir="auto">{name}</b>
        <small>
          {platformName(account.platform)} · <bdi>@{printableText(account.handle)}</bdi>
        </small>
        {account.missing_since === null ? null : <small className="problem">{texts.missing}</small>}
      </span>
      <span className={`tag ${account.status}`}>{texts.statuses[account.status]}</span>
      {mayDisconnect ? (
        <span className="account-acts">
          {account.status === "needs_reauth" ? (
            <button
              type="button"
              className="btn"
              aria-disabled={login.isOpening}
              onClick={() => void login.start(account.page_id === null ? "instagram" : "messenger")}
            >
              {texts.connectAgain}
            </button>
          ) : null}
          <button type="button" className="btn quiet" onClick={() => setAsked(true)}>
            {texts.disconnect}
          </button>
        </span>
      ) : null}
      {isAsked ? (
        <Dialog title={texts.disconnectTitle(name)} onClose={() => setAsked(false)}>
          <p>{texts.disconnectText}</p>
          <div className="dialog-acts">
            <button type="button" className="btn" onClick={() => setAsked(false)}>
              {texts.cancel}
            </button>
            <button type="button" className="btn danger" onClick={() => void disconnect()}>
              {texts.disconnect}
            </button>
          </div>
        </Dialog>
      ) : null}
    </li>
  );
}
