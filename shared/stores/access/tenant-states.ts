import { GetCommand, TransactWriteCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import type { TenantId } from "../../kernel/tenant.ts";
import type { Millis } from "../../kernel/time.ts";
import type { Table } from "../client.ts";
import { cancelledByCondition } from "../conditional-write.ts";
import { FEED_HEADER, feedHeaderKey, inboxFeed, messageFeed, tenantStateKey } from "../keys.ts";

/** What every worker needs to know of a tenant; it may be a minute old. */
export interface TenantState {
  /** How many shards the tenant's feeds have now. */
  readonly shards: number;
  /** The newest erasure's instant: within 7 days of it a message may belong to an erased conversation. */
  readonly lastErasureAt: Millis | null;
}

export type TenantStates = ReturnType<typeof tenantStateStore>;

export function tenantStateStore({ client, name: TableName }: Table) {
  return {
    async get(tenant: TenantId): Promise<TenantState> {
      const { Item } = await client.send(new GetCommand({ TableName, Key: tenantStateKey(tenant) }));
      return { shards: (Item?.n as number | undefined) ?? 1, lastErasureAt: (Item?.er as Millis | undefined) ?? null };
    },

    /**
     * Gives the tenant's feeds more shards. Readers learn it from the sign on each feed's first shard, which is written
     * in the same transaction; writers who do not know yet go on with fewer, and are read all the same.
     */
    async growShards(tenant: TenantId, from: number, to: number): Promise<void> {
      const headerPut = (feed: "inbox" | "messages", partition: string) => ({
        Put: { TableName, Item: { ...feedHeaderKey(tenant, feed), F: partition, G: FEED_HEADER, n: to } },
      });
      const write = new TransactWriteCommand({
        TransactItems: [
          {
            Update: {
              TableName,
              Key: tenantStateKey(tenant),
              UpdateExpression: "SET n = :to",
              ConditionExpression: from === 1 ? "attribute_not_exists(n)" : "n = :from",
              ExpressionAttributeValues: { ":to": to, ...(from === 1 ? {} : { ":from": from }) },
            },
          },
          headerPut("inbox", inboxFeed(tenant, 0)),
          headerPut("messages", messageFeed(tenant, "live", 0)),
        ],
      });
      await client.send(write).catch((error: unknown) => {
        // Another worker was first, or the answer to this very write was lost.
        if (!cancelledByCondition(error)) throw error;
      });
    },

    /** Must be written before an erasure begins: a worker that does not know of it looks for no marker. */
    async recordErasure(tenant: TenantId, at: Millis): Promise<void> {
      await client.send(
        new UpdateCommand({
          TableName,
          Key: tenantStateKey(tenant),
          UpdateExpression: "SET er = :at",
          ExpressionAttributeValues: { ":at": at },
        }),
      );
    },
  };
}
