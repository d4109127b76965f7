import type { Queue } from "#base/aws/queues.ts";
import { ulidTime } from "#base/kernel/ids.ts";
import { RETENTION } from "#base/kernel/limits.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { HOUR, MINUTE, type Millis } from "#base/kernel/time.ts";
import { encodeAccountTask } from "../../queue.ts";
import type { Account, AccountRef } from "../../rules/accounts.ts";
import type { AccountCheck, AccountChecks, Backfill } from "../../store/account-checks.ts";
import type { Accounts } from "../../store/accounts.ts";

/**
 * A backfill starts this long before the last complete subscription: the platforms end one after an hour of failures.
 */
const BACKFILL_MARGIN: Millis = 2 * HOUR;
/** A backfill runs after this, when the webhooks of the new subscription have started to arrive. */
const BACKFILL_DELAY: Millis = 2 * MINUTE;
/** A backfill covers this much after its task was queued: the new subscription may take a while. */
const SUBSCRIBING_MAX: Millis = MINUTE;
/** A subscription that was complete this long ago, or was made then, is not lost by itself. */
const LOSS_MIN: Millis = MINUTE;
/** A backfill whose time ended this long ago and that is still stored did not reach its end. */
const READING_MAX: Millis = HOUR;

export interface QueueBackfillPorts {
  readonly accounts: Pick<Accounts, "get">;
  readonly accountChecks: Pick<AccountChecks, "get" | "noteBackfill">;
  readonly accountWork: Pick<Queue, "send">;
}

interface BackfillRequest {
  readonly tenant: TenantId;
  readonly account: AccountRef;
  /** Whether the subscription was seen incomplete, or only may be. */
  readonly isCertain: boolean;
  readonly now: Millis;
}

/**
 * Notes and queues a backfill of the messages that an account's webhooks missed until now. Called before the app is
 * subscribed, because a process that dies after the subscription would leave no sign of the missing messages. The
 * backfill starts before the subscription was last seen complete, but not before the tenant connected the account. Its
 * note stays until it reached its end. Does nothing for an account that is not connected. Does nothing either where the
 * subscription may be lost, but was complete a minute ago.
 */
export async function queueBackfill(
  ports: QueueBackfillPorts,
  { tenant, account: ref, isCertain, now }: BackfillRequest,
): Promise<void> {
  const check = await ports.accountChecks.get(tenant, ref);
  const account = await ports.accounts.get(tenant, ref);
  if (!account) return;
  const heardUntil = check?.subscribedAt ?? check?.heldSince ?? null;
  if (!isCertain && heardUntil !== null && now - heardUntil <= LOSS_MIN) return;
  const backfill = { since: backfillStart({ account, check, now }), until: now + SUBSCRIBING_MAX };
  const noted = check && (await ports.accountChecks.noteBackfill(check, backfill, now - RETENTION));
  await sendBackfill(ports, {
    tenant,
    account: { ...ref, connectionId: account.connectionId },
    backfill: noted ?? backfill,
  });
}

/** From when messages may be missing that no check has compared or a webhook certainly brought. */
export function backfillStart({
  account: { connectionId },
  check,
  now,
}: {
  readonly account: Pick<Account, "connectionId">;
  readonly check: AccountCheck | null;
  readonly now: Millis;
}): Millis {
  const heldSince = check?.heldSince ?? (connectionId === "" ? 0 : ulidTime(connectionId));
  const heardUntil = check?.subscribedAt ?? null;
  const start = heardUntil === null ? heldSince : Math.max(heardUntil - BACKFILL_MARGIN, check?.heldSince ?? 0);
  return Math.max(start, now - RETENTION);
}

/** Queues a noted backfill again whose task ended early, as with a token that the platform refused. */
export async function queueUnfinishedBackfill(
  ports: Pick<QueueBackfillPorts, "accountWork">,
  {
    tenant,
    account,
    backfill,
    now,
  }: Omit<AccountBackfill, "backfill"> & { readonly backfill: Backfill | null; readonly now: Millis },
): Promise<void> {
  if (backfill && backfill.until + READING_MAX <= now) await sendBackfill(ports, { tenant, account, backfill });
}

interface AccountBackfill {
  readonly tenant: TenantId;
  readonly account: AccountRef & { readonly connectionId: string };
  readonly backfill: Backfill;
}

function sendBackfill(
  { accountWork }: Pick<QueueBackfillPorts, "accountWork">,
  { tenant, account: { platform, externalId, connectionId }, backfill: { since, until } }: AccountBackfill,
): Promise<void> {
  const account = { platform, externalId };
  // A worker of the previous release continues only a task of the current connection.
  const task = { op: "backfill", tenant, account, connectionId, since, until, after: null, done: 0 } as const;
  return accountWork.send({ body: encodeAccountTask(task), group: tenant, delay: BACKFILL_DELAY });
}
