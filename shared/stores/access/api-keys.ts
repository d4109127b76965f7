import { GetCommand, TransactWriteCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import type { AuditEntry } from "../../domain/access/audit.ts";
import type { Scope } from "../../domain/inbox/messages.ts";
import { REQUESTS_PER_KEY_PER_MINUTE } from "../../domain/limits.ts";
import { parseTenant, type TenantId } from "../../kernel/tenant.ts";
import { MINUTE, type Millis, SECOND } from "../../kernel/time.ts";
import type { Table } from "../client.ts";
import { apiKeyItemKey, apiKeyLookupKey, operatorKeyItemKey, rateLimitKey, timeToLive } from "../keys.ts";
import { auditItem } from "./audit.ts";

/** A key as its lookup row knows it. The secret itself is nowhere: the row lies under its peppered hash. */
export interface ApiKey {
  readonly id: string;
  readonly prefix: string;
  readonly scope: Scope;
  readonly label: string;
  /** One tenant for a bound key, several for an operator's. */
  readonly tenants: readonly TenantId[];
  readonly kind: "tenant" | "operator";
  readonly status: "active" | "revoked";
  readonly createdAt: Millis;
}

export type ApiKeys = ReturnType<typeof apiKeyStore>;

export function apiKeyStore({ client, name: TableName }: Table) {
  return {
    /** A new key, its place in the list, and an audit row for each tenant it opens: all or nothing. */
    async create(
      key: ApiKey,
      keyHash: string,
      audits: readonly { tenant: TenantId; entry: AuditEntry }[],
    ): Promise<void> {
      const attributes = {
        id: key.id,
        pf: key.prefix,
        sc: key.scope,
        lb: key.label,
        ts: key.tenants,
        kd: key.kind,
        st: key.status,
        ca: key.createdAt,
      };
      const [tenant] = key.tenants;
      const listKey = key.kind === "operator" || !tenant ? operatorKeyItemKey(key.id) : apiKeyItemKey(tenant, key.id);
      await client.send(
        new TransactWriteCommand({
          ClientRequestToken: key.id,
          TransactItems: [
            {
              Put: {
                TableName,
                Item: { ...apiKeyLookupKey(keyHash), ...attributes },
                ConditionExpression: "attribute_not_exists(PK)",
              },
            },
            { Put: { TableName, Item: { ...listKey, ...attributes, kh: keyHash } } },
            ...audits.map(({ tenant: auditedTenant, entry }) => ({
              Put: { TableName, Item: auditItem(auditedTenant, entry) },
            })),
          ],
        }),
      );
    },

    /** The key behind a hash, read consistently, so that a revocation bites at once. */
    async getByHash(keyHash: string): Promise<ApiKey | null> {
      const { Item } = await client.send(
        new GetCommand({ TableName, Key: apiKeyLookupKey(keyHash), ConsistentRead: true }),
      );
      if (!Item) return null;
      return {
        id: Item.id,
        prefix: Item.pf,
        scope: Item.sc,
        label: Item.lb,
        tenants: (Item.ts as string[]).flatMap((slug) => parseTenant(slug) ?? []),
        kind: Item.kd,
        status: Item.st,
        createdAt: Item.ca,
      };
    },

    /**
     * Counts one request in the key's present minute.
     * @returns the seconds until the next minute when the key has had its requests, else null
     */
    async consumeRequest(keyId: string, now: Millis): Promise<number | null> {
      const { Attributes } = await client.send(
        new UpdateCommand({
          TableName,
          Key: rateLimitKey(keyId, now),
          UpdateExpression: "ADD n :one SET x = :x",
          ExpressionAttributeValues: { ":one": 1, ":x": timeToLive(now + 2 * MINUTE) },
          ReturnValues: "UPDATED_NEW",
        }),
      );
      const requests = (Attributes?.n as number | undefined) ?? 0;
      return requests <= REQUESTS_PER_KEY_PER_MINUTE ? null : Math.ceil((MINUTE - (now % MINUTE)) / SECOND);
    },
  };
}
