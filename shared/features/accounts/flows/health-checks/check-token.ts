import type { CallRefused } from "#platforms/graph/account-platform.ts";
import type { AccountCheckPorts } from "../../ports.ts";
import { dataAccessNotice } from "../../rules/account-health.ts";
import { accountKey } from "../../rules/accounts.ts";
import { applyFinding, applyRefusal, lastingRefusal, type StepResult, type Visit } from "./visit.ts";

const INVALID_TOKEN = "The access token is no longer valid.";
const MISSING_PERMISSION = "The permission to read and send messages is missing.";

/**
 * Asks the platform about the token: a page token at each check, because nothing refreshes it, and a token of Instagram
 * Login only where its access had ended.
 */
export async function checkToken(
  ports: Pick<AccountCheckPorts, "accounts" | "log">,
  visit: Visit,
): Promise<StepResult> {
  const { checked, platform, token, now } = visit;
  const { account } = checked;
  if (account.connection === "instagram_login" && account.status !== "needs_reauth") return { visit, next: "continue" };
  const answer = await platform.inspect(account, token);
  if (answer.kind !== "inspected") {
    const refused = lastingRefusal(answer);
    if (!refused) return { visit, next: "later" };
    if (account.connection !== "instagram_login") return checkWithoutApp(ports, visit, refused);
    return (await applyRefusal(ports, visit, refused)) ?? { visit, next: "over" };
  }
  if (!answer.isValid || !answer.hasRights) {
    const detail = answer.detail ?? (answer.isValid ? MISSING_PERMISSION : INVALID_TOKEN);
    return applyFinding(ports, visit, { kind: "access_ended", detail, refresh: false }, "over");
  }
  const notice = dataAccessNotice(answer.dataAccessExpiresAt, now);
  if (account.status !== "needs_reauth") return applyFinding(ports, visit, { kind: "access_confirmed", notice });
  // The inspection of a token of Instagram Login is a read of the conversations.
  return confirmAccess(ports, visit, { notice, readsThreads: account.connection !== "instagram_login" });
}

/** The app asks about a page token with a token of its own, so that a refusal is about the app. A read uses the page token. */
async function checkWithoutApp(
  ports: Pick<AccountCheckPorts, "accounts" | "log">,
  visit: Visit,
  { code }: CallRefused,
): Promise<StepResult> {
  const { account } = visit.checked;
  ports.log({ event: "account.inspection_refused", tenant: visit.tenant, account: accountKey(account), code });
  // The read of the subscription follows.
  if (account.status !== "needs_reauth") return { visit, next: "continue" };
  return confirmAccess(ports, visit, { notice: null, readsThreads: true });
}

/**
 * Ends `needs_reauth` where the platform also answers the reads that the account needs. It refuses them for a valid token
 * whose account, for example, is no longer linked to its page.
 */
async function confirmAccess(
  ports: Pick<AccountCheckPorts, "accounts">,
  visit: Visit,
  { notice, readsThreads }: { readonly notice: string | null; readonly readsThreads: boolean },
): Promise<StepResult> {
  const { checked, platform, token } = visit;
  const { account } = checked;
  if (readsThreads) {
    const threads = await platform.listThreads(account, token, { after: null, limit: 1 });
    if (threads.kind !== "listed") return { visit, next: lastingRefusal(threads) ? "over" : "later" };
  }
  const subscription = await platform.readSubscription(account, token);
  if (subscription.kind !== "read") {
    const refused = lastingRefusal(subscription);
    if (!refused) return { visit, next: "later" };
    if (refused.accountStatus !== null) return { visit, next: "over" };
  }
  return applyFinding(ports, { ...visit, subscription }, { kind: "access_confirmed", notice });
}
