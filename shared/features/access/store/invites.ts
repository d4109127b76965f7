import { GetCommand } from "@aws-sdk/lib-dynamodb";
import { newUlid } from "#base/kernel/ids.ts";
import { allDone } from "#base/kernel/parallel.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import type { Millis } from "#base/kernel/time.ts";
import { batchGet } from "#base/table/batches.ts";
import type { Table } from "#base/table/client.ts";
import { conditionalTransaction, conditionalWrite } from "#base/table/conditional-write.ts";
import {
  above,
  absentOr,
  allOf,
  anyOf,
  atMost,
  equals,
  isAbsent,
  itemDoesNotExist,
  itemExists,
} from "#base/table/expressions.ts";
import type { Key } from "#base/table/keys.ts";
import { queryAll } from "#base/table/query-all.ts";
import { check, put, remove, type TransactItem, update } from "#base/table/writes.ts";
import { type Invite, isInviteExpired } from "../rules/team.ts";
import { inviteAttributes as A, pendingInviteAttributes as Pending, tenantAttributes as Tenant } from "./attributes.ts";
import { type ExceededInviteLimit, exceededInviteLimit, type InviteCount, inviteCountItems } from "./invite-counts.ts";
import { type InviteAuthor, inviteEnds, isPending } from "./invite-ends.ts";
import {
  type AddressHashes,
  boundTo,
  type InviteItem,
  inviteExpiry,
  newInviteItem,
  type PendingInvite,
  type PendingInviteItem,
  pendingInviteChange,
  toInvite,
  toPendingInvite,
} from "./invite-items.ts";
import { actorCheck, auditItem, inviteKey, membershipKey, pendingInviteKey, tenantKey } from "./items.ts";
import { isNotDeleted } from "./membership-items.ts";

const tenantExists = allOf(itemExists, isNotDeleted);

export type Invites = ReturnType<typeof inviteStore>;

