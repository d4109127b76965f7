import type { OutgoingEvent, WebhookObject } from "../world/model.ts";
import { wireJson } from "./signing.ts";

function shuffleItems<Item>(items: readonly Item[]): Item[] {
  return items
    .map((item) => ({ item, rank: Math.random() }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ item }) => item);
}

/** One webhook body with an entry for each event and the key order of the real platforms. `now` in milliseconds. */
export function composeBody(
  object: WebhookObject,
  events: readonly OutgoingEvent[],
  now: number,
  shuffle = false,
): string {
  const ordered = shuffle ? shuffleItems(events) : events;
  const entry = ordered.map(({ entryId, slot, event }) => ({ time: now, id: entryId, [slot]: [event] }));
  return wireJson({ object, entry });
}
