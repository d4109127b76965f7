import { TriangleAlert } from "lucide-react";
import { Fragment, useEffect } from "react";
import { Link } from "wouter";
import { useAccounts } from "../common/use-accounts.ts";
import { accountName, type BlockedAccount, blockedAccounts } from "../data/accounts.ts";
import { useWorkspace } from "../data/workspace.tsx";
import { accountsPath } from "../paths.ts";
import { texts } from "./texts.ts";

const NAMED_MAX = 3;

/**
 * Says on every page which accounts cannot send. It goes away by itself when they can.
 * @param isAtAccounts the page of the accounts has the action beside each account itself
 */
export function AccountStrip({ isAtAccounts }: { isAtAccounts: boolean }) {
  const { inbox, tenant, person } = useWorkspace();
  const { data, refetch } = useAccounts();
  useEffect(
    () =>
      inbox.onEvent(({ type }) => {
        if (type.startsWith("account.")) void refetch();
      }),
    [inbox, refetch],
  );
  const blocked = blockedAccounts(data?.accounts ?? []);
  if (blocked.length === 0) return null;
  return (
    <div className="strip bad" role="status">
      <TriangleAlert size={15} aria-hidden="true" />
      <span>
        <BlockedLine blocked={blocked} /> {person.role === "agent" ? texts.askAdmin : null}
      </span>
      {person.role === "agent" || isAtAccounts ? null : (
        <Link className="link" href={accountsPath(tenant)}>
          {texts.openAccounts}
        </Link>
      )}
    </div>
  );
}

function BlockedLine({ blocked }: { blocked: readonly BlockedAccount[] }) {
  const [first] = blocked;
  if (first && blocked.length === 1) {
    return (
      <>
        <bdi>{accountName(first)}</bdi> {texts.blocked[first.status]}
      </>
    );
  }
  return (
    <>
      {texts.cannotSend(blocked.length)}{" "}
      {blocked.slice(0, NAMED_MAX).map((account, index) => (
        <Fragment key={account.account_key}>
          {index === 0 ? null : ", "}
          <bdi>{accountName(account)}</bdi>
        </Fragment>
      ))}
      {blocked.length > NAMED_MAX ? "…" : "."}
    </>
  );
}
