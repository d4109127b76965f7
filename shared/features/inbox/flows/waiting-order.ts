import { sha256 } from "#base/kernel/bytes.ts";
import { decompress } from "#base/kernel/compression.ts";
import { MINUTE, type Millis } from "#base/kernel/time.ts";
import { accountKey } from "#features/accounts/rules/accounts.ts";
import type { IngestPorts } from "../ports.ts";
import { decodeInbound } from "../queue.ts";

// The order in which webhooks come back that wait for the end of an outage.

/** What orders the messages that wait for the end of an outage. */
interface WaitingOrder {
  /** The messages of one key come back in the order of their times. */
  readonly key: string;
  readonly at: Millis;
}

/** The messages of a key come back together, once in this time. */
const ROUND: Millis = 10 * MINUTE;
/**
 * They come within this time, the oldest first. Two messages whose ages differ by a minute come 6 seconds apart when they
 * are new, and 0.4 seconds apart at an age of an hour.
 */
const ROUND_TAKES: Millis = 2 * MINUTE;
/** Of this age a message is in the middle of its round. */
const MIDDLE_AGE: Millis = 20 * MINUTE;
/** A message waits at least this long. */
const WAIT_MIN: Millis = MINUTE;

/**
 * How long a message is postponed that has an order: until the next round of its key, whose start a hash of the key
 * decides, so that not everything comes back at once. At most 13 minutes.
 */
export function orderedPostponement({ key, at }: WaitingOrder, now: Millis): Millis {
  const phase = sha256(key).readUIntBE(0, 6) % ROUND;
  const earliest = now + WAIT_MIN;
  const start = earliest + ((((phase - earliest) % ROUND) + ROUND) % ROUND);
  const age = Math.max(0, start - at);
  return start - now + ROUND_TAKES * (MIDDLE_AGE / (age + MIDDLE_AGE));
}

/**
 * How long a webhook is postponed: those of an account come back together, by the platform's time of their first update.
 * Null for a large one, whose bytes are in a file, and for one without updates of an account.
 * @param body of a message of the inbound queue
 */
export function inboundPostponement(
  { parseUpdates }: Pick<IngestPorts, "parseUpdates">,
  body: string,
  now: Millis,
): Millis | null {
  const inbound = decodeInbound(body);
  if (!inbound?.bytes) return null;
  const { receivedAt } = inbound;
  const update = parseUpdates(decompress(inbound.bytes), receivedAt).find((each) => "account" in each);
  const order = update && { key: accountKey(update.account), at: Math.min(update.at, receivedAt) };
  return order ? orderedPostponement(order, now) : null;
}
