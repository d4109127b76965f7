import { newUlid } from "#base/kernel/ids.ts";
import { INVITE_RETENTION } from "#base/kernel/limits.ts";
import type { Table } from "#base/table/client.ts";
import { conditionalTransaction } from "#base/table/conditional-write.ts";
import { above, absentOr, allOf, differs, equals, itemExists } from "#base/table/expressions.ts";
import { timeToLive } from "#base/table/keys.ts";
import { check, put, remove, update } from "#base/table/writes.ts";
import type { ChangeAuthor } from "../rules/callers.ts";
import type { Invite, User } from "../rules/team.ts";
import { inviteAttributes as A, pendingInviteAttributes as Pending, tenantAttributes as Tenant } from "./attributes.ts";
import type { AddressHashes } from "./invite-items.ts";
import { actorCheck, auditItem, inviteKey, membershipKey, pendingInviteKey, tenantKey } from "./items.ts";
import {
  isDeletedTenant,
  isNotSuspended,
  isSuspended as isTenantSuspended,
  newMembershipItems,
} from "./membership-items.ts";

/** How often a change is repeated after another one at the same time. */
const ATTEMPTS_MAX = 5;

/** Who makes a change of an invite, and its audit row. */
export interface InviteAuthor extends ChangeAuthor {
  /** The hashes of the invite's address. */
  readonly addressHashes: AddressHashes;
}

export const isPending = equals(A.status, "pending" satisfies Invite["status"]);

/** How a pending invite ends: accepted, declined or revoked. Each is one transaction. */
export function inviteEnds(table: Table) {
  /** Ends a pending invite, also an expired one. */
  async function end(
    { tenant, id }: Pick<Invite, "tenant" | "id">,
    status: "revoked" | "declined",
    { audit, actor, addressHashes }: InviteAuthor,
  ): Promise<"ended" | "not_pending" | "actor_changed"> {
    const set = { [A.status]: status, [A.ttl]: timeToLive(audit.at + INVITE_RETENTION) };
    const actorItems = actorCheck(tenant, actor);
    const isOwn = absentOr(equals, Pending.inviteId, id);
    // Once it has expired, its address may have another invite, whose row stays.
    const isOther = absentOr(differs, Pending.inviteId, id);
    let isForeignRow = addressHashes.map(() => false);
    for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
      const op = newUlid(audit.at);
      const result = await conditionalTransaction(
        table,
        [
          update(inviteKey(tenant, id), { set: { ...set, [A.op]: op } }, isPending),
          ...addressHashes.map((hash, index) => {
            const key = pendingInviteKey(hash, tenant);
            return isForeignRow[index] ? check(key, isOther) : remove(key, isOwn);
          }),
          put(auditItem(tenant, audit)),
          ...actorItems,
        ],
        { token: op, ownMark: { [A.op]: op } },
      );
      if (result.applied) return "ended";
      const [inviteRow, ...rest] = result.current;
      if (inviteRow !== undefined) return "not_pending";
      if (actorItems.length > 0 && rest.at(-1) !== undefined) return "actor_changed";
      isForeignRow = isForeignRow.map((isForeign, index) => (rest[index] === undefined ? isForeign : !isForeign));
    }
    throw new Error("The invites of the address changed too often.");
  }

  return {
    /**
     * Revokes a pending invite, also an expired one.
     * @returns `not_pending`: it was accepted, declined or revoked in the meantime
     */
    async revoke(
      invite: Pick<Invite, "tenant" | "id">,
      by: InviteAuthor,
    ): Promise<"revoked" | Exclude<Awaited<ReturnType<typeof end>>, "ended">> {
      const result = await end(invite, "revoked", by);
      return result === "ended" ? "revoked" : result;
    },

    /**
     * Declines a pending invite, for the person of its address.
     * @returns `not_pending`: it was accepted, declined or revoked in the meantime
     */
    async decline(
      invite: Pick<Invite, "tenant" | "id">,
      { audit, addressHashes }: Pick<InviteAuthor, "audit" | "addressHashes">,
    ): Promise<"declined" | "not_pending"> {
      const result = await end(invite, "declined", { audit, addressHashes, actor: null });
      return result === "ended" ? "declined" : "not_pending";
    },

    /**
     * Accepts an invite: its user becomes a member, with the audit row, in one transaction. A user who is a member
     * already keeps that membership.
     * @returns `not_pending`: it was revoked, was accepted or has expired in the meantime, or its tenant is being
     *   deleted
     */
    async accept(
      { tenant, id, role, invitedBy }: Invite,
      { user, addressHashes, audit }: Pick<InviteAuthor, "addressHashes" | "audit"> & { readonly user: User },
    ): Promise<"accepted" | "not_pending"> {
      const now = audit.at;
      const { id: userId, email, name } = user;
      const membership = { tenant, userId, email, name, role, createdAt: now, invitedBy };
      const set = {
        [A.status]: "accepted" satisfies Invite["status"],
        [A.acceptedAt]: now,
        [A.ttl]: timeToLive(now + INVITE_RETENTION),
      };
      const isAcceptable = allOf(isPending, absentOr(above, A.expiresAt, now));
      let isSuspended = false;
      let isMember = false;
      for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
        const op = newUlid(now);
        const hasThatStatus = isSuspended ? isTenantSuspended : allOf(itemExists, isNotSuspended);
        const result = await conditionalTransaction(
          table,
          [
            update(inviteKey(tenant, id), { set: { ...set, [A.op]: op } }, isAcceptable),
            role === "owner" && !isMember
              ? update(tenantKey(tenant), { add: { [Tenant.owners]: 1 } }, hasThatStatus)
              : check(tenantKey(tenant), hasThatStatus),
            ...(isMember
              ? [check(membershipKey(tenant, userId), itemExists)]
              : newMembershipItems(membership, isSuspended)),
            ...addressHashes.map((hash) =>
              remove(pendingInviteKey(hash, tenant), absentOr(equals, Pending.inviteId, id)),
            ),
            put(auditItem(tenant, audit)),
          ],
          { token: op, ownMark: { [A.op]: op } },
        );
        if (result.applied) return "accepted";
        const [inviteRow, tenantRow, memberRow] = result.current;
        if (inviteRow !== undefined || tenantRow === null) return "not_pending";
        if (tenantRow && isDeletedTenant(tenantRow)) return "not_pending";
        // The address already has another invite.
        if (tenantRow === undefined && memberRow === undefined) return "not_pending";
        if (tenantRow) isSuspended = tenantRow[Tenant.status] === "suspended";
        if (memberRow !== undefined) isMember = memberRow !== null;
      }
      throw new Error("The tenant of the invite was suspended or resumed too often.");
    },
  };
}
