import type { EventType } from "#base/events/events.ts";
import { ulidTime } from "#base/kernel/ids.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { MINUTE, type Millis } from "#base/kernel/time.ts";
import type { KnownEndpoint, Subscription } from "../deeds.ts";
import type { Post } from "../world/receivers.ts";
import { type Evidence, SLACK, type StoredItem } from "./evidence.ts";

/** The posts that an endpoint accepted. */
export function acceptedPosts({ posts }: Evidence, endpointId: string, isWanted: (post: Post) => boolean): Post[] {
  return posts.filter((post) => post.endpointId === endpointId && post.accepted && isWanted(post));
}

/**
 * The endpoints of a tenant that existed before an instant, that no one changed, that the service did not pause and
 * that ask for a type of event since then.
 */
export function untouchedEndpoints(
  evidence: Evidence,
  since: Millis,
  { tenant, type }: { readonly tenant: TenantId; readonly type: EventType },
): KnownEndpoint[] {
  return evidence.endpoints.filter((endpoint) => {
    if (endpoint.tenant !== tenant || endpoint.touchedAt !== null || endpoint.createdAt + SLACK >= since) return false;
    const item = evidence.items.find(({ PK, SK }) => PK === `T#${tenant}` && SK === `WH#${endpoint.id}`);
    return item?.st === "active" && possibleSubscriptions(endpoint, since).every(({ types }) => types.includes(type));
  });
}

/** The delivery's row; null without one. */
export function deliveryRow(
  { items }: Evidence,
  { tenant, id }: Pick<KnownEndpoint, "tenant" | "id">,
  eventUlid: string,
): StoredItem | null {
  return items.find(({ PK, SK }) => PK === `D#${tenant}#${id}#0` && SK === eventUlid) ?? null;
}

/** An endpoint receives no event of a type that it did not ask for. */
export function judgeSubscriptions({ posts, endpoints }: Evidence): string[] {
  return posts.flatMap(({ endpointId, eventId, type }) => {
    const endpoint = endpoints.find(({ id }) => id === endpointId);
    if (!endpoint || type === "test.event") return [];
    const possible = possibleSubscriptions(endpoint, ulidTime(eventId.slice(-26)));
    return possible.some(({ types }) => types.includes(type as EventType))
      ? []
      : [`endpoint ${endpointId} received ${type} without a subscription to it`];
  });
}

/** A process that dies writes nothing more after its timeout. */
const MAY_APPLY_WITHIN: Millis = 2 * MINUTE;

/** The subscriptions that may apply to an event of an instant, whenever it is delivered. */
function possibleSubscriptions({ subscriptions }: KnownEndpoint, at: Millis): Subscription[] {
  const certain = subscriptions.findLast(({ appliedAt }) => appliedAt !== null && appliedAt + SLACK < at);
  const mayApplyUntil = ({ askedAt, appliedAt }: Subscription) => appliedAt ?? askedAt + MAY_APPLY_WITHIN;
  return subscriptions.filter((each) => !certain || each === certain || mayApplyUntil(each) >= certain.askedAt);
}
