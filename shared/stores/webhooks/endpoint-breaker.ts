import { UpdateCommand } from "@aws-sdk/lib-dynamodb";
import type { Breaker } from "../../domain/delivery/breaker.ts";
import type { Endpoint } from "../../domain/webhooks/endpoints.ts";
import { newOp } from "../../kernel/ids.ts";
import type { TenantId } from "../../kernel/tenant.ts";
import type { Millis } from "../../kernel/time.ts";
import type { Table } from "../client.ts";
import { conditionalWrite } from "../conditional-write.ts";
import { endpointKey } from "../keys.ts";
import { breakerFields, type EndpointItem, notDeleted, toEndpoint } from "./endpoint-items.ts";

export function endpointBreakers({ client, name: TableName }: Table) {
  return {
    /**
     * Writes what the last attempts say of an endpoint.
     * @param expected the endpoint as it was when that was thought of
     * @returns null once it is written, else the endpoint as it stands: it was written by someone else meanwhile, or is
     *   deleted
     */
    async saveBreaker(
      tenant: TenantId,
      expected: Pick<Endpoint, "id" | "breakerOp">,
      breaker: Breaker,
      now: Millis,
    ): Promise<{ applied: true } | { applied: false; endpoint: Endpoint | null }> {
      const op = newOp(now);
      const fields = Object.entries(breakerFields(breaker));
      const set = fields.filter(([, value]) => value !== undefined);
      const removedNames = fields.filter(([, value]) => value === undefined).map(([name]) => name);
      const unchangedCondition = expected.breakerOp === null ? "attribute_not_exists(bo)" : "bo = :seen";
      const result = await conditionalWrite(() =>
        client.send(
          new UpdateCommand({
            TableName,
            Key: endpointKey(tenant, expected.id),
            UpdateExpression: `SET ${[["bo"], ...set].map(([name]) => `${name} = :${name}`).join(", ")}${removedNames.length > 0 ? ` REMOVE ${removedNames.join(", ")}` : ""}`,
            ConditionExpression: `${notDeleted.condition} AND ${unchangedCondition}`,
            ExpressionAttributeValues: {
              ...notDeleted.values,
              ...Object.fromEntries(set.map(([name, value]) => [`:${name}`, value])),
              ":bo": op,
              ...(expected.breakerOp === null ? {} : { ":seen": expected.breakerOp }),
            },
            ReturnValuesOnConditionCheckFailure: "ALL_OLD",
          }),
        ),
      );
      // The answer to our own write was lost and the SDK asked again: it is done.
      if (result.applied || result.current?.bo === op) return { applied: true };
      return {
        applied: false,
        endpoint: result.current ? toEndpoint(result.current as unknown as EndpointItem) : null,
      };
    },
  };
}
