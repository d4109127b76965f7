import { DATA_ACCESS_NOTICE, RECOVERY_INTERVAL } from "#base/kernel/limits.ts";
import { iso, type Millis } from "#base/kernel/time.ts";
import { type AccountStatus, effectiveStatus } from "./accounts.ts";

/**
 * - `connect`: a person connected the account, for the first time or again
 * - `refresh_refused`, `refreshed`: of the access token
 * - `access_ended`, `access_confirmed`: the platform says whether token and permission are good
 * - `restrict`, `restriction_ended`: the platform refused a call because it restricts the account, or no longer does
 */
export type AccountTrigger =
  | "connect"
  | "refresh_refused"
  | "refreshed"
  | "access_ended"
  | "access_confirmed"
  | "restrict"
  | "restriction_ended";

/**
 * The transitions of an account's stored status, as `[from, trigger, to]`. A block that the platform reported is stored
 * beside it and ends by its unblock.
 */
export const accountTransitions: readonly (readonly [AccountStatus | "none", AccountTrigger, AccountStatus])[] = [
  ["none", "connect", "active"],
  ["refresh_failing", "connect", "active"],
  ["needs_reauth", "connect", "active"],
  ["restricted", "connect", "active"],
  ["active", "refresh_refused", "refresh_failing"],
  ["refresh_failing", "refresh_refused", "refresh_failing"],
  ["refresh_failing", "refreshed", "active"],
  ["active", "access_ended", "needs_reauth"],
  ["refresh_failing", "access_ended", "needs_reauth"],
  ["restricted", "access_ended", "needs_reauth"],
  ["needs_reauth", "access_confirmed", "active"],
  ["active", "restrict", "restricted"],
  ["refresh_failing", "restrict", "restricted"],
  ["restricted", "restrict", "restricted"],
  ["restricted", "restriction_ended", "active"],
];

/** The status after a trigger; null when the trigger does not apply in `status`. */
function nextAccountStatus(status: AccountStatus, trigger: AccountTrigger): AccountStatus | null {
  return accountTransitions.find(([from, by]) => from === status && by === trigger)?.[2] ?? null;
}

/** What is stored of an account's state. */
export interface AccountHealth {
  /** Without the platform's block. */
  readonly status: AccountStatus;
  /** Whether the platform reported a block. Only its unblock ends that. */
  readonly isBlocked: boolean;
  readonly statusDetail: string | null;
  readonly refreshError: string | null;
  /** The first failure of a refresh after the last success; null for none. */
  readonly refreshFailingSince: Millis | null;
  /** When a check last made the account active. */
  readonly recoveredAt: Millis | null;
}

/**
 * What a check found:
 * - `refreshed`: the platform issued a new token
 * - `refresh_unknown`: the platform did not answer the refresh, or was too busy
 * - `refresh_refused`: it refused the refresh, or refreshes fail for two days, and the token still works
 * - `access_ended`: the token no longer works, or its permission is gone. `refresh`: a refresh found that
 * - `access_confirmed`: token and permission are good. `notice`: what the owners should know, or null
 * - `restriction_ended`: the wait of a restriction is over, and the platform no longer refuses the account
 */
export type Finding =
  | { readonly kind: "refreshed" }
  | { readonly kind: "refresh_unknown" | "refresh_refused"; readonly detail: string }
  | { readonly kind: "access_ended"; readonly detail: string; readonly refresh: boolean }
  | { readonly kind: "access_confirmed"; readonly notice: string | null }
  | { readonly kind: "restriction_ended" };

/** The event of a change of the status. */
export interface HealthEvent {
  readonly type: "account.refresh_failing" | "account.needs_reauth" | "account.restricted" | "account.recovered";
  readonly reason: "token_invalid" | "policy";
}

export interface HealthChange extends Omit<AccountHealth, "isBlocked"> {
  /** Null when the status that is shown stays the same. */
  readonly event: HealthEvent | null;
}

