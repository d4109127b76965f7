import { GetCommand, QueryCommand, TransactWriteCommand } from "@aws-sdk/lib-dynamodb";
import type { Endpoint, EndpointStatus } from "../domain/endpoints.ts";
import type { EventType } from "../domain/events.ts";
import type { TenantId } from "../kernel/tenant.ts";
import type { Millis } from "../kernel/time.ts";
import { type AuditEntry, auditItem } from "./audit.ts";
import type { Table } from "./client.ts";
import { endpointKey, type Key } from "./keys.ts";

export type Endpoints = ReturnType<typeof endpointStore>;

export function endpointStore({ client, name: TableName }: Table) {
  return {
    /** A new endpoint and its audit row, both or neither. */
    async create(tenant: TenantId, endpoint: Endpoint, audit: AuditEntry): Promise<void> {
      await client.send(
        new TransactWriteCommand({
          ClientRequestToken: endpoint.id,
          TransactItems: [
            {
              Put: { TableName, Item: itemOf(tenant, endpoint), ConditionExpression: "attribute_not_exists(PK)" },
            },
            { Put: { TableName, Item: auditItem(tenant, audit) } },
          ],
        }),
      );
    },

    /** Every endpoint of a tenant, deleted ones included. */
    async list(tenant: TenantId): Promise<Endpoint[]> {
      const endpoints: Endpoint[] = [];
      let ExclusiveStartKey: Record<string, unknown> | undefined;
      do {
        const answer = await client.send(
          new QueryCommand({
            TableName,
            KeyConditionExpression: "PK = :t AND begins_with(SK, :wh)",
            ExpressionAttributeValues: { ":t": `T#${tenant}`, ":wh": "WH#" },
            ExclusiveStartKey,
          }),
        );
        endpoints.push(...((answer.Items ?? []) as EndpointItem[]).map(endpointOf));
        ExclusiveStartKey = answer.LastEvaluatedKey;
      } while (ExclusiveStartKey);
      return endpoints;
    },

    async get(tenant: TenantId, endpointId: string): Promise<Endpoint | null> {
      const { Item } = await client.send(
        new GetCommand({ TableName, Key: endpointKey(tenant, endpointId), ConsistentRead: true }),
      );
      return Item ? endpointOf(Item as EndpointItem) : null;
    },
  };
}

interface EndpointItem extends Key {
  readonly u: string;
  readonly ev: EventType[];
  readonly st: EndpointStatus;
  readonly sp: string;
  readonly s1?: Uint8Array;
  readonly s2?: Uint8Array;
  readonly s2x?: Millis;
  readonly ca: Millis;
  readonly ua: Millis;
}

function itemOf(tenant: TenantId, endpoint: Endpoint) {
  return {
    ...endpointKey(tenant, endpoint.id),
    u: endpoint.url,
    ev: endpoint.events,
    st: endpoint.status,
    sp: endpoint.secretPrefix,
    s1: endpoint.sealedSecret ?? undefined,
    s2: endpoint.secondary?.sealedSecret,
    s2x: endpoint.secondary?.expiresAt,
    ca: endpoint.createdAt,
    ua: endpoint.updatedAt,
  };
}

function endpointOf(item: EndpointItem): Endpoint {
  return {
    id: item.SK.slice("WH#".length),
    url: item.u,
    events: item.ev,
    status: item.st,
    secretPrefix: item.sp,
    sealedSecret: item.s1 ?? null,
    secondary: item.s2 && item.s2x !== undefined ? { sealedSecret: item.s2, expiresAt: item.s2x } : null,
    createdAt: item.ca,
    updatedAt: item.ua,
  };
}
