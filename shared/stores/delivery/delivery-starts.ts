import { TransactWriteCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import type { AuditEntry } from "../../domain/access/audit.ts";
import { RETENTION } from "../../domain/limits.ts";
import { newUlid } from "../../kernel/ids.ts";
import type { TenantId } from "../../kernel/tenant.ts";
import type { Millis } from "../../kernel/time.ts";
import { auditItem } from "../access/audit.ts";
import type { Table } from "../client.ts";
import { conditionalTransaction, conditionalWrite, conditions } from "../conditional-write.ts";
import { deliveryKey, timeToLive, undeliveredPartition } from "../keys.ts";
import { eventFields, failingIndex, type NewDelivery, statusCondition } from "./delivery-items.ts";

/** The writes after which a delivery waits for its first attempt: it is new, or begins anew. */
export function deliveryStarts({ client, name: TableName }: Table) {
  return {
    /** Writes a row that waits for its first attempt, due now, and an audit row: both or neither. */
    async recordPending(tenant: TenantId, delivery: NewDelivery, audit: AuditEntry, now: Millis): Promise<void> {
      const Item = {
        ...deliveryKey(tenant, delivery.endpointId, delivery.eventUlid),
        ...eventFields(delivery),
        st: "pending",
        n: 0,
        na: now,
        ua: now,
        x: timeToLive(now + RETENTION),
        ...failingIndex(tenant, delivery.endpointId, "pending"),
      };
      await client.send(
        new TransactWriteCommand({
          ClientRequestToken: delivery.eventUlid,
          TransactItems: [
            { Put: { TableName, Item, ConditionExpression: conditions.itemDoesNotExist } },
            { Put: { TableName, Item: auditItem(tenant, audit) } },
          ],
        }),
      );
    },

    /**
     * Lets a delivery begin anew: no attempt made, the first one due now. What the last attempt left stays to be read.
     * @param trigger whether one that came through may, too
     * @param audit a row that is written with it, or not at all; null for none
     * @returns false when its status is no longer one that may
     */
    async reset(
      tenant: TenantId,
      delivery: Pick<NewDelivery, "endpointId" | "eventUlid">,
      trigger: "replay" | "forced_replay",
      audit: AuditEntry | null,
      now: Millis,
    ): Promise<boolean> {
      const op = newUlid(now);
      const from = statusCondition(trigger);
      const Update = {
        TableName,
        Key: deliveryKey(tenant, delivery.endpointId, delivery.eventUlid),
        UpdateExpression: "SET st = :pending, n = :zero, na = :now, ua = :now, o = :op, W = :w",
        ConditionExpression: from.condition,
        ExpressionAttributeValues: {
          ...from.values,
          ":pending": "pending",
          ":zero": 0,
          ":now": now,
          ":op": op,
          ":w": undeliveredPartition(tenant, delivery.endpointId),
        },
        ReturnValuesOnConditionCheckFailure: "ALL_OLD" as const,
      };
      const result = audit
        ? await conditionalTransaction(() =>
            client.send(
              new TransactWriteCommand({
                ClientRequestToken: op,
                TransactItems: [{ Update }, { Put: { TableName, Item: auditItem(tenant, audit) } }],
              }),
            ),
          )
        : await conditionalWrite(() => client.send(new UpdateCommand(Update)));
      // The answer to our own write was lost and the SDK asked again: it is done.
      return result.applied || result.current?.o === op;
    },
  };
}
