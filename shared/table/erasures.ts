import { GetCommand } from "@aws-sdk/lib-dynamodb";
import type { Millis } from "../kernel/time.ts";
import { SECOND } from "../kernel/time.ts";
import type { Table } from "./client.ts";
import { erasureKey } from "./keys.ts";

export type Erasures = ReturnType<typeof erasureStore>;

/** What is left of an erased conversation: when it was erased, under a hash of its id. */
export function erasureStore({ client, name: TableName }: Table) {
  return {
    /** When a conversation was last erased, read consistently; null when that is not known, or not any more. */
    async erasedAt(conversationId: string, now: Millis): Promise<Millis | null> {
      const { Item } = await client.send(
        new GetCommand({ TableName, Key: erasureKey(conversationId), ConsistentRead: true }),
      );
      return Item && Item.x * SECOND > now ? (Item.ea as Millis) : null;
    },
  };
}
