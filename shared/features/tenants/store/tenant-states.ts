import { GetCommand } from "@aws-sdk/lib-dynamodb";
import type { TenantId } from "#base/kernel/tenant.ts";
import type { Millis } from "#base/kernel/time.ts";
import type { Table } from "#base/table/client.ts";
import { conditionalTransaction } from "#base/table/conditional-write.ts";
import { isUnchanged } from "#base/table/expressions.ts";
import type { Key } from "#base/table/keys.ts";
import { assign, sendWrite, update } from "#base/table/writes.ts";
import { feedHeaderAttributes } from "#features/inbox/store/attributes.ts";
import { FEED_HEADER, feedHeaderKey, inboxFeed, messageFeed } from "#features/inbox/store/items.ts";

const A = { lastErasureAt: "er", shards: "n" } as const;

/** A tenant's state for workers: the shards of its feeds, and its last erasure. */
export function tenantStateKey(tenant: TenantId): Key {
  return { PK: `T#${tenant}`, SK: "STATE" };
}

/**
 * The partitions that belong to a tenant as a whole, and the beginnings of those that belong to it. Rows of a tenant in
 * other partitions are found by their sort key or an attribute.
 */
export function tenantPartitions(tenant: TenantId): { readonly whole: string[]; readonly starts: string[] } {
  return {
    whole: ["A", "LU", "RQ", "S", "T", "WC"].map((kind) => `${kind}#${tenant}`),
    starts: ["AT", "B", "CONV", "D", "E", "IK", "N", "W"].map((kind) => `${kind}#${tenant}#`),
  };
}

/** What every worker reads of a tenant. It may be a minute old. */
export interface TenantState {
  /** The number of shards of the tenant's feeds. */
  readonly shards: number;
  /** When a conversation was last erased. For 7 days after it a message may belong to an erased conversation. */
  readonly lastErasureAt: Millis | null;
}

export type TenantStates = ReturnType<typeof tenantStateStore>;

export function tenantStateStore(table: Table) {
  const { client, name: TableName } = table;
  return {
    async get(tenant: TenantId): Promise<TenantState> {
      const { Item } = await client.send(new GetCommand({ TableName, Key: tenantStateKey(tenant) }));
      return {
        shards: (Item?.[A.shards] as number | undefined) ?? 1,
        lastErasureAt: (Item?.[A.lastErasureAt] as Millis | undefined) ?? null,
      };
    },

    /**
     * Gives the tenant's feeds more shards, unless another worker did. Readers learn the number from the header of each
     * feed's first shard, which is written in the same transaction. Writers that do not know the new number yet use
     * fewer shards, which readers read too.
     */
    async growShards(tenant: TenantId, from: number, to: number): Promise<void> {
      const header = (feed: "inbox" | "messages", partition: string) =>
        assign({
          ...feedHeaderKey(tenant, feed),
          [feedHeaderAttributes.feed]: partition,
          [feedHeaderAttributes.feedPosition]: FEED_HEADER,
          [feedHeaderAttributes.shards]: to,
        });
      // A tenant with one shard has no stored number.
      const hasSameShards = isUnchanged(A.shards, from === 1 ? undefined : from);
      await conditionalTransaction(table, [
        update(tenantStateKey(tenant), { set: { [A.shards]: to } }, hasSameShards),
        header("inbox", inboxFeed(tenant, 0)),
        header("messages", messageFeed(tenant, "live", 0)),
      ]);
    },

    /** Must be called before an erasure starts: a worker that does not know of it reads no marker. */
    async recordErasure(tenant: TenantId, at: Millis): Promise<void> {
      await sendWrite(table, update(tenantStateKey(tenant), { set: { [A.lastErasureAt]: at } }));
    },
  };
}
