import { GetCommand, QueryCommand, TransactWriteCommand, type TransactWriteCommandInput } from "@aws-sdk/lib-dynamodb";
import type { AuditEntry } from "../../domain/access/audit.ts";
import { ENDPOINTS_PER_TENANT_MAX } from "../../domain/limits.ts";
import type { Endpoint, EndpointChanges } from "../../domain/webhooks/endpoints.ts";
import { newOp, newUlid } from "../../kernel/ids.ts";
import type { TenantId } from "../../kernel/tenant.ts";
import type { Millis } from "../../kernel/time.ts";
import { auditItem } from "../access/audit.ts";
import type { Table } from "../client.ts";
import { conditionalTransaction, conditions } from "../conditional-write.ts";
import { endpointCountKey, endpointKey } from "../keys.ts";
import { endpointBreakers } from "./endpoint-breaker.ts";
import {
  type EndpointItem,
  failureFields,
  notDeleted,
  statusAllows,
  toEndpoint,
  toEndpointItem,
  toEventLetters,
} from "./endpoint-items.ts";

export type Endpoints = ReturnType<typeof endpointStore>;

/** A change of an endpoint's item: what is set, what is taken away, and the status that it must have. */
interface ItemChange {
  readonly set: Readonly<Record<string, unknown>>;
  /** Attributes that become what another one was before the change. */
  readonly copy?: Readonly<Record<string, string>>;
  readonly remove?: readonly string[];
  readonly condition: string;
  readonly values: Readonly<Record<string, unknown>>;
}

type ItemUpdate = NonNullable<NonNullable<TransactWriteCommandInput["TransactItems"]>[number]["Update"]>;