export function inviteStore(table: Table) {
  const { client, name: TableName } = table;

  /** Writes the row by address, unless the address has another pending invite in the tenant or is a member of it. */
  function claimAddress(invite: Invite, [first, ...others]: AddressHashes, claim: Claim): TransactItem[] {
    const { tenant, id } = invite;
    const isFree = anyOf(itemDoesNotExist, equals(Pending.inviteId, id), atMost(Pending.expiresAt, claim.now));
    return [
      update(pendingInviteKey(first, tenant), { set: pendingInviteChange(invite) }, isFree),
      ...others.map((hash) => remove(pendingInviteKey(hash, tenant), isFree)),
      ...(claim.memberId === null ? [] : [check(membershipKey(tenant, claim.memberId), itemDoesNotExist)]),
    ];
  }

  return {
    ...inviteEnds(table),

    /**
     * Creates an invite.
     * @param by `memberId`: the user of the address, if there is one; `namesOwner`: the tenant's row gets the address
     *   as that of the owner whom the operator named; `count`: counts the invite, unless a limit is reached
     * @returns `exists`: the address has a pending invite in the tenant, or is a member of it
     */
    async create(
      invite: Invite,
      {
        audit,
        actor,
        memberId,
        addressHashes,
        namesOwner = false,
        count = null,
      }: InviteAuthor & {
        readonly memberId: string | null;
        readonly namesOwner?: boolean;
        readonly count?: InviteCount | null;
      },
    ): Promise<"created" | "exists" | "actor_changed" | "tenant_not_found" | ExceededInviteLimit> {
      // A member who invites themselves: one item takes part in a transaction once.
      if (actor && actor.userId === memberId) return "exists";
      const address = claimAddress(invite, addressHashes, { memberId, now: audit.at });
      const op = newUlid(audit.at);
      const counts = count ? inviteCountItems(invite, count, { op, now: audit.at }) : [];
      const actorItems = actorCheck(invite.tenant, actor);
      const result = await conditionalTransaction(
        table,
        [
          ...address,
          namesOwner
            ? update(tenantKey(invite.tenant), { set: { [Tenant.ownerEmail]: invite.email } }, tenantExists)
            : check(tenantKey(invite.tenant), tenantExists),
          put(newInviteItem(invite), itemDoesNotExist),
          put(auditItem(invite.tenant, audit)),
          ...actorItems,
          ...counts,
        ],
        { token: op, ownMark: { [Pending.inviteId]: invite.id } },
      );
      if (result.applied) return "created";
      const conditionFailures = result.current.map((item) => item !== undefined);
      if (conditionFailures[address.length]) return "tenant_not_found";
      if (conditionFailures.slice(0, address.length).includes(true)) return "exists";
      const firstCount = address.length + 3 + actorItems.length;
      const isActorChanged = conditionFailures.slice(0, firstCount).includes(true);
      return (isActorChanged ? null : exceededInviteLimit(result.current.slice(firstCount))) ?? "actor_changed";
    },

    /**
     * Whether `create` or `renew` would refuse the invite with `exists`. Read consistently.
     * @param address `memberId`: the user of the address, if there is one
     */
    async isAddressTaken(
      { tenant, id }: Pick<Invite, "tenant" | "id">,
      { addressHashes, memberId, now }: Claim & Pick<InviteAuthor, "addressHashes">,
    ): Promise<boolean> {
      const pendingKeys = addressHashes.map((hash) => pendingInviteKey(hash, tenant));
      const memberKeys = memberId === null ? [] : [membershipKey(tenant, memberId)];
      const items = await batchGet<Key>(table, [...pendingKeys, ...memberKeys], { consistent: true });
      return items.some((item) => {
        if (memberKeys.some(({ SK }) => SK === item.SK)) return true;
        const [other] = toPendingInvite(item as PendingInviteItem);
        return other !== undefined && other.inviteId !== id && !isInviteExpired(other, now);
      });
    },

    /** The invites of a tenant, oldest first, also those that have ended. Read consistently. */
    async list(tenant: TenantId): Promise<readonly Invite[]> {
      return (await queryAll<InviteItem>(table, inviteKey(tenant, ""))).map((item) => toInvite(tenant, item));
    },

    /** An invite of a tenant. Read consistently. */
    async get(tenant: TenantId, inviteId: string): Promise<Invite | null> {
      const { Item } = await client.send(
        new GetCommand({ TableName, Key: inviteKey(tenant, inviteId), ConsistentRead: true }),
      );
      return Item ? toInvite(tenant, Item as InviteItem) : null;
    },

    /** These invites, in their order, without those that do not exist. Read consistently. */
    async getMany(
      invites: readonly { readonly tenant: TenantId; readonly inviteId: string }[],
    ): Promise<readonly Invite[]> {
      const keys = invites.map(({ tenant, inviteId }) => inviteKey(tenant, inviteId));
      const items = await batchGet<InviteItem>(table, keys, { consistent: true });
      const itemsByTenant = new Map(items.map((item) => [item.PK, item]));
      return invites.flatMap(({ tenant, inviteId }) => {
        const item = itemsByTenant.get(inviteKey(tenant, inviteId).PK);
        return item ? [toInvite(tenant, item)] : [];
      });
    },

    /**
     * Binds a pending invite to a user of its address. Nothing when it has ended, or was moved or replaced in the
     * meantime.
     */
    async bind({ tenant, inviteId, addressHash }: PendingInvite, userId: string): Promise<void> {
      const set = { [Pending.boundTo]: boundTo(inviteId, userId) };
      const write = update(pendingInviteKey(addressHash, tenant), { set }, equals(Pending.inviteId, inviteId));
      await conditionalWrite(table, write);
    },

    /** The pending invites of an address that have not expired, in all tenants. Read consistently. */
    async pendingFor(addressHashes: AddressHashes, now: Millis): Promise<readonly PendingInvite[]> {
      const partitions = await allDone(
        addressHashes.map((hash) => queryAll<PendingInviteItem>(table, pendingInviteKey(hash, ""))),
      );
      return partitions
        .flat()
        .flatMap(toPendingInvite)
        .filter((invite) => !isInviteExpired(invite, now));
    },

    /** Moves the pending invite of an address in a tenant to the first hash, if it is under another one. Safe to repeat. */
    async moveToFirstHash(tenant: TenantId, [first, ...others]: AddressHashes): Promise<void> {
      for (const hash of others) {
        const Key = pendingInviteKey(hash, tenant);
        const { Item } = await client.send(new GetCommand({ TableName, Key, ConsistentRead: true }));
        if (!Item) continue;
        const { PK: _PK, ...invite } = Item as PendingInviteItem;
        // Refused only when the invite was accepted, revoked or moved in the meantime, or when the address has another
        // one.
        await conditionalTransaction(table, [
          put({ ...invite, ...pendingInviteKey(first, tenant) }, itemDoesNotExist),
          remove(Key, equals(Pending.inviteId, invite[Pending.inviteId])),
        ]);
      }
    },

    /**
     * Claims the mail of an invite: of several workers at the same time one sends it.
     * @param claim `op`: unique
     * @returns null when the invite is not pending, has expired, or was mailed since it was created or last renewed
     */
    async claimMail(
      tenant: TenantId,
      inviteId: string,
      { op, now }: { readonly op: string; readonly now: Millis },
    ): Promise<Invite | null> {
      const claim = { [A.mailedAt]: now, [A.op]: op };
      const isDue = allOf(isPending, absentOr(above, A.expiresAt, now), isAbsent(A.mailedAt));
      const write = update(inviteKey(tenant, inviteId), { set: claim }, isDue, "ALL_NEW");
      const result = await conditionalWrite<InviteItem>(table, write, { ownMark: claim });
      return result.applied && result.item ? toInvite(tenant, result.item) : null;
    },

    /**
     * Gives a claim back when the invite was certainly not mailed. Nothing when the invite has changed in the meantime.
     */
    async releaseMail(tenant: TenantId, inviteId: string, op: string): Promise<void> {
      const write = update(inviteKey(tenant, inviteId), { remove: [A.mailedAt] }, equals(A.op, op));
      await conditionalWrite(table, write);
    },

    /**
     * Gives a pending invite a new expiry, also an expired one, so that it is mailed again.
     * @param by `memberId`: the user of the address, if there is one; `count`: as `create`
     * @returns `not_pending`: it was accepted or revoked in the meantime; `exists`: as `create`
     */
    async renew(
      invite: Invite,
      by: InviteAuthor & {
        readonly memberId: string | null;
        readonly expiresAt: Millis | null;
        readonly count?: InviteCount | null;
      },
    ): Promise<"renewed" | "not_pending" | "exists" | "actor_changed" | ExceededInviteLimit> {
      const { audit, actor, memberId, expiresAt } = by;
      if (actor && actor.userId === memberId) return "exists";
      const op = newUlid(audit.at);
      const set = { ...inviteExpiry(expiresAt), [A.mailedAt]: undefined, [A.op]: op };
      const address = claimAddress({ ...invite, expiresAt }, by.addressHashes, { memberId, now: audit.at });
      const actorItems = actorCheck(invite.tenant, actor);
      const result = await conditionalTransaction(
        table,
        [
          update(inviteKey(invite.tenant, invite.id), { set }, isPending),
          ...address,
          put(auditItem(invite.tenant, audit)),
          ...actorItems,
          ...(by.count ? inviteCountItems({ ...invite, expiresAt }, by.count, { op, now: audit.at }) : []),
        ],
        { token: op, ownMark: { [A.op]: op } },
      );
      if (result.applied) return "renewed";
      const conditionFailures = result.current.map((item) => item !== undefined);
      if (conditionFailures[0]) return "not_pending";
      if (conditionFailures.slice(1, 1 + address.length).includes(true)) return "exists";
      const firstCount = address.length + 2 + actorItems.length;
      const isActorChanged = conditionFailures.slice(0, firstCount).includes(true);
      return (isActorChanged ? null : exceededInviteLimit(result.current.slice(firstCount))) ?? "actor_changed";
    },
  };
}

interface Claim {
  readonly memberId: string | null;
  readonly now: Millis;
}
