import { GetCommand } from "@aws-sdk/lib-dynamodb";
import { newUlid } from "#base/kernel/ids.ts";
import type { Millis } from "#base/kernel/time.ts";
import { batchGet } from "#base/table/batches.ts";
import type { Table } from "#base/table/client.ts";
import { conditionalTransaction, conditionalWrite } from "#base/table/conditional-write.ts";
import { absentOr, allOf, differs, equals, itemDoesNotExist, itemExists, storedOr } from "#base/table/expressions.ts";
import type { Key } from "#base/table/keys.ts";
import { queryAll } from "#base/table/query-all.ts";
import { check, put, remove, sendWrite, update } from "#base/table/writes.ts";
import type { SessionMembership } from "../rules/callers.ts";
import type { RootMark, User } from "../rules/team.ts";
import type { TenantAudit } from "./api-keys.ts";
import { userAttributes as A, userAddressAttributes as Address } from "./attributes.ts";
import type { AddressHashes } from "./invite-items.ts";
import { auditItem, MEMBERSHIP, userAddressKey, userKey } from "./items.ts";
import { toSessionMembership, type UserMembershipItem } from "./membership-items.ts";

type UserItem = Key & {
  readonly [A.email]: string;
  readonly [A.name]?: string;
  readonly [A.createdAt]: Millis;
  readonly [A.lastSignInAt]: Millis;
  readonly [A.sessionEpoch]: number;
  readonly [A.rootKid]?: string;
  readonly [A.rootSince]?: Millis;
  readonly [A.tenantsDay]?: Millis;
  readonly [A.tenantsOfDay]?: number;
};

/** The tenants that a user created in the day of UTC in which they last created one. The two change with each creation. */
export interface TenantCreations {
  /** The start of the day. Both are undefined before the first creation. */
  readonly day: Millis | undefined;
  readonly count: number | undefined;
}

/** The row of an address as it was read, with what this release does not know of it. */
interface StoredAddress {
  readonly userId: string;
  readonly addressHash: string;
  readonly item: Readonly<Record<string, unknown>>;
}

/** A transaction has at most 100 items, and one of them is the user. */
const AUDITS_PER_TRANSACTION = 99;

/** How often a sign-in is recorded while another one moves or creates the row of the address. */
const ATTEMPTS_MAX = 5;

export type Users = ReturnType<typeof userStore>;

