import { RETENTION } from "#base/kernel/limits.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { HOUR, MINUTE, type Millis } from "#base/kernel/time.ts";

// Which tenant had an account when. A message belongs to the tenant that had the account when it was written.

/** A tenant that has, or had, an account. */
export interface AccountHolder {
  readonly tenant: TenantId;
  /** The account's handle, as this tenant connected it last. */
  readonly handle: string;
  /** 0 for a holder whose route an earlier release stored. */
  readonly from: Millis;
  /** Exclusive; null while the tenant has the account. */
  readonly until: Millis | null;
}

/** How much the clocks of the platform and of this process may differ, and how old a worker's copy of the holders is. */
export const HOLDER_TOLERANCE: Millis = MINUTE;
/** A former holder stays as long as a webhook of its time may be processed. */
export const HOLDER_RETENTION: Millis = RETENTION + HOUR;

/**
 * The holder to whom an update belongs: the tenant that had the account at that time, else the one whose time begins or
 * ends within a minute of it. Between two tenants are at least two minutes, so at most one of them is that near.
 * @param at the platform's time of the update, and not later than its arrival
 * @returns null where no tenant had the account
 */
export function holderAt(holders: readonly AccountHolder[], at: Millis): AccountHolder | null {
  const isWithin = (holder: AccountHolder, tolerance: Millis) =>
    at >= holder.from - tolerance && (holder.until === null || at < holder.until + tolerance);
  return (
    holders.find((holder) => isWithin(holder, 0)) ??
    holders.find((holder) => isWithin(holder, HOLDER_TOLERANCE)) ??
    null
  );
}

/** The holders after a tenant connected the account, for the first time or again. */
export function holdersAfterConnecting(
  holders: readonly AccountHolder[],
  { tenant, handle, now }: Pick<AccountHolder, "tenant" | "handle"> & { now: Millis },
): AccountHolder[] {
  const current = holders.find(({ until, tenant: holder }) => until === null && holder === tenant);
  const former = holders.filter(({ until }) => until !== null && until > now - HOLDER_RETENTION);
  return [...former, { tenant, handle, from: current?.from ?? now, until: null }];
}

/** The holders after the tenant that has the account disconnected it. */
export function holdersAfterDisconnecting(holders: readonly AccountHolder[], now: Millis): AccountHolder[] {
  return holders.map((holder) => (holder.until === null ? { ...holder, until: now } : holder));
}

/**
 * The holders after a person requested the deletion of what their login brought to a tenant. What was written before
 * the request is no tenant's, so a time that continues starts with the request. It starts later by the tolerance, because
 * the tolerance would otherwise include updates from before the request.
 * @param request `keepsNewer`: false removes the times that have ended whole, also what is later than the request
 */
export function holdersAfterDataDeletion(
  holders: readonly AccountHolder[],
  request: { readonly tenant: TenantId; readonly requestedAt: Millis; readonly keepsNewer: boolean },
): AccountHolder[] {
  const { tenant, requestedAt, keepsNewer } = request;
  const isOthers = (holder: AccountHolder) => holder.tenant !== tenant;
  const begins = ({ from }: AccountHolder) => Math.max(from, requestedAt + HOLDER_TOLERANCE);
  const goesOn = (holder: AccountHolder) => holder.until === null || (keepsNewer && holder.until > begins(holder));
  return holders
    .filter((holder) => isOthers(holder) || goesOn(holder))
    .map((holder) => (isOthers(holder) ? holder : { ...holder, from: begins(holder) }));
}
