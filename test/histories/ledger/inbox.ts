import { findPerson } from "../world/people.ts";
import { mayBeUnconnected } from "./connections.ts";
import { mayLackDelivery } from "./deliveries.ts";
import { acceptedPosts, untouchedEndpoints } from "./endpoints.ts";
import { type Evidence, mayHaveExpired, messageIdOf, type StoredItem } from "./evidence.ts";

/** The rows of a message. */
function rowsOf({ items }: Evidence, { mid, person }: { readonly mid: string; readonly person: string }): StoredItem[] {
  const id = `${findPerson(person).account.tenant}#${mid}`;
  return items.filter(({ i }) => i === id);
}

/** A message has one row. */
export function judgeRows(evidence: Evidence): string[] {
  return evidence.messages.flatMap((message) => {
    const { length } = rowsOf(evidence, message);
    return length > 1 ? [`${message.mid} has ${length} rows`] : [];
  });
}

/** Each acknowledged message has a row, and is delivered at every endpoint that no one touched. */
export function judgeInbox(evidence: Evidence): string[] {
  const violations: string[] = [];
  for (const message of evidence.messages) {
    const { mid, person, at, isEcho, unsentAt } = message;
    if (!evidence.acknowledged.has(message.webhook)) continue;
    if (mayBeUnconnected(evidence, findPerson(person).account, at)) continue;
    if (evidence.mayBeErased(person, at) || mayHaveExpired(evidence, at)) continue;
    const [row] = rowsOf(evidence, message);
    if (!row) violations.push(`${mid} was acknowledged and has no row`);
    if (unsentAt !== null) continue;
    const type = isEcho ? "message.sent" : "message.received";
    const { tenant } = findPerson(person).account;
    for (const endpoint of untouchedEndpoints(evidence, at, { tenant, type })) {
      const posts = acceptedPosts(evidence, endpoint.id, (post) => post.type === type && messageIdOf(post) === mid);
      const eventUlid = row?.e as string | undefined;
      if (posts.length === 0 && !(eventUlid && mayLackDelivery(evidence, endpoint, eventUlid)))
        violations.push(`${type} of ${mid} was not delivered to endpoint ${endpoint.id}`);
    }
  }
  return violations;
}

const NAMES = /"handle":"[^"]*","username":"[^"]*","name":"[^"]*"/;

/**
 * One event has one id, and one id one body. Of a message that meets an erasure, the first attempt may have the person's
 * names, as the guide on delivery says.
 */
export function judgeEvents({ posts, erasures, customerErasures, platformCallbacks }: Evidence): string[] {
  const hasErasures = erasures.length + customerErasures.length + platformCallbacks.length > 0;
  const toBody = (body: string) =>
    hasErasures ? body.replace(NAMES, '"handle":null,"username":null,"name":null') : body;
  const violations: string[] = [];
  const bodies = new Map<string, Set<string>>();
  const ids = new Map<string, Set<string>>();
  for (const post of posts) {
    bodies.set(post.eventId, (bodies.get(post.eventId) ?? new Set()).add(toBody(post.body)));
    const mid = messageIdOf(post);
    if (mid === null || !["message.received", "message.sent", "message.deleted"].includes(post.type)) continue;
    const name = `${post.type} of ${mid}`;
    ids.set(name, (ids.get(name) ?? new Set()).add(post.eventId));
  }
  for (const [id, all] of bodies)
    if (all.size > 1) violations.push(`event ${id} has ${all.size} bodies: ${[...all].join(" / ")}`);
  for (const [name, all] of ids) if (all.size > 1) violations.push(`${name} has ${all.size} event ids`);
  return violations;
}