export function userStore(table: Table) {
  const { client, name: TableName } = table;

  /** The row of an address, and the hash under which it was found. */
  async function findAddress(addressHashes: AddressHashes): Promise<StoredAddress | null> {
    for (const addressHash of addressHashes) {
      const { Item } = await client.send(
        new GetCommand({ TableName, Key: userAddressKey(addressHash), ConsistentRead: true }),
      );
      if (Item) return { userId: Item[Address.userId], addressHash, item: Item };
    }
    return null;
  }

  async function get(userId: string): Promise<User | null> {
    const { Item } = await client.send(new GetCommand({ TableName, Key: userKey(userId), ConsistentRead: true }));
    return Item ? toUser(userId, Item as UserItem) : null;
  }

  /** @returns false when the row was moved or removed in the meantime */
  async function moveAddress({ userId, addressHash, item }: StoredAddress, to: string): Promise<boolean> {
    const { applied } = await conditionalTransaction(table, [
      put({ ...item, ...userAddressKey(to) }, itemDoesNotExist),
      remove(userAddressKey(addressHash), equals(Address.userId, userId)),
    ]);
    return applied;
  }

  /** @returns false when the address already has a user */
  async function createAddress(userId: string, [first, ...others]: AddressHashes, now: Millis): Promise<boolean> {
    const address = { [Address.userId]: userId };
    const row = put({ ...userAddressKey(first), ...address }, itemDoesNotExist);
    if (others.length === 0) return (await conditionalWrite(table, row, { ownMark: address })).applied;
    const hasNoOther = others.map((hash) => check(userAddressKey(hash), itemDoesNotExist));
    const write = { token: newUlid(now), ownMark: address };
    return (await conditionalTransaction(table, [row, ...hasNoOther], write)).applied;
  }

  /** Creates the user of an address, or updates it. So a sign-in that ended after it created the address is completed. */
  async function saveSignIn(userId: string, email: string, now: Millis): Promise<User> {
    const changes = {
      set: {
        [A.email]: storedOr(A.email, email),
        [A.createdAt]: storedOr(A.createdAt, now),
        [A.sessionEpoch]: storedOr(A.sessionEpoch, 0),
        [A.lastSignInAt]: now,
      },
    };
    const item = await sendWrite(table, update(userKey(userId), changes, undefined, "ALL_NEW"));
    return toUser(userId, item as unknown as UserItem);
  }

  return {
    get,

    /** The email addresses of users, by id. Unknown users are left out. */
    async emails(userIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
      const keys = [...new Set(userIds)].map((userId) => ({ userId, key: userKey(userId) }));
      const items = await batchGet<UserItem>(
        table,
        keys.map(({ key }) => key),
      );
      const emailsByKey = new Map(items.map((item) => [item.PK, item[A.email]]));
      return new Map(
        keys.flatMap(({ userId, key }) => {
          const email = emailsByKey.get(key.PK);
          return email === undefined ? [] : [[userId, email] as const];
        }),
      );
    },

    /** The id of the user of an address. Read consistently. */
    async getIdByAddress(addressHashes: AddressHashes): Promise<string | null> {
      return (await findAddress(addressHashes))?.userId ?? null;
    },

    /** The user of an address. Read consistently. */
    async getByAddress(addressHashes: AddressHashes): Promise<User | null> {
      const address = await findAddress(addressHashes);
      return address && get(address.userId);
    },

    /** Moves the row of an address to the first hash, if it is under another one. Safe to repeat. */
    async moveToFirstHash(addressHashes: AddressHashes): Promise<void> {
      for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
        const address = await findAddress(addressHashes);
        if (!address || address.addressHash === addressHashes[0]) return;
        if (await moveAddress(address, addressHashes[0])) return;
      }
      throw new Error("The row of an address changed too often.");
    },

    /**
     * What a request with a session needs, in one consistent query of the user's partition: a sign-out, a removal, a
     * change of role and a suspension take effect at the next request.
     */
    async readSession(
      userId: string,
    ): Promise<{ readonly user: User; readonly memberships: readonly SessionMembership[] } | null> {
      const { PK, SK } = userKey(userId);
      const items = await queryAll<UserItem | UserMembershipItem>(table, { PK, SK: "" });
      const userItem = items.find((item) => item.SK === SK);
      if (!userItem) return null;
      const memberships = items.filter((item) => item !== userItem) as UserMembershipItem[];
      return { user: toUser(userId, userItem as UserItem), memberships: memberships.flatMap(toSessionMembership) };
    },

    /**
     * What the creation of a tenant depends on. The user is read before the memberships, each consistently: a tenant that
     * the user creates after the first read changes `creations`, which the write of the next one expects unchanged.
     * @returns `owned`: the number of tenants in which the user is an owner; null for an unknown user
     */
    async readCreations(
      userId: string,
    ): Promise<{ readonly owned: number; readonly creations: TenantCreations } | null> {
      const key = userKey(userId);
      const { Item } = await client.send(new GetCommand({ TableName, Key: key, ConsistentRead: true }));
      if (!Item) return null;
      const { [A.tenantsDay]: day, [A.tenantsOfDay]: count } = Item as UserItem;
      const items = await queryAll<UserMembershipItem>(table, { PK: key.PK, SK: MEMBERSHIP });
      const owned = items.flatMap(toSessionMembership).filter(({ role }) => role === "owner").length;
      return { owned, creations: { day, count } };
    },

    /**
     * Records a sign-in of an address. The first one creates the user; of several at the same time one does. The row of
     * the address moves to the first hash.
     * @param signIn `newUserId`: the id of the user if it is created; `email`: the address in its normal form
     */
    async recordSignIn(signIn: {
      readonly addressHashes: AddressHashes;
      readonly email: string;
      readonly newUserId: string;
      readonly now: Millis;
    }): Promise<User> {
      const { addressHashes, email, newUserId, now } = signIn;
      const [currentHash] = addressHashes;
      for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
        const address = await findAddress(addressHashes);
        if (!address) {
          if (await createAddress(newUserId, addressHashes, now)) return saveSignIn(newUserId, email, now);
          continue;
        }
        const isCurrent = address.addressHash === currentHash || (await moveAddress(address, currentHash));
        if (isCurrent) return saveSignIn(address.userId, email, now);
      }
      throw new Error("The row of an address changed too often.");
    },

    /** Gives a user a name. @returns false for an unknown user */
    async rename(userId: string, name: string): Promise<boolean> {
      const set = { [A.name]: name };
      return (await conditionalWrite(table, update(userKey(userId), { set }, itemExists), { ownMark: set })).applied;
    },

    /**
     * Ends every session of a user: those with the epoch are not accepted from the next request on.
     * @param change `epoch`: that of the session that signs out; `audits`: rows for the tenants' logs
     * @returns false when its sessions have ended already
     */
    async raiseEpoch(
      userId: string,
      change: { readonly epoch: number; readonly audits: readonly TenantAudit[]; readonly op: string },
    ): Promise<boolean> {
      const rows = change.audits.map(({ tenant, entry }) => put(auditItem(tenant, entry)));
      const raised = { [A.sessionEpoch]: change.epoch + 1, [A.op]: change.op };
      const result = await conditionalTransaction(
        table,
        [
          update(userKey(userId), { set: raised }, equals(A.sessionEpoch, change.epoch)),
          ...rows.slice(0, AUDITS_PER_TRANSACTION),
        ],
        { token: change.op, ownMark: raised },
      );
      if (!result.applied) return false;
      for (const row of rows.slice(AUDITS_PER_TRANSACTION)) await sendWrite(table, row);
      return true;
    },

    /**
     * Ends every session of a user because a leaked root secret was replaced, once for each version that replaces one.
     * @param change `epoch`: random, because someone who has the leaked secret can sign a session of any epoch
     * @returns false when this version ended them before, or when there is no user
     */
    async endSessions(
      userId: string,
      { epoch, root }: { readonly epoch: number; readonly root: RootMark },
    ): Promise<boolean> {
      const set = { [A.sessionEpoch]: epoch, [A.rootKid]: root.kid, [A.rootSince]: root.createdAt };
      const condition = allOf(itemExists, absentOr(differs, A.rootKid, root.kid));
      return (await conditionalWrite(table, update(userKey(userId), { set }, condition), { ownMark: set })).applied;
    },
  };
}

function toUser(id: string, item: UserItem): User {
  const { [A.rootKid]: kid, [A.rootSince]: createdAt = 0 } = item;
  return {
    id,
    email: item[A.email],
    name: item[A.name] ?? null,
    createdAt: item[A.createdAt],
    lastSignInAt: item[A.lastSignInAt],
    sessionEpoch: item[A.sessionEpoch],
    ...(kid === undefined ? {} : { root: { kid, createdAt } }),
  };
}
