import { UpdateCommand } from "@aws-sdk/lib-dynamodb";
import type { Breaker } from "../../domain/delivery/breaker.ts";
import type { Endpoint } from "../../domain/webhooks/endpoints.ts";
import { newOp } from "../../kernel/ids.ts";
import type { TenantId } from "../../kernel/tenant.ts";
import type { Millis } from "../../kernel/time.ts";
import type { Table } from "../client.ts";
import { whenConditionHolds } from "../conditional-write.ts";
import { endpointKey } from "../keys.ts";
import { breakerFields, type EndpointItem, endpointOf, notDeleted } from "./endpoint-items.ts";

export function endpointBreakers({ client, name: TableName }: Table) {
  return {
    /**
     * Writes what the last attempts say of an endpoint.
     * @param seen the endpoint as it was when that was thought of
     * @returns null once it is written, else the endpoint as it stands: it was written by someone else meanwhile, or is
     *   deleted
     */
    async keepBreaker(
      tenant: TenantId,
      seen: Pick<Endpoint, "id" | "breakerOp">,
      breaker: Breaker,
      now: Millis,
    ): Promise<{ kept: true } | { kept: false; endpoint: Endpoint | null }> {
      const op = newOp(now);
      const fields = Object.entries(breakerFields(breaker));
      const set = fields.filter(([, value]) => value !== undefined);
      const gone = fields.filter(([, value]) => value === undefined).map(([name]) => name);
      const untouched = seen.breakerOp === null ? "attribute_not_exists(bo)" : "bo = :seen";
      const written = await whenConditionHolds(() =>
        client.send(
          new UpdateCommand({
            TableName,
            Key: endpointKey(tenant, seen.id),
            UpdateExpression: `SET ${[["bo"], ...set].map(([name]) => `${name} = :${name}`).join(", ")}${gone.length > 0 ? ` REMOVE ${gone.join(", ")}` : ""}`,
            ConditionExpression: `${notDeleted.condition} AND ${untouched}`,
            ExpressionAttributeValues: {
              ...notDeleted.values,
              ...Object.fromEntries(set.map(([name, value]) => [`:${name}`, value])),
              ":bo": op,
              ...(seen.breakerOp === null ? {} : { ":seen": seen.breakerOp }),
            },
            ReturnValuesOnConditionCheckFailure: "ALL_OLD",
          }),
        ),
      );
      // The answer to our own write was lost and the SDK asked again: it is done.
      if (written.held || written.old?.bo === op) return { kept: true };
      return { kept: false, endpoint: written.old ? endpointOf(written.old as unknown as EndpointItem) : null };
    },
  };
}
