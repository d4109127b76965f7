import { MAIL_CLAIM_TIME, RECOVERY_INTERVAL } from "#base/kernel/limits.ts";
import { allDone } from "#base/kernel/parallel.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { type Picture, toPicture } from "#base/kernel/text/pictures.ts";
import { DAY, type Millis } from "#base/kernel/time.ts";
import { done, drop, type RecordOutcome, retry } from "#base/queues/record-outcome.ts";
import { accountToken } from "../../platform-calls.ts";
import type { AccountCheckPorts } from "../../ports.ts";
import { type AccountRef, accountKey, allLogins, nextCheckTime, restrictionCheckTime } from "../../rules/accounts.ts";
import type { AccountCheck } from "../../store/account-checks.ts";
import type { CheckedAccount } from "../../store/account-health.ts";
import { endFormerLogins } from "../finish-connect.ts";
import { checkSubscription } from "./check-subscription.ts";
import { checkToken } from "./check-token.ts";
import { publishNotices } from "./notices.ts";
import { checkRestriction, isWorthAsking } from "./recover.ts";
import { refreshToken } from "./refresh-token.ts";
import type { StepResult, Visit } from "./visit.ts";

export interface CheckTask {
  readonly tenant: TenantId;
  readonly account: AccountRef;
  /** The instant of the check that was due. Absent: the account is checked now, whenever its next check is. */
  readonly dueAt?: Millis;
}

interface CheckResult {
  readonly checked: CheckedAccount;
  readonly next: StepResult["next"];
  readonly isSubscribed: boolean;
  /** The account's picture as it was read; absent when it was not. */
  readonly picture?: Picture | null;
}

/**
 * Checks whether an account still works: refreshes its token, asks the platform about token and permission, completes
 * its subscription, asks whether a restriction is over, and reads the profile picture again before its address ends.
 * Every change of its status is published once. Safe to repeat, at any time. The check of an account that is gone
 * removes what was left for it.
 */
export async function checkAccountHealth(
  ports: AccountCheckPorts,
  task: CheckTask,
  now: Millis,
): Promise<RecordOutcome> {
  const { tenant, account: ref, dueAt } = task;
  // The check is read before the account, because one write stores both: where the account is gone, the check is not that
  // of a later connection, and may be removed.
  const stored = await ports.accountChecks.get(tenant, ref);
  const checked = await ports.accounts.getHealth(tenant, ref);
  if (!checked) return removeCheck(ports, stored, now);
  // An earlier message of the same check completed it.
  if (dueAt !== undefined && stored?.dueAt !== dueAt) return drop("stale");
  const check = stored ?? (await addCheck(ports, { tenant, checked, now }));
  if (check) await endFormerLogins(ports, check);
  const result = await examine(ports, { tenant, checked, check, now });
  const isPublished = await publishNotices(ports, { tenant, checked: result.checked, now });
  if (!isPublished) return retry("mail_claimed", MAIL_CLAIM_TIME);
  if (check && result.next !== "gone") await reschedule(ports, check, { result, now });
  const { status } = result.checked.account;
  ports.log({ event: "account.checked", tenant, account: accountKey(ref), status, outcome: result.next });
  return done;
}

async function examine(
  ports: AccountCheckPorts,
  {
    tenant,
    checked,
    check,
    now,
  }: {
    readonly tenant: TenantId;
    readonly checked: CheckedAccount;
    readonly check: AccountCheck | null;
    readonly now: Millis;
  },
): Promise<CheckResult> {
  const { account } = checked;
  const isWaiting = account.retryAt !== null && now < account.retryAt;
  if (isWaiting || !isWorthAsking({ checked, now })) return { checked, next: "over", isSubscribed: false };
  const [platform, token] = await allDone([
    ports.accountPlatformFor(account.connection),
    accountToken(ports.vault, tenant, account),
  ]);
  let visit: Visit = { tenant, checked, platform, token, now };
  for (const step of [refreshToken, checkRestriction, checkToken]) {
    const { next, visit: newVisit } = await step(ports, visit);
    visit = newVisit;
    if (next !== "continue") return { checked: visit.checked, next, isSubscribed: false };
  }
  const { visit: lastVisit, next, isSubscribed } = await checkSubscription(ports, visit, check);
  const isLater = next === "over" && lastVisit.isUnfinished === true;
  const outcome = { checked: lastVisit.checked, next: isLater ? ("later" as const) : next, isSubscribed };
  const isAnswering = next === "over" && lastVisit.checked.account.status !== "needs_reauth";
  const picture = isAnswering ? await readDuePicture(lastVisit, check) : undefined;
  return picture === undefined ? outcome : { ...outcome, picture };
}

