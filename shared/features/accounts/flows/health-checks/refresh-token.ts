import type { CallFailure } from "#platforms/graph/account-platform.ts";
import { sealAccountToken } from "../../platform-calls.ts";
import type { AccountCheckPorts } from "../../ports.ts";
import { expiredTokenDetail } from "../../rules/account-health.ts";
import { accountKey } from "../../rules/accounts.ts";
import { isRefreshDue, isRefreshFailing, isTokenExpired } from "../../rules/refresh-due.ts";
import { applyFinding, applyRefusal, lastingRefusal, type StepResult, type Visit } from "./visit.ts";

type RefreshPorts = Pick<AccountCheckPorts, "accounts" | "vault" | "log">;

/** Refreshes a token of Instagram Login when that is due. The new token replaces only the one that was read. */
export async function refreshToken(ports: RefreshPorts, visit: Visit): Promise<StepResult> {
  const { tenant, checked, platform, token, now } = visit;
  const { account, health } = checked;
  if (account.tokenExpiresAt !== null && isTokenExpired(account, now)) {
    const detail = expiredTokenDetail(account.tokenExpiresAt);
    return applyFinding(ports, visit, { kind: "access_ended", detail, refresh: false }, "over");
  }
  if (!isRefreshDue(account, now)) {
    // An earlier check refreshed the token and died before it stored the status.
    const isRefreshed = health.status === "refresh_failing" && health.refreshError === null;
    return isRefreshed ? applyFinding(ports, visit, { kind: "refreshed" }) : { visit, next: "continue" };
  }
  const answer = await platform.refresh(token);
  if (answer.kind !== "refreshed") return applyFailure(ports, visit, answer);
  const sealedToken = await sealAccountToken(ports.vault, tenant, { ...account, token: answer.token });
  const newAccount = await ports.accounts.replaceToken({
    tenant,
    ref: account,
    connectionId: account.connectionId,
    readToken: account.sealedToken,
    sealedToken,
    tokenExpiresAt: answer.expiresAt,
    now,
  });
  // Another check refreshed it, or the account was disconnected or connected again.
  if (!newAccount) return { visit, next: "gone" };
  ports.log({ event: "account.token_refreshed", tenant, account: accountKey(account) });
  const newChecked = {
    ...checked,
    account: newAccount,
    health: { ...health, refreshError: null, refreshFailingSince: null },
  };
  return applyFinding(ports, { ...visit, checked: newChecked, token: answer.token }, { kind: "refreshed" });
}

async function applyFailure(ports: RefreshPorts, visit: Visit, failure: CallFailure): Promise<StepResult> {
  const detail = failure.detail ?? "The platform did not answer.";
  const refused = lastingRefusal(failure);
  const isFailing = isRefreshFailing(visit.checked.health.refreshFailingSince, visit.now);
  const unfinished = { ...visit, isUnfinished: true };
  if (!refused && isFailing) return applyFinding(ports, unfinished, { kind: "refresh_refused", detail });
  if (!refused) return applyFinding(ports, unfinished, { kind: "refresh_unknown", detail });
  if (refused.class === "token")
    return applyFinding(ports, visit, { kind: "access_ended", detail, refresh: true }, "over");
  if (refused.accountStatus !== "restricted") return applyFinding(ports, visit, { kind: "refresh_refused", detail });
  const noted = await applyFinding(ports, visit, { kind: "refresh_unknown", detail });
  return noted.next === "gone" ? noted : ((await applyRefusal(ports, noted.visit, refused)) ?? noted);
}
