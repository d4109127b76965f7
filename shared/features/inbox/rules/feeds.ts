import { HOUR, SECOND } from "#base/kernel/time.ts";

/**
 * The load that one shard is planned for. A message moves its conversation in the inbox, which is two writes, and a
 * partition takes 1,000 writes per second. More than a third of that stays in reserve.
 */
const MESSAGES_PER_SECOND_PER_SHARD = 150;
export const FEED_SHARDS_MAX = 32;

/**
 * How many shards a tenant's feeds need, as a power of two.
 * @param messagesInHour the messages stored so far in the current hour
 */
export function feedShardsFor(messagesInHour: number): number {
  const minShards = messagesInHour / ((HOUR / SECOND) * MESSAGES_PER_SECOND_PER_SHARD);
  let shards = 1;
  while (shards < minShards && shards < FEED_SHARDS_MAX) shards *= 2;
  return shards;
}
