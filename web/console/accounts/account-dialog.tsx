import { useState } from "react";
import { printableText } from "../../../packages/client/src/printable.ts";
import { pastTime } from "../admin/times.ts";
import { may } from "../common/rights.ts";
import { accountName } from "../data/accounts.ts";
import { platformName } from "../data/names.ts";
import { instant } from "../data/types.ts";
import { useWorkspace } from "../data/workspace.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { type Account, troublesOf } from "./account-health.ts";
import { connectionWords, futureDay, quotesOf, troubleWords } from "./account-words.ts";
import { texts } from "./texts.ts";
import { useLogin } from "./use-login.ts";

interface AccountDialogProps {
  readonly account: Account;
  /** Those of the workspace. */
  readonly accounts: readonly Account[];
  readonly now: number;
  readonly onDisconnect: () => void;
  readonly onClose: () => void;
}

/** Everything about an account: what is wrong, how it is connected, and what can be done. */
export function AccountDialog({ account, accounts, now, onDisconnect, onClose }: AccountDialogProps) {
  const { person } = useWorkspace();
  const [problem, setProblem] = useState("");
  const { isOpening, start } = useLogin(setProblem);
  return (
    <Dialog title={accountName(account)} onClose={onClose}>
      <div className="account-details">
        {troublesOf(account, now).map((trouble) => {
          const { title, text } = troubleWords(account, trouble, now);
          return (
            <p key={trouble.kind} dir="auto">
              <b>{title}</b> {text}
            </p>
          );
        })}
        {quotesOf(account).map(({ source, words }) => (
          <p key={source} className="reason">
            {source} <q dir="auto">{words}</q>
          </p>
        ))}
        <Facts account={account} accounts={accounts} now={now} />
        <p className="problem" role="alert">
          {problem}
        </p>
      </div>
      {may(person.role, "DELETE /v1/accounts/{account_key}") ? (
        <div className="acts">
          <button type="button" className="btn warns" onClick={onDisconnect}>
            {texts.disconnect}
          </button>
          <button
            type="button"
            className="btn first"
            aria-disabled={isOpening}
            onClick={() => void start(account.connection)}
          >
            {texts.reconnect}
          </button>
        </div>
      ) : null}
    </Dialog>
  );
}

function Facts({ account, accounts, now }: Pick<AccountDialogProps, "account" | "accounts" | "now">) {
  const [renewedAt, endsAt, checkedAt] = [
    instant(account.last_refreshed_at),
    instant(account.token_expires_at),
    instant(account.subscribed_at),
  ];
  const { facts } = texts;
  const rows: readonly (readonly [string, string])[] = [
    [facts.account, [platformName(account.platform), printableText(account.handle)].join(" · ")],
    [facts.connection, connectionWords(account, accounts)],
    [facts.access, endsAt === null ? texts.noEnd : accessWords(endsAt, now)],
    ...(endsAt === null
      ? []
      : [[facts.renewed, renewedAt === null ? texts.notRenewed : pastTime(renewedAt, now)] as const]),
    [facts.check, checkedAt === null ? texts.notChecked : pastTime(checkedAt, now)],
    [facts.id, printableText(account.account_key)],
  ];
  return (
    <dl>
      {rows.map(([term, words]) => (
        <div key={term}>
          <dt>{term}</dt>
          <dd dir="auto">{words}</dd>
        </div>
      ))}
    </dl>
  );
}

function accessWords(endsAt: number, now: number): string {
  return endsAt <= now ? texts.tokenEnded(pastTime(endsAt, now)) : texts.goodUntil(futureDay(endsAt, now));
}
