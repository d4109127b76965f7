import type { Queue } from "#base/aws/queues.ts";
import { ulidTime } from "#base/kernel/ids.ts";
import { RETENTION } from "#base/kernel/limits.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { HOUR, MINUTE, type Millis } from "#base/kernel/time.ts";
import { encodeAccountTask } from "../../queue.ts";
import type { Account, AccountRef } from "../../rules/accounts.ts";
import type { AccountCheck, AccountChecks, Gap } from "../../store/account-checks.ts";
import type { Accounts } from "../../store/accounts.ts";

/** How long before the last complete subscription the gap starts: the platforms end it after an hour of failures. */
const GAP_MARGIN: Millis = 2 * HOUR;
/** The gap is filled after this, when the webhooks of the new subscription have started to arrive. */
const GAP_DELAY: Millis = 2 * MINUTE;
/** The gap ends this much after its task was queued: the new subscription may take a while. */
const SUBSCRIBING_MAX: Millis = MINUTE;
/** A subscription that was complete this long ago, or was made then, is not lost by itself. */
const LOSS_MIN: Millis = MINUTE;
/** A gap that ended this long ago and is still stored was not read to its end. */
const READING_MAX: Millis = HOUR;

export interface QueueGapPorts {
  readonly accounts: Pick<Accounts, "get">;
  readonly accountChecks: Pick<AccountChecks, "get" | "noteGap">;
  readonly accountWork: Pick<Queue, "send">;
}

interface GapOf {
  readonly tenant: TenantId;
  readonly account: AccountRef;
  /** Whether the subscription was seen incomplete, or only may be. */
  readonly isCertain: boolean;
  readonly now: Millis;
}

/**
 * Notes a gap of an account's webhooks, which ends now, and has its messages fetched. Called before the app is
 * subscribed: a process that dies after the subscription would leave no sign of the gap. The gap starts before the
 * subscription was last seen complete, but not before the tenant connected the account. The note stays until the gap was
 * read to its end. Nothing for an account that is not connected, and for one whose subscription may be lost and was
 * complete a minute ago.
 */
export async function queueGap(ports: QueueGapPorts, { tenant, account: ref, isCertain, now }: GapOf): Promise<void> {
  const check = await ports.accountChecks.get(tenant, ref);
  const account = await ports.accounts.get(tenant, ref);
  if (!account) return;
  const heardUntil = check?.subscribedAt ?? check?.heldSince ?? null;
  if (!isCertain && heardUntil !== null && now - heardUntil <= LOSS_MIN) return;
  const gap = { since: gapStart({ account, check, now }), until: now + SUBSCRIBING_MAX };
  const noted = check && (await ports.accountChecks.noteGap(check, gap, now - RETENTION));
  await sendGap(ports, { tenant, account: { ...ref, connectionId: account.connectionId }, gap: noted ?? gap });
}

/** From when messages may be missing that no check has compared or a webhook certainly brought. */
export function gapStart({
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
  const start = heardUntil === null ? heldSince : Math.max(heardUntil - GAP_MARGIN, check?.heldSince ?? 0);
  return Math.max(start, now - RETENTION);
}

/** Has a gap fetched that is noted and whose task ended early, as with a token that the platform refused. */
export async function queueUnreadGap(
  ports: Pick<QueueGapPorts, "accountWork">,
  { tenant, account, gap, now }: Omit<GapTask, "gap"> & { readonly gap: Gap | null; readonly now: Millis },
): Promise<void> {
  if (gap && gap.until + READING_MAX <= now) await sendGap(ports, { tenant, account, gap });
}

interface GapTask {
  readonly tenant: TenantId;
  readonly account: AccountRef & { readonly connectionId: string };
  readonly gap: Gap;
}

function sendGap(
  { accountWork }: Pick<QueueGapPorts, "accountWork">,
  { tenant, account: { platform, externalId, connectionId }, gap: { since, until } }: GapTask,
): Promise<void> {
  const account = { platform, externalId };
  // A worker of the previous release continues only a task of the current connection.
  const task = { op: "fill_gap", tenant, account, connectionId, since, until, after: null, done: 0 } as const;
  return accountWork.send({ body: encodeAccountTask(task), group: tenant, delay: GAP_DELAY });
}
