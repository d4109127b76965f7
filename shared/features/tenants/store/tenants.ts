import { GetCommand } from "@aws-sdk/lib-dynamodb";
import { newUlid } from "#base/kernel/ids.ts";
import { parseTenant, type TenantId } from "#base/kernel/tenant.ts";
import type { Millis } from "#base/kernel/time.ts";
import type { Language } from "#base/languages/languages.ts";
import { batchGet } from "#base/table/batches.ts";
import type { Table } from "#base/table/client.ts";
import { conditionalTransaction } from "#base/table/conditional-write.ts";
import { allOf, anyOf, differs, isPresent, isUnchanged, itemExists } from "#base/table/expressions.ts";
import type { Key } from "#base/table/keys.ts";
import { put, update, type Write } from "#base/table/writes.ts";
import type { AuditEntry } from "#features/access/rules/audit.ts";
import type { ChangeAuthor } from "#features/access/rules/callers.ts";
import type { Invite, Membership } from "#features/access/rules/team.ts";
import { tenantAttributes as A, userAttributes as User } from "#features/access/store/attributes.ts";
import { type AddressHashes, newInviteItem, pendingInviteChange } from "#features/access/store/invite-items.ts";
import { actorCheck, auditItem, pendingInviteKey, tenantKey, userKey } from "#features/access/store/items.ts";
import {
  isDeletedTenant,
  isNotDeleted,
  isSlugFree,
  newMembershipItems,
} from "#features/access/store/membership-items.ts";
import type { TenantCreations } from "#features/access/store/users.ts";

export interface Tenant {
  readonly id: TenantId;
  readonly name: string;
  readonly status: "active" | "suspended";
  /** The address that the operator named as the tenant's first owner; null when none is set. */
  readonly ownerEmail: string | null;
  readonly createdAt: Millis;
}

export interface StoredTenant extends Tenant {
  /** The language of the mails to its people; null: none is set. */
  readonly language: Language | null;
  readonly updatedAt: Millis;
}

/** What its owners may change. A language of null is none. */
export interface TenantChange {
  readonly name?: string | undefined;
  readonly language?: Language | null | undefined;
}

/** The invite of an owner whom the operator names, with its audit row. */
export interface OwnerInvite {
  readonly invite: Invite;
  readonly addressHashes: AddressHashes;
  readonly audit: AuditEntry;
}

/** The first owner of a new tenant: a member, or an address that becomes one when it signs in. */
type FirstOwner = { readonly owner: Membership } | OwnerInvite;

type TenantItem = Key & {
  readonly [A.name]: string;
  readonly [A.status]: Tenant["status"];
  readonly [A.ownerEmail]?: string;
  readonly [A.language]?: Language;
  readonly [A.createdAt]: Millis;
  readonly [A.updatedAt]: Millis;
};

export type Tenants = ReturnType<typeof tenantStore>;

