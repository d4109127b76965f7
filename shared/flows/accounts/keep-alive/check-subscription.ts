import { RETENTION } from "../../../domain/limits.ts";
import { ulidTime } from "../../../kernel/ids.ts";
import { HOUR, MINUTE, type Millis } from "../../../kernel/time.ts";
import type { CallFailure } from "../../../platforms/accounts/account-platform.ts";
import { encodeAccountTask } from "../../../queues/accounts.ts";
import type { AccountCheck } from "../../../stores/accounts/account-checks.ts";
import type { AccountCheckPorts } from "../ports.ts";
import { applyRefusal, lastingRefusal, type StepResult, type Visit } from "./visit.ts";

/** How long before the last complete subscription the gap starts: the platforms end it after an hour of failures. */
const GAP_MARGIN: Millis = 2 * HOUR;
/** The gap is filled after this, when the webhooks of the new subscription have started to arrive. */
const GAP_DELAY: Millis = 2 * MINUTE;
/** The gap ends this much after its task was queued: the new subscription may take a while. */
const SUBSCRIBING_MAX: Millis = MINUTE;

type SubscriptionPorts = Pick<AccountCheckPorts, "accounts" | "accountWork" | "log" | "pageUses">;

export interface SubscriptionResult extends StepResult {
  /** Whether the subscription is complete now. */
  readonly isSubscribed: boolean;
}

/** Subscribes again where the subscription is missing or incomplete, and has the messages since then fetched. */
export async function checkSubscription(
  ports: SubscriptionPorts,
  visit: Visit,
  check: AccountCheck | null,
): Promise<SubscriptionResult> {
  const { checked, platform, token } = visit;
  const { account } = checked;
  const answer = visit.subscription ?? (await platform.readSubscription(account, token));
  if (answer.kind === "read" && answer.isComplete) return { visit, next: "over", isSubscribed: true };
  if (answer.kind !== "read") return applyFailure(ports, visit, answer);
  // Queued first: a process that dies after the subscription would leave no sign of the gap.
  await queueGap(ports, visit, check);
  const subscribed = await platform.subscribe(account, token);
  if (subscribed.kind !== "done") return applyFailure(ports, visit, subscribed);
  ports.log({ event: "account.resubscribed", platform: account.platform, connection: account.connection });
  const isGone = await endSubscriptionOfGone(ports, visit);
  return { visit, next: isGone ? "gone" : "over", isSubscribed: true };
}

/** A disconnection that ran at the same time may have unsubscribed before this check subscribed. */
async function endSubscriptionOfGone(ports: SubscriptionPorts, visit: Visit): Promise<boolean> {
  const { tenant, checked, platform, token, now } = visit;
  const { account } = checked;
  const { connectionId } = account;
  if (await ports.accounts.recordResubscription({ tenant, ref: account, connectionId, at: now })) return false;
  // A new connection of the account needs the subscription.
  if (await ports.accounts.getHealth(tenant, account)) return true;
  const uses = account.pageId === null ? [] : await ports.pageUses.list(account.pageId);
  if (uses.length === 0) await platform.unsubscribe(account, token);
  return true;
}

async function applyFailure(ports: SubscriptionPorts, visit: Visit, failure: CallFailure): Promise<SubscriptionResult> {
  const refused = lastingRefusal(failure);
  if (!refused) return { visit, next: "later", isSubscribed: false };
  const refusal = await applyRefusal(ports, visit, refused);
  if (refusal) return { ...refusal, isSubscribed: false };
  ports.log({ event: "account.subscription_refused", platform: visit.checked.account.platform, code: refused.code });
  return { visit, next: "over", isSubscribed: false };
}

function queueGap({ accountWork }: SubscriptionPorts, visit: Visit, check: AccountCheck | null): Promise<void> {
  const { tenant, now, checked } = visit;
  const { platform, externalId, connectionId } = checked.account;
  const connectedAt = connectionId === "" ? 0 : ulidTime(connectionId);
  const subscribedAt = check?.subscribedAt ?? null;
  const start = subscribedAt === null ? connectedAt : subscribedAt - GAP_MARGIN;
  const body = encodeAccountTask({
    op: "fill_gap",
    tenant,
    account: { platform, externalId },
    connectionId,
    since: Math.max(start, now - RETENTION),
    until: now + SUBSCRIBING_MAX,
    after: null,
    done: 0,
  });
  return accountWork.send({ body, group: tenant, delay: GAP_DELAY });
}