export function endpointStore(table: Table) {
  const { client, name: TableName } = table;
  /** Changes an endpoint and writes the audit row of it, and what else goes with it: all or nothing. @returns whether the condition held */
  async function change(
    tenant: TenantId,
    endpointId: string,
    { set, copy = {}, remove = [], condition, values }: ItemChange,
    audit: AuditEntry,
    extraUpdates: readonly ItemUpdate[] = [],
  ): Promise<boolean> {
    const op = newUlid(audit.at);
    const assignedValues = Object.entries({ ...set, ua: audit.at, o: op });
    const assignments = [
      ...assignedValues.map(([name]) => `${name} = :to_${name}`),
      ...Object.entries(copy).map(([name, from]) => `${name} = ${from}`),
    ];
    const result = await conditionalTransaction(() =>
      client.send(
        new TransactWriteCommand({
          ClientRequestToken: op,
          TransactItems: [
            {
              Update: {
                TableName,
                Key: endpointKey(tenant, endpointId),
                UpdateExpression: `SET ${assignments.join(", ")}${remove.length > 0 ? ` REMOVE ${remove.join(", ")}` : ""}`,
                ConditionExpression: condition,
                ExpressionAttributeValues: {
                  ...values,
                  ...Object.fromEntries(assignedValues.map(([name, value]) => [`:to_${name}`, value])),
                },
                ReturnValuesOnConditionCheckFailure: "ALL_OLD",
              },
            },
            { Put: { TableName, Item: auditItem(tenant, audit) } },
            ...extraUpdates.map((Update) => ({ Update })),
          ],
        }),
      ),
    );
    // The answer to our own write was lost and the SDK asked again: it is done.
    return result.applied || result.current?.o === op;
  }

  /** What counts a tenant's endpoints up or down. */
  function countUpdate(tenant: TenantId, delta: 1 | -1): ItemUpdate {
    return {
      TableName,
      Key: endpointCountKey(tenant),
      UpdateExpression: "ADD n :by",
      ExpressionAttributeValues: { ":by": delta },
    };
  }

  return {
    ...endpointBreakers(table),

    /**
     * A new endpoint, counted, and its audit row: all or nothing.
     * @returns false when the tenant has as many as it may
     */
    async create(tenant: TenantId, endpoint: Endpoint, audit: AuditEntry): Promise<boolean> {
      const result = await conditionalTransaction(() =>
        client.send(
          new TransactWriteCommand({
            ClientRequestToken: endpoint.id,
            TransactItems: [
              {
                Put: {
                  TableName,
                  Item: toEndpointItem(tenant, endpoint),
                  ConditionExpression: conditions.itemDoesNotExist,
                },
              },
              { Put: { TableName, Item: auditItem(tenant, audit) } },
              {
                Update: {
                  ...countUpdate(tenant, 1),
                  ConditionExpression: "attribute_not_exists(n) OR n < :max",
                  ExpressionAttributeValues: { ":by": 1, ":max": ENDPOINTS_PER_TENANT_MAX },
                },
              },
            ],
          }),
        ),
      );
      return result.applied;
    },

    /**
     * Every endpoint of a tenant, deleted ones included.
     * @param consistent also what was written a moment ago
     */
    async list(tenant: TenantId, { consistent = false } = {}): Promise<Endpoint[]> {
      const endpoints: Endpoint[] = [];
      let ExclusiveStartKey: Record<string, unknown> | undefined;
      do {
        const response = await client.send(
          new QueryCommand({
            TableName,
            KeyConditionExpression: "PK = :t AND begins_with(SK, :wh)",
            ExpressionAttributeValues: { ":t": `T#${tenant}`, ":wh": "WH#" },
            ConsistentRead: consistent,
            ExclusiveStartKey,
          }),
        );
        endpoints.push(...((response.Items ?? []) as EndpointItem[]).map(toEndpoint));
        ExclusiveStartKey = response.LastEvaluatedKey;
      } while (ExclusiveStartKey);
      return endpoints;
    },

    async get(tenant: TenantId, endpointId: string): Promise<Endpoint | null> {
      const { Item } = await client.send(
        new GetCommand({ TableName, Key: endpointKey(tenant, endpointId), ConsistentRead: true }),
      );
      return Item ? toEndpoint(Item as EndpointItem) : null;
    },

    /**
     * What an endpoint failed before it was pointed elsewhere, paused or made active says nothing of it any more; that
     * it is left alone stays, until its next probe.
     * @returns false when there is no such endpoint any more
     */
    update(tenant: TenantId, endpointId: string, changes: EndpointChanges, audit: AuditEntry): Promise<boolean> {
      const { url, events, status } = changes;
      const set = {
        ...(url === undefined ? {} : { u: url }),
        ...(events === undefined ? {} : { ev: toEventLetters(events) }),
        ...(status === undefined ? {} : { st: status }),
      };
      if (url === undefined && status === undefined) return change(tenant, endpointId, { set, ...notDeleted }, audit);
      const resetFields = { ...set, bo: newOp(audit.at) };
      return change(tenant, endpointId, { set: resetFields, remove: failureFields, ...notDeleted }, audit);
    },

    /** Leaves a tombstone: id, address and history stay, and nothing of any secret. @returns false when it is there already */
    remove(tenant: TenantId, endpointId: string, audit: AuditEntry): Promise<boolean> {
      const remove = ["s1", "s2", "s2x"];
      const tombstone = { set: { st: "deleted", sp: "" }, remove, ...notDeleted };
      return change(tenant, endpointId, tombstone, audit, [countUpdate(tenant, -1)]);
    },

    /** A new secret; the one before still signs until then, the one before that no more. @returns false when deleted */
    rotate(
      tenant: TenantId,
      endpointId: string,
      secret: { prefix: string; sealed: Uint8Array; overlapUntil: Millis },
      audit: AuditEntry,
    ): Promise<boolean> {
      const set = { s1: secret.sealed, sp: secret.prefix, s2x: secret.overlapUntil };
      return change(tenant, endpointId, { set, copy: { s2: "s1" }, ...notDeleted }, audit);
    },

    /**
     * Pauses an endpoint for its tenant, unless it was paused or pointed elsewhere meanwhile.
     * @param url where it pointed when the reason to pause it came up
     * @param pausedEvent the ULID of the event that will tell of it
     * @param failingSince where every attempt failed since then: unless one succeeded meanwhile
     */
    pause(
      tenant: TenantId,
      endpointId: string,
      { url, pausedEvent, failingSince }: { url: string; pausedEvent: string; failingSince?: Millis },
      audit: AuditEntry,
    ): Promise<boolean> {
      const failingValues = failingSince === undefined ? {} : { ":since": failingSince };
      const { condition, values } = statusAllows("auto_pause");
      return change(
        tenant,
        endpointId,
        {
          set: { st: "paused", pe: pausedEvent },
          condition: `${condition} AND u = :url${failingSince === undefined ? "" : " AND fs = :since"}`,
          values: { ...values, ":url": url, ...failingValues },
        },
        audit,
      );
    },
  };
}
