import { GetCommand } from "@aws-sdk/lib-dynamodb";
import { ERASURE_MARKER_TTL } from "#base/kernel/limits.ts";
import type { Millis } from "#base/kernel/time.ts";
import type { Table } from "#base/table/client.ts";
import { conditionalWrite } from "#base/table/conditional-write.ts";
import { absentOr, below } from "#base/table/expressions.ts";
import { timeToLive } from "#base/table/keys.ts";
import { update } from "#base/table/writes.ts";
import { restoredErasureAttributes as A } from "./attributes.ts";
import { restoredErasureKey } from "./items.ts";

export type RestoredErasures = ReturnType<typeof restoredErasureStore>;

interface RestoredConversation {
  /** Up to which instant the conversation was erased; null when it was not. */
  readonly upTo: Millis | null;
  readonly isPartlyRead: boolean;
}

/**
 * The erasures of the journal, by the hash of their conversation: of one that the restored table does not have, only the
 * platform's history names the id. Without them, fetching would bring the conversation back.
 * Under the same hash stands that the platform lists a conversation only in part, so that a row names no person.
 */
export function restoredErasureStore(table: Table) {
  const { client, name: TableName } = table;
  return {
    /** Safe to repeat. Of several erasures of a conversation, the latest counts. */
    async note(subject: string, upTo: Millis, now: Millis): Promise<void> {
      const set = { [A.upTo]: upTo, [A.ttl]: timeToLive(now + ERASURE_MARKER_TTL) };
      await conditionalWrite(table, update(restoredErasureKey(subject), { set }, absentOr(below, A.upTo, upTo)));
    },

    /** Notes that the platform lists the conversation's messages since the restored time only in part. Safe to repeat. */
    async notePartlyRead(subject: string, now: Millis): Promise<void> {
      const set = { [A.partlyRead]: true, [A.ttl]: timeToLive(now + ERASURE_MARKER_TTL) };
      await conditionalWrite(table, update(restoredErasureKey(subject), { set }));
    },

    /** What is known of a conversation since the restored time. Reads consistently. */
    async get(subject: string): Promise<RestoredConversation> {
      const { Item } = await client.send(
        new GetCommand({ TableName, Key: restoredErasureKey(subject), ConsistentRead: true }),
      );
      return { upTo: (Item?.[A.upTo] as Millis | undefined) ?? null, isPartlyRead: Item?.[A.partlyRead] === true };
    },
  };
}
