import { GetCommand } from "@aws-sdk/lib-dynamodb";
import { newUlid } from "#base/kernel/ids.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { DAY, type Millis, startOfDay } from "#base/kernel/time.ts";
import { countAttributes as Count } from "#base/table/attributes.ts";
import { batchGet } from "#base/table/batches.ts";
import type { Table } from "#base/table/client.ts";
import { conditionalWrite } from "#base/table/conditional-write.ts";
import { absentOr, anyOf, below, isAbsent, isUnchanged, setContains, sizeBelow } from "#base/table/expressions.ts";
import { type Key, timeToLive } from "#base/table/keys.ts";
import { update, type Write } from "#base/table/writes.ts";
import { type Invite, isInviteExpired } from "../rules/team.ts";
import { pendingInvitesAttributes as Pending } from "./attributes.ts";
import { type InviteItem, toInvite } from "./invite-items.ts";
import { inviteKey, pendingInvitesKey, personInviteMailsKey, tenantInviteMailsKey } from "./items.ts";

// A tenant's pending invites are counted by a set of their ids. It may also have invites that have ended, because the
// writes that end an invite do not change it. They are removed when the set is full, so that it is never too small.

export interface InviteLimits {
  /** Pending invites of a tenant. */
  readonly pending: number;
  /** Mails of invites in a day of UTC: of a tenant, and of a person in all tenants. */
  readonly tenantMails: number;
  readonly personMails: number;
}

/** Who sends an invite, and what the tenant and the person may use. */
export interface InviteCount {
  readonly userId: string;
  readonly limits: InviteLimits;
}

export type ExceededInviteLimit = "pending_limit" | "mail_limit";

type PendingItem = Key & { readonly [Pending.ids]?: ReadonlySet<string>; readonly [Pending.op]?: string };

/**
 * The parts of a transaction that count an invite and its mail, each with its limit as the condition. An invite that does
 * not expire is the operator's, and counts its mail only.
 * @param op unique
 */
export function inviteCountItems(
  { tenant, id, expiresAt }: Pick<Invite, "tenant" | "id" | "expiresAt">,
  { userId, limits }: InviteCount,
  { op, now }: { readonly op: string; readonly now: Millis },
): Write[] {
  const mail = (key: Key, max: number) =>
    update(
      key,
      { add: { [Count.count]: 1 }, set: { [Count.ttl]: timeToLive(startOfDay(now) + DAY) } },
      absentOr(below, Count.count, max),
    );
  const hasRoom = anyOf(isAbsent(Pending.ids), sizeBelow(Pending.ids, limits.pending), setContains(Pending.ids, id));
  return [
    mail(tenantInviteMailsKey(tenant, now), limits.tenantMails),
    mail(personInviteMailsKey(userId, now), limits.personMails),
    ...(expiresAt === null
      ? []
      : [
          update(
            pendingInvitesKey(tenant),
            { add: { [Pending.ids]: new Set([id]) }, set: { [Pending.op]: op } },
            hasRoom,
          ),
        ]),
  ];
}

/** Which limit made a transaction fail. @param current what it answered for `inviteCountItems` */
export function exceededInviteLimit(current: readonly unknown[]): ExceededInviteLimit | null {
  const [tenantMails, personMails, pending] = current;
  if (pending !== undefined) return "pending_limit";
  return tenantMails !== undefined || personMails !== undefined ? "mail_limit" : null;
}

export type InviteCounts = ReturnType<typeof inviteCountStore>;

export function inviteCountStore(table: Table) {
  const { client, name: TableName } = table;
  return {
    /** Which limit the write of an invite would exceed. Read consistently. */
    async findExceeded(
      { tenant, id, expiresAt }: Pick<Invite, "tenant" | "id" | "expiresAt">,
      { userId, limits }: InviteCount,
      now: Millis,
    ): Promise<ExceededInviteLimit | null> {
      const keys = [pendingInvitesKey(tenant), tenantInviteMailsKey(tenant, now), personInviteMailsKey(userId, now)];
      const items = await batchGet<Key & Record<string, unknown>>(table, keys, { consistent: true });
      const [pending, tenantMails, personMails] = keys.map(({ PK, SK }) =>
        items.find((item) => item.PK === PK && item.SK === SK),
      );
      const ids = (pending as PendingItem | undefined)?.[Pending.ids] ?? new Set();
      if (expiresAt !== null && ids.size >= limits.pending && !ids.has(id)) return "pending_limit";
      const mails = (item: Record<string, unknown> | undefined) => Number(item?.[Count.count] ?? 0);
      const isOver = mails(tenantMails) >= limits.tenantMails || mails(personMails) >= limits.personMails;
      return isOver ? "mail_limit" : null;
    },

    /**
     * Removes the invites that have ended from the set of pending ones.
     * @returns false when there are none; true also when another invite was counted in the meantime
     */
    async removeEnded(tenant: TenantId, now: Millis): Promise<boolean> {
      const Key = pendingInvitesKey(tenant);
      const { Item } = await client.send(new GetCommand({ TableName, Key, ConsistentRead: true }));
      const { [Pending.ids]: ids = new Set<string>(), [Pending.op]: op } = (Item ?? Key) as PendingItem;
      const keys = [...ids].map((id) => inviteKey(tenant, id));
      const invites = (await batchGet<InviteItem>(table, keys, { consistent: true })).map((item) =>
        toInvite(tenant, item),
      );
      const pending = new Set(
        invites.filter((invite) => invite.status === "pending" && !isInviteExpired(invite, now)).map(({ id }) => id),
      );
      const ended = new Set([...ids].filter((id) => !pending.has(id)));
      if (ended.size === 0) return false;
      // Each invite that is counted changes the mark, also one that was expired and is pending again.
      const changes = { deleteFrom: { [Pending.ids]: ended }, set: { [Pending.op]: newUlid(now) } };
      await conditionalWrite(table, update(Key, changes, isUnchanged(Pending.op, op)));
      return true;
    },
  };
}
