import { deriveEventUlid } from "#base/events/events.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import type { Millis } from "#base/kernel/time.ts";
import type { AccountPlatform, CallFailure, CallRefused } from "#platforms/graph/account-platform.ts";
import type { AccountCheckPorts } from "../../ports.ts";
import type { Finding } from "../../rules/account-health.ts";
import { healthAfter } from "../../rules/account-health.ts";
import { accountKey } from "../../rules/accounts.ts";
import type { CheckedAccount } from "../../store/account-health.ts";

// What the steps of a check share.

/** A check of an account that is in progress. */
export interface Visit {
  readonly tenant: TenantId;
  /** The account as it is now. */
  readonly checked: CheckedAccount;
  readonly platform: AccountPlatform;
  readonly token: string;
  /** When the check started. */
  readonly now: Millis;
  /** The state of the subscription, when an earlier step read it. */
  readonly subscription?: Awaited<ReturnType<AccountPlatform["readSubscription"]>>;
  /** A step had no answer that says anything. The others follow, and the check remains due. */
  readonly isUnfinished?: boolean;
}

/**
 * How a step ends:
 * - `continue`: the next step follows
 * - `over`: the check has its result
 * - `later`: the platform did not answer, so the check remains due
 * - `gone`: the account was disconnected or connected again during the check
 */
export interface StepResult {
  readonly visit: Visit;
  readonly next: "continue" | "over" | "later" | "gone";
}

/** A failure that says something about the account; null for no answer, too many calls, or an error that passes. */
export function lastingRefusal(failure: CallFailure): CallRefused | null {
  return failure.kind === "unknown" || failure.class === "rate" || failure.transient ? null : failure;
}

/** Stores what follows from a finding. Reads and writes nothing when nothing does. */
export async function applyFinding(
  ports: Pick<AccountCheckPorts, "accounts">,
  visit: Visit,
  finding: Finding,
  next: StepResult["next"] = "continue",
): Promise<StepResult> {
  const { tenant, now, checked } = visit;
  if (healthAfter(checked.health, finding, now) === null) return { visit, next };
  const { account } = checked;
  const newChecked = await ports.accounts.changeHealth(
    { tenant, ref: account, connectionId: account.connectionId, lastRefreshedAt: account.lastRefreshedAt, now },
    finding,
  );
  return newChecked ? { visit: { ...visit, checked: newChecked }, next } : { visit, next: "gone" };
}

/** Stores what a refused call says of the account. @returns null when it says nothing */
export async function applyRefusal(
  ports: Pick<AccountCheckPorts, "accounts">,
  visit: Visit,
  { accountStatus, detail }: CallRefused,
): Promise<StepResult | null> {
  if (accountStatus === null) return null;
  if (accountStatus === "needs_reauth")
    return applyFinding(ports, visit, { kind: "access_ended", detail, refresh: false }, "over");
  const { tenant, now, checked } = visit;
  const { account } = checked;
  const eventUlid = deriveEventUlid(
    tenant,
    JSON.stringify([accountKey(account), account.connectionId, "check"]),
    "account.restricted",
    now,
  );
  await ports.accounts.setStatus(tenant, account, { status: accountStatus, detail, asOf: now, at: now, eventUlid });
  const newChecked = await ports.accounts.getHealth(tenant, account);
  return newChecked ? { visit: { ...visit, checked: newChecked }, next: "over" } : { visit, next: "gone" };
}
