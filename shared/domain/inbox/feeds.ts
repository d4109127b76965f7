import { HOUR, SECOND } from "../../kernel/time.ts";

/**
 * Messages a second that one shard takes in: a message moves its conversation in the inbox, which costs two of the
 * thousand writes a second that a partition bears, and more than a third of that is left free.
 */
const MESSAGES_PER_SECOND_PER_SHARD = 150;
export const FEED_SHARDS_MAX = 32;

/** How many shards a tenant's feeds should have, from the messages stored so far within one hour: a power of two. */
export function feedShardsFor(messagesInHour: number): number {
  const needed = messagesInHour / ((HOUR / SECOND) * MESSAGES_PER_SECOND_PER_SHARD);
  let shards = 1;
  while (shards < needed && shards < FEED_SHARDS_MAX) shards *= 2;
  return shards;
}
