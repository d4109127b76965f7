import { MINUTE, type Millis } from "#base/kernel/time.ts";
import { accountKey } from "#features/accounts/rules/accounts.ts";
import { HOLDER_TOLERANCE } from "#features/accounts/rules/holders.ts";
import { accountRouteAttributes as Route } from "#features/accounts/store/attributes.ts";
import { accountItemKey, accountRouteKey, pageUseKey } from "#features/accounts/store/items.ts";
import type { ConnectionDeed } from "../deeds.ts";
import { accounts, findPerson, type WorldAccount } from "../world/people.ts";
import { mayBeDeleted } from "./deletion.ts";
import { type Evidence, SLACK, type StoredItem } from "./evidence.ts";

/** A disconnection and what of it is certain, until the account is connected again. */
function timesGone({ connections }: Evidence, account: WorldAccount): { since: Millis; until: Millis }[] {
  const own = connections.filter((each) => each.account === account);
  return own.flatMap(({ to, endedAt, isDone, askedAt }) => {
    if (to !== "gone" || !isDone || endedAt === null) return [];
    const until = Math.min(
      Infinity,
      ...own
        .filter((each) => each.to === "connected" && (each.endedAt ?? Infinity) > askedAt)
        .map((each) => each.askedAt),
    );
    return [{ since: endedAt, until }];
  });
}

/**
 * Whether a message may be lost because its account was not connected. Only a connection that was requested after the
 * disconnection had ended is certainly later: of two that overlap, either may have been the last.
 */
export function mayBeUnconnected({ connections }: Evidence, account: WorldAccount, at: Millis): boolean {
  const own = connections.filter((each) => each.account === account);
  return own.some(({ to, askedAt, endedAt }) => {
    if (to !== "gone" || at < askedAt - 20 * MINUTE) return false;
    const isLater = (each: ConnectionDeed) => each.to === "connected" && each.askedAt > (endedAt ?? Infinity);
    const again = own.find((each) => isLater(each) && each.isDone);
    return at < (again?.endedAt ?? Infinity) + 2 * MINUTE;
  });
}

/** An account has its route, and its page its use, exactly as long as it is connected. */
export function judgeRoutes(evidence: Evidence): string[] {
  if (evidence.connections.length === 0) return [];
  const has = ({ PK, SK }: { PK: string; SK: string }) =>
    evidence.items.find((item) => item.PK === PK && item.SK === SK);
  return accounts.flatMap((account) => {
    if (mayBeDeleted(evidence, account.tenant)) return [];
    const stored = has(accountItemKey(account.tenant, account));
    const name = accountKey(account);
    const violations: string[] = [];
    const isRouted = has(accountRouteKey(account))?.[Route.tenant] === account.tenant;
    if (isRouted !== (stored !== undefined))
      violations.push(`${name} is ${stored ? "" : "not "}connected, and its route is not so`);
    if (
      account.platform === "messenger" &&
      (has(pageUseKey(account.externalId, account)) !== undefined) !== (stored !== undefined)
    )
      violations.push(`${name} is ${stored ? "" : "not "}connected, and the use of its page is not so`);
    return violations;
  });
}

/**
 * Nothing that is written to an account while it is gone is stored, however late its webhook is processed, and nothing
 * is sent for it.
 */
export function judgeGone(evidence: Evidence): string[] {
  if (evidence.connections.length === 0) return [];
  return accounts.flatMap((account) =>
    timesGone(evidence, account).flatMap(({ since, until }) => {
      const name = accountKey(account);
      const isStored = (item: StoredItem) =>
        item.PK.startsWith(`CONV#${account.tenant}#${name}#`) &&
        item.SK.startsWith("M#") &&
        item.d === "inbound" &&
        !item.z;
      const key = accountItemKey(account.tenant, account);
      return [
        ...evidence.changes
          .flatMap(({ before, after }) => (!before && after && isStored(after) ? [messageTime(after)] : []))
          .filter((at) => at > since + HOLDER_TOLERANCE + SLACK && at < until - HOLDER_TOLERANCE)
          .map((at) => `a message of ${name} was stored that was written ${at - since} ms after it was disconnected`),
        ...evidence.changes
          .filter(({ at, after }) => after?.PK === key.PK && after.SK === key.SK && at > since && at < until)
          .map(({ at }) => `${name} was stored ${at - since} ms after it was disconnected`),
        ...evidence.calls
          .filter(
            ({ at, person }) =>
              person.startsWith("person-") &&
              findPerson(person).account === account &&
              at > since + 45_000 &&
              at < until,
          )
          .map(({ at, text }) => `${text} was sent ${at - since} ms after ${name} was disconnected`),
      ];
    }),
  );
}

/** When a message was written, by its sort key. */
function messageTime({ SK }: StoredItem): Millis {
  return Number(SK.split("#")[1]);
}

/** Each connection and each disconnection has one event, and the last one applies. */
export function judgeConnections(evidence: Evidence): string[] {
  return accounts.flatMap((account) => {
    const own = evidence.connections.filter((each) => each.account === account);
    if (own.length === 0 || mayBeDeleted(evidence, account.tenant)) return [];
    const name = accountKey(account);
    const key = accountItemKey(account.tenant, account);
    const rows = evidence.changes.filter(({ before, after }) => {
      const item = after ?? before;
      return item?.PK === key.PK && item.SK === key.SK;
    });
    const removed = rows.filter(({ after }) => !after).length;
    const events = new Set(
      evidence.posts
        .filter(({ type, body }) => type === "account.disconnected" && body.includes(`"${name}"`))
        .map(({ eventId }) => eventId),
    );
    const violations: string[] = [];
    if (events.size > removed) violations.push(`${name} was disconnected ${removed} times, with ${events.size} events`);
    const isUntouched = evidence.endpoints.some((endpoint) => {
      const item = evidence.items.find(({ PK, SK }) => PK === `T#${account.tenant}` && SK === `WH#${endpoint.id}`);
      const first = own[0]?.askedAt ?? 0;
      const lacks = evidence.items.some(
        ({ PK, st }) => PK === `D#${account.tenant}#${endpoint.id}#0` && st !== "delivered",
      );
      return (
        endpoint.tenant === account.tenant &&
        endpoint.touchedAt === null &&
        endpoint.createdAt + SLACK < first &&
        item?.st === "active" &&
        endpoint.subscriptions.length === 1 &&
        !lacks
      );
    });
    if (isUntouched && evidence.buried.length === 0 && events.size < removed)
      violations.push(`${name} was disconnected ${removed} times, and only ${events.size} events were delivered`);
    const [last] = own.filter(({ isDone }) => isDone).toSorted((a, b) => (b.endedAt ?? 0) - (a.endedAt ?? 0));
    const overlaps = own.some((each) => each !== last && last && (each.endedAt ?? Infinity) > last.askedAt);
    const isStored = evidence.items.some(({ PK, SK }) => PK === key.PK && SK === key.SK);
    if (last && !overlaps && isStored !== (last.to === "connected"))
      violations.push(`${name} should be ${last.to}, and is not`);
    return violations;
  });
}
