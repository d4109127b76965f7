import { useState } from "react";
import { ConfirmDialog } from "../admin/confirm-dialog.tsx";
import { actionProblem, isNotFound } from "../admin/problems.ts";
import { Tag } from "../admin/tag.tsx";
import { useNotices } from "../common/notices.tsx";
import { may } from "../common/rights.ts";
import { accountName, faceOf } from "../data/accounts.ts";
import { platformName } from "../data/names.ts";
import { useWorkspace } from "../data/workspace.tsx";
import { AccountFace } from "../ui/account-face.tsx";
import { AccountDialog } from "./account-dialog.tsx";
import { type Account, troublesOf } from "./account-health.ts";
import { accountLine, quotesOf, troubleWords } from "./account-words.ts";
import { texts } from "./texts.ts";

interface AccountRowProps {
  readonly account: Account;
  /** Those of the workspace. */
  readonly accounts: readonly Account[];
  readonly now: number;
  readonly onChanged: () => Promise<unknown>;
}

/** An account with its state. What is wrong with one that must be logged in again stands above the list. */
export function AccountRow({ account, accounts, now, onChanged }: AccountRowProps) {
  const { parley, person } = useWorkspace();
  const { show } = useNotices();
  const [opened, setOpened] = useState<"details" | "disconnect" | null>(null);
  const name = accountName(account);
  const troubles = troublesOf(account, now);
  const [worst] = troubles;
  const mayChange = may(person.role, "DELETE /v1/accounts/{account_key}");
  const close = () => setOpened(null);
  const disconnect = async () => {
    try {
      await parley.accounts.disconnect(account.account_key);
    } catch (error) {
      // An answer was lost, or a colleague was faster: it is disconnected already.
      if (!isNotFound(error)) {
        void onChanged();
        return actionProblem(error);
      }
    }
    show({ text: texts.disconnected(texts.nameOn(name, platformName(account.platform))) });
    void onChanged();
    return null;
  };
  return (
    <li>
      <div className="line">
        <AccountFace {...faceOf(account)} size={38} />
        <div className="main">
          <b dir="auto">{name}</b>
          <small dir="auto">{accountLine(account, accounts, now)}</small>
          {quotesOf(account).map(({ source, words }) => (
            <small key={source} className="reason">
              {source} <q dir="auto">{words}</q>
            </small>
          ))}
          {troubles
            .filter(({ kind }) => kind !== "needs_reauth")
            .map((trouble) => {
              const { title, text } = troubleWords(account, trouble, now);
              return (
                <small key={trouble.kind} className={`trouble ${trouble.tone}`} dir="auto">
                  <b>{title}</b> {text}
                </small>
              );
            })}
        </div>
        <Tag tone={worst?.tone ?? "ok"}>{texts.states[worst?.kind ?? "ok"]}</Tag>
        <button
          type="button"
          className="btn small"
          aria-label={mayChange ? texts.manageName(name) : texts.detailsName(name)}
          onClick={() => setOpened("details")}
        >
          {mayChange ? texts.manage : texts.details}
        </button>
      </div>
      {opened === "details" ? (
        <AccountDialog
          account={account}
          accounts={accounts}
          now={now}
          onDisconnect={() => setOpened("disconnect")}
          onClose={close}
        />
      ) : null}
      {opened === "disconnect" ? (
        <ConfirmDialog
          title={texts.disconnectTitle(texts.nameOn(name, platformName(account.platform)))}
          confirm={texts.disconnect}
          isDanger
          onConfirm={disconnect}
          onClose={close}
        >
          <p>{texts.disconnectText}</p>
        </ConfirmDialog>
      ) : null}
    </li>
  );
}
