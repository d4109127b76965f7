import { GetCommand, TransactWriteCommand } from "@aws-sdk/lib-dynamodb";
import type { AuditEntry } from "../../domain/access/audit.ts";
import type { TenantId } from "../../kernel/tenant.ts";
import type { Millis } from "../../kernel/time.ts";
import type { Table } from "../client.ts";
import { cancelledByCondition } from "../conditional-write.ts";
import { tenantKey } from "../keys.ts";
import { auditItem } from "./audit.ts";

export interface Tenant {
  readonly id: TenantId;
  readonly name: string;
  readonly status: "active" | "suspended";
  /** The address that may sign in as the tenant's first owner; null when none was named. */
  readonly ownerEmail: string | null;
  readonly createdAt: Millis;
}

export type Tenants = ReturnType<typeof tenantStore>;

export function tenantStore({ client, name: TableName }: Table) {
  return {
    /** @returns false when the slug is taken */
    async create(tenant: Tenant, audit: AuditEntry): Promise<boolean> {
      try {
        await client.send(
          new TransactWriteCommand({
            TransactItems: [
              {
                Put: {
                  TableName,
                  Item: {
                    ...tenantKey(tenant.id),
                    n: tenant.name,
                    st: tenant.status,
                    ow: tenant.ownerEmail ?? undefined,
                    ca: tenant.createdAt,
                    ua: tenant.createdAt,
                  },
                  ConditionExpression: "attribute_not_exists(PK)",
                },
              },
              { Put: { TableName, Item: auditItem(tenant.id, audit) } },
            ],
          }),
        );
        return true;
      } catch (error) {
        if (cancelledByCondition(error)) return false;
        throw error;
      }
    },

    async get(id: TenantId): Promise<Tenant | null> {
      const { Item } = await client.send(new GetCommand({ TableName, Key: tenantKey(id), ConsistentRead: true }));
      return Item ? { id, name: Item.n, status: Item.st, ownerEmail: Item.ow ?? null, createdAt: Item.ca } : null;
    },
  };
}