export function tenantStore(table: Table) {
  const { client, name: TableName } = table;
  async function readItem(id: TenantId): Promise<TenantItem | null> {
    const { Item } = await client.send(new GetCommand({ TableName, Key: tenantKey(id), ConsistentRead: true }));
    return (Item as TenantItem | undefined) ?? null;
  }

  return {
    /**
     * Creates a tenant with its first owner, in one transaction.
     * @returns false when the slug is taken, also by a tenant that was deleted not long ago
     */
    async create(tenant: Tenant, audit: AuditEntry, first: FirstOwner | null = null): Promise<boolean> {
      const { applied } = await conditionalTransaction(table, newTenantItems(tenant, audit, first), {
        token: newUlid(tenant.createdAt),
      });
      return applied;
    },

    /**
     * Creates a tenant for a person, who becomes its owner and whose creations of the day are counted, in one transaction.
     * @param creation `creations`: as they were read, before the count of the person's tenants; `day`: the day of UTC
     * @returns `exists`: as `create`; `stale`: the person created another tenant in the meantime
     */
    async createOwned(
      tenant: Tenant,
      audit: AuditEntry,
      creation: { readonly owner: Membership; readonly creations: TenantCreations; readonly day: Millis },
    ): Promise<"created" | "exists" | "stale"> {
      const { owner, creations, day } = creation;
      const count = (creations.day === day ? (creations.count ?? 0) : 0) + 1;
      const isUnchangedUser = allOf(
        itemExists,
        isUnchanged(User.tenantsDay, creations.day),
        isUnchanged(User.tenantsOfDay, creations.count),
      );
      const result = await conditionalTransaction(
        table,
        [
          ...newTenantItems(tenant, audit, { owner }),
          update(
            userKey(owner.userId),
            { set: { [User.tenantsDay]: day, [User.tenantsOfDay]: count } },
            isUnchangedUser,
          ),
        ],
        { token: newUlid(tenant.createdAt) },
      );
      if (result.applied) return "created";
      return result.current[0] === undefined ? "stale" : "exists";
    },

    /** Null also for a tenant that is being deleted, or was. */
    async get(id: TenantId): Promise<StoredTenant | null> {
      const item = await readItem(id);
      return item && !isDeletedTenant(item) ? toTenant(id, item) : null;
    },

    /** Whether a tenant is being deleted, or was. False for a slug without a row. Read consistently. */
    async isDeleted(id: TenantId): Promise<boolean> {
      const item = await readItem(id);
      return item !== null && isDeletedTenant(item);
    },

    /** The tenants of these slugs, in their order, without those that do not exist. Read consistently. */
    async list(ids: readonly TenantId[]): Promise<readonly StoredTenant[]> {
      const items = await batchGet<TenantItem>(table, ids.map(tenantKey), { consistent: true });
      return items.flatMap((item) => {
        const id = parseTenant(item.PK.slice(TENANT_PREFIX.length));
        return id && !isDeletedTenant(item) ? [toTenant(id, item)] : [];
      });
    },

    /**
     * Changes the name or the language of a tenant, with an audit row. `unchanged`: it has these values already, or does not
     * exist.
     */
    async change(
      id: TenantId,
      { name, language }: TenantChange,
      { audit, actor }: ChangeAuthor,
    ): Promise<"changed" | "unchanged" | "actor_changed"> {
      const set = {
        ...(name === undefined ? {} : { [A.name]: name }),
        ...(language ? { [A.language]: language } : {}),
        [A.updatedAt]: audit.at,
      };
      const remove = language === null ? [A.language] : [];
      const isChange = anyOf(
        ...(name === undefined ? [] : [differs(A.name, name)]),
        ...(language ? [differs(A.language, language)] : []),
        ...(language === null ? [isPresent(A.language)] : []),
      );
      const result = await conditionalTransaction(
        table,
        [
          update(tenantKey(id), { set, remove }, allOf(itemExists, isChange, isNotDeleted)),
          put(auditItem(id, audit)),
          ...actorCheck(id, actor),
        ],
        { token: newUlid(audit.at) },
      );
      if (result.applied) return "changed";
      return result.current[0] === undefined ? "actor_changed" : "unchanged";
    },
  };
}

const TENANT_PREFIX = "T#";

/** The tenant itself is the first one. */
function newTenantItems(tenant: Tenant, audit: AuditEntry, first: FirstOwner | null): Write[] {
  const item = {
    ...tenantKey(tenant.id),
    [A.name]: tenant.name,
    [A.status]: tenant.status,
    [A.ownerEmail]: tenant.ownerEmail ?? undefined,
    [A.owners]: first && "owner" in first ? 1 : undefined,
    [A.createdAt]: tenant.createdAt,
    [A.updatedAt]: tenant.createdAt,
  };
  return [
    put(item, isSlugFree(tenant.createdAt)),
    put(auditItem(tenant.id, audit)),
    ...(first ? firstOwnerItems(first) : []),
  ];
}

function firstOwnerItems(first: FirstOwner) {
  if ("owner" in first) return newMembershipItems(first.owner, false);
  const { invite, addressHashes, audit } = first;
  // The tenant is new, so no invite of it exists.
  return [
    put(newInviteItem(invite)),
    put({ ...pendingInviteKey(addressHashes[0], invite.tenant), ...pendingInviteChange(invite) }),
    put(auditItem(invite.tenant, audit)),
  ];
}

function toTenant(id: TenantId, item: TenantItem): StoredTenant {
  return {
    id,
    name: item[A.name],
    status: item[A.status],
    ownerEmail: item[A.ownerEmail] ?? null,
    language: item[A.language] ?? null,
    createdAt: item[A.createdAt],
    updatedAt: item[A.updatedAt],
  };
}
