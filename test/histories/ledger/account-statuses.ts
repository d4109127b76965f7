import type { Millis } from "#base/kernel/time.ts";
import { type AccountStatus, accountKey, effectiveStatus } from "#features/accounts/rules/accounts.ts";
import { accountAttributes as A } from "#features/accounts/store/attributes.ts";
import { accountItemKey } from "#features/accounts/store/items.ts";
import { accounts, type WorldAccount } from "../world/people.ts";
import { mayBeDeleted } from "./deletion.ts";
import { mayLackDelivery } from "./deliveries.ts";
import { acceptedPosts, untouchedEndpoints } from "./endpoints.ts";
import { type Evidence, mayHaveExpired, type StoredItem } from "./evidence.ts";

type StatusEventType = (typeof types)[AccountStatus];

/** A change of the status that is shown, and its event. */
interface StatusChange {
  readonly at: Millis;
  readonly type: StatusEventType;
  readonly eventUlid: string | null;
}

const types = {
  active: "account.recovered",
  refresh_failing: "account.refresh_failing",
  needs_reauth: "account.needs_reauth",
  restricted: "account.restricted",
} as const satisfies Readonly<Record<AccountStatus, string>>;

/** Each change of the status of an account has one event, and no event comes without a change. */
export function judgeStatusEvents(evidence: Evidence): string[] {
  const known = new Set(
    accounts.flatMap((account) => statusChanges(evidence, account)).map(({ eventUlid }) => eventUlid),
  );
  const isOfStatus = (type: string) => Object.values<string>(types).includes(type);
  return evidence.posts.flatMap(({ type, eventId }) =>
    isOfStatus(type) && !known.has(eventId.slice(-26)) ? [`${type} ${eventId} is of no change of a status`] : [],
  );
}

/** Each change of a status was delivered at every endpoint that no one touched. */
export function judgePublishedStatuses(evidence: Evidence): string[] {
  return accounts.flatMap((account) => {
    const { tenant } = account;
    if (mayBeDeleted(evidence, tenant) || evidence.connections.some((each) => each.account === account)) return [];
    const name = accountKey(account);
    return statusChanges(evidence, account).flatMap(({ at, type, eventUlid }) => {
      if (eventUlid === null) return [`${type} of ${name} has no event`];
      if (mayHaveExpired(evidence, at)) return [];
      return untouchedEndpoints(evidence, at, { tenant, type }).flatMap((endpoint) =>
        acceptedPosts(evidence, endpoint.id, (post) => post.eventId.endsWith(eventUlid)).length > 0 ||
        mayLackDelivery(evidence, endpoint, eventUlid)
          ? []
          : [`${type} of ${name} was not delivered to endpoint ${endpoint.id}`],
      );
    });
  });
}

function statusChanges({ changes }: Evidence, account: WorldAccount): StatusChange[] {
  const key = accountItemKey(account.tenant, account);
  return changes.flatMap(({ at, before, after }) => {
    if (!before || !after || after.PK !== key.PK || after.SK !== key.SK) return [];
    const status = shownStatus(after);
    // A new connection has an event of its own.
    if (status === shownStatus(before) || after[A.connectionId] !== before[A.connectionId]) return [];
    return [{ at, type: types[status], eventUlid: eventOf(before, after) }];
  });
}

function eventOf(before: StoredItem, after: StoredItem): string | null {
  if (after[A.statusEvent] !== before[A.statusEvent]) return String(after[A.statusEvent]);
  return (after[A.policy] as Policy | undefined)?.eventUlid ?? null;
}

interface Policy {
  readonly action: "block" | "unblock";
  readonly eventUlid: string | null;
}

function shownStatus(item: StoredItem): AccountStatus {
  const policy = item[A.policy] as Policy | undefined;
  return effectiveStatus(item[A.status] as AccountStatus, policy?.action ?? null);
}
