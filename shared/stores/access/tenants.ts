import { GetCommand } from "@aws-sdk/lib-dynamodb";
import type { AuditEntry } from "../../domain/access/audit.ts";
import type { Membership } from "../../domain/access/team.ts";
import { newUlid } from "../../kernel/ids.ts";
import type { TenantId } from "../../kernel/tenant.ts";
import type { Millis } from "../../kernel/time.ts";
import { tenantAttributes as A } from "../attributes.ts";
import type { Table } from "../client.ts";
import { conditionalTransaction } from "../conditional-write.ts";
import { itemDoesNotExist } from "../expressions.ts";
import { tenantKey } from "../keys.ts";
import { put } from "../writes.ts";
import { auditItem } from "./audit.ts";
import { newMembershipItems } from "./membership-items.ts";

export interface Tenant {
  readonly id: TenantId;
  readonly name: string;
  readonly status: "active" | "suspended";
  /** The address that may sign in as the tenant's first owner; null when none is set. */
  readonly ownerEmail: string | null;
  readonly createdAt: Millis;
}

export type Tenants = ReturnType<typeof tenantStore>;

export function tenantStore(table: Table) {
  const { client, name: TableName } = table;
  return {
    /**
     * Creates a tenant, with its first owner if it has one yet.
     * @returns false when the slug is taken
     */
    async create(tenant: Tenant, audit: AuditEntry, owner: Membership | null = null): Promise<boolean> {
      const item = {
        ...tenantKey(tenant.id),
        [A.name]: tenant.name,
        [A.status]: tenant.status,
        [A.ownerEmail]: tenant.ownerEmail ?? undefined,
        [A.owners]: owner ? 1 : undefined,
        [A.createdAt]: tenant.createdAt,
        [A.updatedAt]: tenant.createdAt,
      };
      const { applied } = await conditionalTransaction(
        table,
        [
          put(item, itemDoesNotExist),
          put(auditItem(tenant.id, audit)),
          ...(owner ? newMembershipItems(owner, false) : []),
        ],
        { token: newUlid(tenant.createdAt) },
      );
      return applied;
    },

    async get(id: TenantId): Promise<Tenant | null> {
      const { Item } = await client.send(new GetCommand({ TableName, Key: tenantKey(id), ConsistentRead: true }));
      if (!Item) return null;
      return {
        id,
        name: Item[A.name],
        status: Item[A.status],
        ownerEmail: Item[A.ownerEmail] ?? null,
        createdAt: Item[A.createdAt],
      };
    },
  };
}
