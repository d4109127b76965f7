import { accountKey } from "../../domain/accounts/accounts.ts";
import { decompress } from "../../kernel/compression.ts";
import { decodeInbound } from "../../queues/inbound.ts";
import type { WaitingOrder } from "../outage.ts";
import type { IngestPorts } from "./ports.ts";

/**
 * What orders a webhook that waits for the end of an outage: its account, and the platform's time of its first update.
 * Null for a large one, whose bytes are in a file, and for one without updates of an account.
 * @param body of a message of the inbound queue
 */
export function inboundOrder({ parseUpdates }: Pick<IngestPorts, "parseUpdates">, body: string): WaitingOrder | null {
  const inbound = decodeInbound(body);
  if (!inbound?.bytes) return null;
  const { receivedAt } = inbound;
  const update = parseUpdates(decompress(inbound.bytes), receivedAt).find((each) => "account" in each);
  return update ? { key: accountKey(update.account), at: Math.min(update.at, receivedAt) } : null;
}
