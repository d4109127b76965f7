import { GetCommand } from "@aws-sdk/lib-dynamodb";
import type { TenantId } from "#base/kernel/tenant.ts";
import type { Millis } from "#base/kernel/time.ts";
import type { Table } from "#base/table/client.ts";
import { conditionalTransaction } from "#base/table/conditional-write.ts";
import { isUnchanged } from "#base/table/expressions.ts";
import { put, sendWrite, update } from "#base/table/writes.ts";
import { feedHeaderAttributes as Header } from "#features/inbox/store/attributes.ts";
import { FEED_HEADER, feedHeaderKey, inboxFeed, messageFeed } from "#features/inbox/store/keys.ts";
import { tenantStateAttributes as A } from "./attributes.ts";
import { tenantStateKey } from "./keys.ts";

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
        put({
          ...feedHeaderKey(tenant, feed),
          [Header.feed]: partition,
          [Header.feedPosition]: FEED_HEADER,
          [Header.shards]: to,
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
