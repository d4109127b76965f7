import { UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { LOOK_UPS_PER_TENANT_AND_MINUTE } from "../../domain/limits.ts";
import type { TenantId } from "../../kernel/tenant.ts";
import { MINUTE, type Millis, SECOND } from "../../kernel/time.ts";
import type { Table } from "../client.ts";
import { lookUpsKey, timeToLive } from "../keys.ts";

export type LookUps = ReturnType<typeof lookUpStore>;

/** Counts the host names that are looked up because a tenant asks for it. */
export function lookUpStore({ client, name: TableName }: Table) {
  return {
    /**
     * Counts one look-up more in the tenant's present minute. Where the table's answer was lost, the SDK may count it
     * twice.
     * @returns the seconds until the next minute when the tenant has had its look-ups, else null
     */
    async add(tenant: TenantId, now: Millis): Promise<number | null> {
      const { Attributes } = await client.send(
        new UpdateCommand({
          TableName,
          Key: lookUpsKey(tenant, now),
          UpdateExpression: "ADD n :one SET x = :x",
          ExpressionAttributeValues: { ":one": 1, ":x": timeToLive(now + 2 * MINUTE) },
          ReturnValues: "UPDATED_NEW",
        }),
      );
      const made = (Attributes?.n as number | undefined) ?? 0;
      return made <= LOOK_UPS_PER_TENANT_AND_MINUTE ? null : Math.ceil((MINUTE - (now % MINUTE)) / SECOND);
    },
  };
}
