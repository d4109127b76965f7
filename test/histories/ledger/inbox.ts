import { TENANT } from "../world/open-world.ts";
import { mayLackDelivery } from "./deliveries.ts";
import { acceptedPosts, type Evidence, messageIdOf, untouchedEndpoints } from "./evidence.ts";

/** Each acknowledged message has one row, and is delivered at every endpoint that nobody touched. */
export function judgeInbox(evidence: Evidence): string[] {
  const violations: string[] = [];
  for (const message of evidence.messages) {
    const { mid, person, at, isEcho, unsentAt } = message;
    const rows = evidence.items.filter(({ i }) => i === `${TENANT}#${mid}`);
    if (rows.length > 1) violations.push(`${mid} has ${rows.length} rows`);
    if (!evidence.acknowledged.has(message.webhook)) continue;
    if (evidence.mayBeErased(person, at)) continue;
    if (rows.length === 0) violations.push(`${mid} was acknowledged and has no row`);
    if (unsentAt !== null) continue;
    const type = isEcho ? "message.sent" : "message.received";
    for (const { id } of untouchedEndpoints(evidence, at)) {
      const posts = acceptedPosts(evidence, id, (post) => post.type === type && messageIdOf(post) === mid);
      const eventUlid = rows[0]?.e as string | undefined;
      if (posts.length === 0 && !(eventUlid && mayLackDelivery(evidence, id, eventUlid)))
        violations.push(`${type} of ${mid} was not delivered to endpoint ${id}`);
    }
  }
  return violations;
}

/** One event has one id, and one id one body. */
export function judgeEvents({ posts }: Evidence): string[] {
  const violations: string[] = [];
  const bodies = new Map<string, Set<string>>();
  const ids = new Map<string, Set<string>>();
  for (const post of posts) {
    bodies.set(post.eventId, (bodies.get(post.eventId) ?? new Set()).add(post.body));
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