/** The changes that follow from a finding. @returns null when it changes nothing */
export function healthAfter(health: AccountHealth, finding: Finding, now: Millis): HealthChange | null {
  const changes = changesAfter(health, finding, now);
  if (changes === null) return null;
  const { status, statusDetail, refreshError, refreshFailingSince, recoveredAt } = health;
  const newHealth = { status, statusDetail, refreshError, refreshFailingSince, recoveredAt, ...changes };
  const isSame =
    newHealth.status === status &&
    newHealth.statusDetail === statusDetail &&
    newHealth.refreshError === refreshError &&
    newHealth.refreshFailingSince === refreshFailingSince;
  return isSame ? null : { ...newHealth, event: healthEvent(health, newHealth.status) };
}

function changesAfter(health: AccountHealth, finding: Finding, now: Millis): Partial<AccountHealth> | null {
  const { isBlocked } = health;
  const refreshFailingSince = health.refreshFailingSince ?? now;
  const status = finding.kind === "refresh_unknown" ? null : nextAccountStatus(health.status, finding.kind);
  switch (finding.kind) {
    case "refreshed":
      return (
        status && {
          status,
          refreshError: null,
          refreshFailingSince: null,
          ...(isBlocked ? {} : { statusDetail: null }),
        }
      );
    case "refresh_unknown":
      return { refreshError: finding.detail, refreshFailingSince };
    case "refresh_refused": {
      const { detail } = finding;
      // A status that weighs more stays, with its own text.
      return {
        refreshError: detail,
        refreshFailingSince,
        ...(status && !isBlocked ? { status, statusDetail: detail } : {}),
      };
    }
    case "access_ended": {
      const { detail, refresh } = finding;
      return { ...(status && { status, statusDetail: detail }), ...(refresh ? { refreshError: detail } : {}) };
    }
    case "access_confirmed": {
      const { notice } = finding;
      if (status) return mayRecover(health, now) ? { status, statusDetail: notice, recoveredAt: now } : null;
      return health.status === "active" && !isBlocked ? { statusDetail: notice } : null;
    }
    case "restriction_ended":
      return status && !isBlocked ? { status, statusDetail: null, recoveredAt: now } : null;
  }
}

/**
 * Whether a check may take `needs_reauth` back. Where the platform confirms the permission and still refuses the sends,
 * that happens once a day.
 */
export function mayRecover({ recoveredAt }: Pick<AccountHealth, "recoveredAt">, now: Millis): boolean {
  return recoveredAt === null || now - recoveredAt >= RECOVERY_INTERVAL;
}

/** The text about the end of the platform's data access; null while that is far. @param endsAt null for no end */
export function dataAccessNotice(endsAt: Millis | null, now: Millis): string | null {
  if (endsAt === null || endsAt - now > DATA_ACCESS_NOTICE) return null;
  const day = iso(endsAt).slice(0, "2026-01-01".length);
  return `The platform's data access ends on ${day}. Connect the account again to extend it.`;
}

/** The words of a token that reached its end. */
export function expiredTokenDetail(expiresAt: Millis): string {
  return `The access token expired on ${iso(expiresAt).slice(0, "2026-01-01".length)}.`;
}

const events: Readonly<Record<AccountStatus, HealthEvent>> = {
  active: { type: "account.recovered", reason: "token_invalid" },
  refresh_failing: { type: "account.refresh_failing", reason: "token_invalid" },
  needs_reauth: { type: "account.needs_reauth", reason: "token_invalid" },
  restricted: { type: "account.restricted", reason: "policy" },
};

function healthEvent({ status, isBlocked }: AccountHealth, newStatus: AccountStatus): HealthEvent | null {
  const policy = isBlocked ? "block" : null;
  const shown = effectiveStatus(newStatus, policy);
  if (shown === effectiveStatus(status, policy)) return null;
  return shown === "active" && status === "restricted"
    ? { type: "account.recovered", reason: "policy" }
    : events[shown];
}
