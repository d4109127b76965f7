import { UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { DNS_LOOKUPS_PER_TENANT_PER_MINUTE } from "../../domain/limits.ts";
import type { TenantId } from "../../kernel/tenant.ts";
import { MINUTE, type Millis, SECOND } from "../../kernel/time.ts";
import type { Table } from "../client.ts";
import { dnsQuotaKey, timeToLive } from "../keys.ts";

export type DnsQuota = ReturnType<typeof dnsQuotaStore>;

/** Counts the host names that are looked up because a tenant asks for it. */
export function dnsQuotaStore({ client, name: TableName }: Table) {
  return {
    /**
     * Counts one look-up more in the tenant's present minute. Where the table's answer was lost, the SDK may count it
     * twice.
     * @returns the seconds until the next minute when the tenant has had its look-ups, else null
     */
    async consume(tenant: TenantId, now: Millis): Promise<number | null> {
      const { Attributes } = await client.send(
        new UpdateCommand({
          TableName,
          Key: dnsQuotaKey(tenant, now),
          UpdateExpression: "ADD n :one SET x = :x",
          ExpressionAttributeValues: { ":one": 1, ":x": timeToLive(now + 2 * MINUTE) },
          ReturnValues: "UPDATED_NEW",
        }),
      );
      const lookups = (Attributes?.n as number | undefined) ?? 0;
      return lookups <= DNS_LOOKUPS_PER_TENANT_PER_MINUTE ? null : Math.ceil((MINUTE - (now % MINUTE)) / SECOND);
    },
  };
}
