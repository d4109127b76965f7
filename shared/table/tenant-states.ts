import { GetCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import type { TenantId } from "../kernel/tenant.ts";
import type { Millis } from "../kernel/time.ts";
import type { Table } from "./client.ts";
import { tenantStateKey } from "./keys.ts";

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

    /** Must be written before an erasure begins: a worker that does not know of it looks for no marker. */
    async noteErasure(tenant: TenantId, at: Millis): Promise<void> {
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
