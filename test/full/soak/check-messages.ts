import { type Evidence, groupBy } from "./evidence.ts";
import { isErased } from "./ledger.ts";

/** Each acknowledged message has one row, is listed once, and was accepted by every endpoint. */
export function checkMessages({ ledger, items, listed, endpointIds }: Evidence): string[] {
  const rows = groupBy(items, ({ PK, SK, i }) => (PK.startsWith("CONV#") && SK.startsWith("M#") ? String(i) : null));
  const listedById = groupBy(listed, ({ id }) => id);
  const accepted = acceptedMessages(ledger.posts, "message.received");
  return ledger.written.flatMap(({ mid, person, writtenAt, unsent }) => {
    const violations: string[] = [];
    const rowCount = rows.get(`demo#${mid}`)?.length ?? 0;
    if (rowCount > 1) violations.push(`${mid} has ${rowCount} rows`);
    if (!ledger.acknowledged.has(mid)) return [...violations, `the webhook of ${mid} was never acknowledged`];
    if (isErased(ledger, person, writtenAt)) return violations;
    if (rowCount === 0) violations.push(`${mid} was acknowledged and has no row`);
    const listings = listedById.get(mid) ?? [];
    if (listings.length !== 1) violations.push(`${mid} is listed ${listings.length} times`);
    // `deleted_at` says that it was unsent. The text is then empty, as that of a message without one.
    if (unsent && listings.some(({ text }) => text !== "")) violations.push(`${mid} was unsent and shows its text`);
    // A message that was unsent before its first delivery has none.
    if (unsent) return violations;
    for (const endpointId of endpointIds)
      if (!accepted.has(`${endpointId} ${mid}`)) violations.push(`${mid} was not delivered to ${endpointId}`);
    return violations;
  });
}

/** An event has one id, and an id one body. */
export function checkEvents({ ledger: { posts, erasures } }: Evidence): string[] {
  const violations: string[] = [];
  const ofMessages = posts.filter(({ type }) => ["message.received", "message.sent", "message.deleted"].includes(type));
  for (const [name, same] of groupBy(ofMessages, ({ type, messageId }) => messageId && `${type} of ${messageId}`)) {
    const ids = new Set(same.map(({ eventId }) => eventId));
    if (ids.size > 1) violations.push(`${name} has the event ids ${[...ids].join(", ")}`);
  }
  for (const [eventId, same] of groupBy(posts, (post) => post.eventId)) {
    const bodies = new Set(same.map(({ body }) => body));
    // A message that arrives during an erasure may be sent once with the person's names. docs/guides/delivery.md
    const isOfErased = erasures.some(({ person }) => same[0]?.body.includes(`#${person}"`));
    if (bodies.size > 1 && !isOfErased) violations.push(`event ${eventId} has bodies ${[...bodies].join(" / ")}`);
  }
  return violations;
}

/** The messages that endpoints accepted in events of a type, as `<endpoint> <message>`. */
export function acceptedMessages(posts: Evidence["ledger"]["posts"], type: string): Set<string> {
  const accepted = posts.filter((post) => post.accepted && post.type === type);
  return new Set(accepted.map(({ endpointId, messageId }) => `${endpointId} ${messageId}`));
}
