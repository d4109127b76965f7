import type { CallFailure } from "#platforms/accounts/account-platform.ts";
import type { AccountCheckPorts } from "../../ports.ts";
import { accountKey } from "../../rules/accounts.ts";
import type { AccountCheck } from "../../store/account-checks.ts";
import { ownSubscription } from "../../subscription.ts";
import { queueBackfill, queueUnfinishedBackfill } from "../backfill/queue-backfill.ts";
import { checkSubscribers, listSubscribers } from "../subscribers.ts";
import { checkThreads } from "./check-threads.ts";
import { applyRefusal, lastingRefusal, type StepResult, type Visit } from "./visit.ts";

type SubscriptionPorts = Pick<
  AccountCheckPorts,
  "accounts" | "accountChecks" | "accountWork" | "conversations" | "log" | "pageUses"
>;

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
  for (const subscriber of await listSubscribers(ports, ownSubscription(tenant, account)))
    await queueBackfill(ports, { ...subscriber, isCertain: true, now });
  const subscribed = await platform.subscribe(account, token);
  if (subscribed.kind !== "done") return applyFailure(ports, visit, subscribed);
  const { connection } = account;
  ports.log({ event: "account.resubscribed", tenant, account: accountKey(account), connection });
  const isGone = await endSubscriptionOfGone(ports, visit);
  return { visit, next: isGone ? "gone" : "over", isSubscribed: true };
}

/** A disconnection that ran at the same time may have unsubscribed before this check subscribed. */
async function endSubscriptionOfGone(ports: SubscriptionPorts, visit: Visit): Promise<boolean> {
  const { tenant, checked, platform, token, now } = visit;
  const { account } = checked;
  const { connectionId } = account;
  if (await ports.accounts.recordResubscription({ tenant, ref: account, connectionId, at: now })) return false;
  const subscription = ownSubscription(tenant, account);
  // A new connection of the account may need it, unless it is of another kind.
  if ((await listSubscribers(ports, subscription)).length > 0) return true;
  await platform.unsubscribe(account, token);
  await checkSubscribers(ports, subscription);
  return true;
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
