import type { CallFailure } from "#platforms/graph/account-platform.ts";
import type { AccountCheckPorts, ReconcilePorts } from "../../ports.ts";
import { markSubscribed, ownSubscription, reconcileSubscription } from "../../reconcile-subscription.ts";
import { accountKey } from "../../rules/accounts.ts";
import type { AccountCheck } from "../../store/account-checks.ts";
import { queueUnfinishedBackfill } from "../backfill/queue-backfill.ts";
import { checkThreads } from "./check-threads.ts";
import { applyRefusal, lastingRefusal, type StepResult, type Visit } from "./visit.ts";

type SubscriptionPorts = ReconcilePorts &
  Pick<AccountCheckPorts, "accounts" | "accountChecks" | "accountWork" | "conversations">;

export interface SubscriptionResult extends StepResult {
  /** Whether the subscription is complete now, and the newest threads were compared with what is stored. */
  readonly isSubscribed: boolean;
}

/**
 * Subscribes again where the subscription is missing or incomplete, and has the messages since then fetched, of each
 * account that uses it. Where the subscription is complete, the newest threads are compared with what is stored.
 */
export async function checkSubscription(
  ports: SubscriptionPorts,
  visit: Visit,
  check: AccountCheck | null,
): Promise<SubscriptionResult> {
  const { checked, platform, token } = visit;
  const { account } = checked;
  const answer = visit.subscription ?? (await platform.readSubscription(account, token));
  const { tenant, now } = visit;
  if (answer.kind === "read" && answer.isComplete) {
    await queueUnfinishedBackfill(ports, { tenant, account, backfill: check?.backfill ?? null, now });
    const threads = await checkThreads(ports, visit, check);
    // Where nothing was compared, the next check compares from the same time on.
    return { visit, next: threads === "unanswered" ? "later" : "over", isSubscribed: threads === "compared" };
  }
  if (answer.kind !== "read") return applyFailure(ports, visit, answer);
  const confirm = () => markSubscribed(ports, { tenant, account });
  const result = await reconcileSubscription(ports, {
    subscription: ownSubscription(tenant, account),
    connected: { isMissing: true, isNew: false, now, confirm },
  });
  if (result.kind === "refused" || result.kind === "unknown") return applyFailure(ports, visit, result);
  return { visit, next: result.kind === "subscribed" ? "over" : "gone", isSubscribed: true };
}

async function applyFailure(ports: SubscriptionPorts, visit: Visit, failure: CallFailure): Promise<SubscriptionResult> {
  const refused = lastingRefusal(failure);
  if (!refused) return { visit, next: "later", isSubscribed: false };
  const refusal = await applyRefusal(ports, visit, refused);
  if (refusal) return { ...refusal, isSubscribed: false };
  const account = accountKey(visit.checked.account);
  ports.log({ event: "account.subscription_refused", tenant: visit.tenant, account, code: refused.code });
  return { visit, next: "over", isSubscribed: false };
}