/** In the place of a row that was lost, or of an account that was connected before there were checks. */
async function addCheck(
  { accountChecks }: AccountCheckPorts,
  { tenant, checked, now }: { readonly tenant: TenantId; readonly checked: CheckedAccount; readonly now: Millis },
): Promise<AccountCheck | null> {
  const { platform, externalId, connectionId, authorizedBy } = checked.account;
  const account = { platform, externalId } as const;
  const check = {
    tenant,
    account,
    connectionId,
    authorizedBy,
    formerLogins: [],
    dueAt: now,
    subscribedAt: null,
    heldSince: null,
    backfill: null,
    picture: null,
  };
  return (await accountChecks.add(check)) ? check : null;
}

/** The next check, an interval later at the same time of it, or when a wait is over. Without an answer it stays due. */
async function reschedule(
  { accountChecks, checkInterval }: AccountCheckPorts,
  check: AccountCheck,
  { result, now }: { readonly result: CheckResult; readonly now: Millis },
): Promise<void> {
  const { checked, next, isSubscribed, picture } = result;
  const dueAt =
    next === "later" ? Math.min(check.dueAt, now) : dueTimeAfter(checked, check, { now, interval: checkInterval });
  if (dueAt === check.dueAt && !isSubscribed && picture === undefined) return;
  await accountChecks.reschedule(check, {
    dueAt,
    ...(isSubscribed ? { subscribedAt: now } : {}),
    ...(picture === undefined ? {} : { picture }),
  });
}

function dueTimeAfter(
  { account, health }: CheckedAccount,
  check: AccountCheck,
  { now, interval }: { readonly now: Millis; readonly interval: Millis | undefined },
): Millis {
  const regular = check.dueAt > now ? check.dueAt : nextCheckTime(account, now, interval);
  if (account.status === "needs_reauth" && health.recoveredAt !== null) {
    const askAgainAt = health.recoveredAt + RECOVERY_INTERVAL;
    return askAgainAt > now ? Math.min(regular, askAgainAt) : regular;
  }
  return account.retryAt === null ? regular : Math.min(regular, restrictionCheckTime(account, account.retryAt, now));
}

/**
 * No one needs the check of an account that was disconnected. The logins that connected it are stored eight more days.
 */
async function removeCheck(ports: AccountCheckPorts, check: AccountCheck | null, now: Millis): Promise<RecordOutcome> {
  if (!check) return drop("gone");
  const { tenant, account } = check;
  for (const login of allLogins(check)) await ports.authorizations.expire({ tenant, account, ...login }, now);
  await ports.accountChecks.remove(check);
  return done;
}

/** A check runs once a day, and one of them may get no answer. */
const RENEWED_BEFORE_END: Millis = 2 * DAY;

/**
 * Reads the account's profile picture when none is stored, or when its address ends soon. The account works without it: a
 * refusal changes nothing, and the next check asks again.
 * @returns undefined when it was not read
 */
async function readDuePicture(
  { platform, token, checked, now }: Visit,
  check: Pick<AccountCheck, "picture"> | null,
): Promise<Picture | null | undefined> {
  if (!check || (check.picture && check.picture.expiresAt > now + RENEWED_BEFORE_END)) return undefined;
  const answer = await platform.readPicture(checked.account, token);
  if (answer.kind !== "read") return undefined;
  const picture = toPicture(answer.url, now);
  // The row of an account without a picture is not written again.
  return picture === null && check.picture === null ? undefined : picture;
}
