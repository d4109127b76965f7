import { GetCommand, QueryCommand } from "@aws-sdk/lib-dynamodb";
import type { TenantId } from "#base/kernel/tenant.ts";
import type { Picture } from "#base/kernel/text/pictures.ts";
import type { Millis } from "#base/kernel/time.ts";
import type { Table } from "#base/table/client.ts";
import { conditionalWrite } from "#base/table/conditional-write.ts";
import { dueInIndex } from "#base/table/due-queue.ts";
import { allOf, atLeast, atMost, equals, isUnchanged, itemDoesNotExist, itemExists } from "#base/table/expressions.ts";
import { type Key, positionTime } from "#base/table/keys.ts";
import { put, remove, update, type Write } from "#base/table/writes.ts";
import {
  type AccountRef,
  type ConnectionLogin,
  checkTimeAfter,
  formerLoginsAfter,
  type LoginsOfRow,
} from "../rules/accounts.ts";
import { accountCheckAttributes as A } from "./attributes.ts";
import { accountCheckKey, checkPosition, checkRange, DUE_CHECKS, parseAccountOfTenant } from "./items.ts";

/** From when until when no webhook brought an account's messages. */
export interface Backfill {
  readonly since: Millis;
  readonly until: Millis;
}

/** The next check of an account. It outlives the account until it is due. */
export interface AccountCheck {
  readonly tenant: TenantId;
  readonly account: AccountRef;
  /** The connection that wrote the row, and the platform's ids of who made it. */
  readonly connectionId: string;
  readonly authorizedBy: readonly string[];
  /** Logins of earlier connections, until each of their rows has its end. */
  readonly formerLogins: readonly ConnectionLogin[];
  readonly dueAt: Millis;
  /** When a check last saw a complete subscription; null before the first one did. */
  readonly subscribedAt: Millis | null;
  /** When the tenant connected the account; later connections without a disconnection count as the same. Null if unknown. */
  readonly heldSince: Millis | null;
  /** What may be missing and was not read to its end; null for nothing. */
  readonly backfill: Backfill | null;
  /** The account's profile picture, as a login or a check read it last. Its address may have ended. Null for none. */
  readonly picture: Picture | null;
}

/** A connection of an account, of which a check is to be stored. */
export interface CheckedConnection {
  readonly tenant: TenantId;
  readonly account: AccountRef;
  readonly connectionId: string;
  readonly authorizedBy: readonly string[];
  /** What is known of the account's webhooks stays, and may need a backfill. */
  readonly isReconnection: boolean;
  /** As the login named it. Default: that of the stored check. */
  readonly picture?: Picture | null;
  readonly now: Millis;
}

export type AccountChecks = ReturnType<typeof accountCheckStore>;

/** The next check of each account, a row beside it, so that no sealed token is in the index of what is due. */
export function accountCheckStore(table: Table) {
  const { client, name: TableName } = table;
  const keyOf = ({ tenant, account }: AccountCheck) => accountCheckKey(tenant, account);
  /** The row is as it was read. */
  const isAsRead = (check: AccountCheck) =>
    allOf(equals(A.feedPosition, positionOf(check)), equals(A.connectionId, check.connectionId));

  return {
    /**
     * Stores the check of a connection that has none, in the place of an earlier connection's. Connecting does that
     * itself. Safe to repeat.
     * @param stored the check as it was read, before the connection was; null for none
     * @returns the new check; null when the row has changed in the meantime
     */
    async replace(stored: AccountCheck | null, connection: CheckedConnection): Promise<AccountCheck | null> {
      const { check, write } = replaceCheck(stored, connection);
      const ownMark = { [A.connectionId]: check.connectionId };
      return (await conditionalWrite(table, write, { ownMark })).applied ? check : null;
    },

    /** Removes the logins of earlier connections that were read, unless the account was connected again since. */
    async clearFormerLogins(
      check: Pick<AccountCheck, "tenant" | "account" | "connectionId" | "formerLogins">,
    ): Promise<void> {
      const isUnchangedList = isUnchanged(A.formerLogins, formatLogins(check.formerLogins));
      const condition = allOf(equals(A.connectionId, check.connectionId), isUnchangedList);
      const write = update(accountCheckKey(check.tenant, check.account), { remove: [A.formerLogins] }, condition);
      await conditionalWrite(table, write);
    },

    /** Stores a check of an account that has none. @returns false when it has one */
    async add(check: AccountCheck): Promise<boolean> {
      return (await conditionalWrite(table, put({ ...toCheckItem(check), ...toWebhookState(check) }, itemDoesNotExist)))
        .applied;
    },

    /** The next check of an account; null when there is none. Reads consistently. */
    async get(tenant: TenantId, account: AccountRef): Promise<AccountCheck | null> {
      const Key = accountCheckKey(tenant, account);
      const { Item } = await client.send(new GetCommand({ TableName, Key, ConsistentRead: true }));
      return Item ? toCheck(Item as CheckItem) : null;
    },

    /** The checks of a tenant's accounts. Reads eventually consistently. */
    async list(tenant: TenantId): Promise<AccountCheck[]> {
      const { Items = [] } = await client.send(
        new QueryCommand({
          TableName,
          KeyConditionExpression: "PK = :t AND begins_with(SK, :check)",
          ExpressionAttributeValues: checkRange(tenant),
        }),
      );
      return (Items as CheckItem[]).map(toCheck);
    },

    /**
     * Stores that messages of this time may be missing, with what was stored of that before and is not older than
     * `oldest`. Safe to repeat.
     * @returns what may be missing now; null when the row is gone
     */
    async noteBackfill(check: AccountCheck, { since, until }: Backfill, oldest: Millis): Promise<Backfill | null> {
      let stored = check.backfill;
      for (;;) {
        const backfill: Backfill = {
          since: Math.max(oldest, Math.min(since, stored?.since ?? since)),
          until: Math.max(until, stored?.until ?? until),
        };
        if (backfill.since === stored?.since && backfill.until === stored.until) return backfill;
        const set = toBackfillAttributes(backfill);
        const hasBackfillAsRead = allOf(
          itemExists,
          isUnchanged(A.missingSince, stored?.since),
          isUnchanged(A.missingUntil, stored?.until),
        );
        const result = await conditionalWrite<CheckItem>(table, update(keyOf(check), { set }, hasBackfillAsRead), {
          ownMark: set,
        });
        if (result.applied) return backfill;
        if (!result.current) return null;
        stored = toCheck(result.current).backfill;
      }
    },

    /** Removes the note of a backfill that reached its end, unless more is missing in the meantime. */
    async endBackfill(tenant: TenantId, account: AccountRef, { since, until }: Backfill): Promise<void> {
      const isWithin = allOf(atLeast(A.missingSince, since), atMost(A.missingUntil, until));
      const changes = { remove: [A.missingSince, A.missingUntil] };
      await conditionalWrite(table, update(accountCheckKey(tenant, account), changes, isWithin));
    },

    /** The checks that are due, the earliest first, in pages. The index may be seconds behind. */
    async *listDue(now: Millis): AsyncGenerator<AccountCheck[]> {
      for await (const items of dueInIndex<CheckItem>(table, DUE_CHECKS, now)) yield items.map(toCheck);
    },

    /**
     * Moves a check to another time.
     * @param changes `subscribedAt` and `picture` stay if they are absent
     * @returns false when the row has changed in the meantime
     */
    async reschedule(
      check: AccountCheck,
      {
        dueAt,
        subscribedAt = check.subscribedAt,
        picture = check.picture,
      }: { readonly dueAt: Millis; readonly subscribedAt?: Millis | null; readonly picture?: Picture | null },
    ): Promise<boolean> {
      const position = positionOf({ ...check, dueAt });
      const set = {
        [A.feedPosition]: position,
        [A.subscribedAt]: subscribedAt ?? undefined,
        ...toPictureAttributes(picture),
      };
      const write = update(keyOf(check), { set }, isAsRead(check));
      return (await conditionalWrite(table, write, { ownMark: { [A.feedPosition]: position } })).applied;
    },

    /** @returns false when the row has changed in the meantime */
    async remove(check: AccountCheck): Promise<boolean> {
      const result = await conditionalWrite(table, remove(keyOf(check), isAsRead(check)));
      return result.applied || result.current === null;
    },
  };
}

/**
 * A connection's check in the place of the stored one, and the write of it, which may be a part of a transaction. The new
 * row carries every login that the replaced rows name, so that none loses its end with the answer of a write.
 * @param stored the check as it was read; the write's condition is that it is still of the same connection
 * @param account the account as it was connected; null for none
 */
export function replaceCheck(
  stored: AccountCheck | null,
  { isReconnection, now, ...connection }: CheckedConnection,
  account: LoginsOfRow | null = null,
): { readonly check: AccountCheck; readonly write: Write } {
  const replaced = [stored, account].filter((row) => row !== null);
  const state = isReconnection && stored ? stored : { subscribedAt: null, heldSince: now, backfill: null };
  const picture = connection.picture ?? stored?.picture ?? null;
  const check: AccountCheck = {
    ...connection,
    formerLogins: formerLoginsAfter(replaced, connection.authorizedBy),
    dueAt: checkTimeAfter(connection.account, now),
    subscribedAt: state.subscribedAt,
    heldSince: state.heldSince,
    backfill: state.backfill,
    picture,
  };
  const { PK, SK, ...rest } = toCheckItem(check);
  const set = isReconnection ? rest : { ...rest, ...toWebhookState(check) };
  const isAsRead = isUnchanged(A.connectionId, stored?.connectionId);
  return { check, write: update({ PK, SK }, { set }, isAsRead) };
}

interface CheckItem extends Key {
  readonly [A.feedPosition]: string;
  readonly [A.connectionId]: string;
  readonly [A.authorizedBy]?: readonly string[];
  /** `<connection> <the platform's id of the person>` */
  readonly [A.formerLogins]?: readonly string[];
  readonly [A.subscribedAt]?: Millis;
  readonly [A.heldSince]?: Millis;
  readonly [A.missingSince]?: Millis;
  readonly [A.missingUntil]?: Millis;
  readonly [A.pictureUrl]?: string;
  readonly [A.pictureEndsAt]?: Millis;
}

function positionOf({ dueAt, tenant, account }: AccountCheck): string {
  return checkPosition(dueAt, tenant, account);
}

function toCheckItem(check: AccountCheck) {
  return {
    ...accountCheckKey(check.tenant, check.account),
    [A.feed]: DUE_CHECKS,
    [A.feedPosition]: positionOf(check),
    [A.connectionId]: check.connectionId,
    [A.authorizedBy]: check.authorizedBy.length > 0 ? check.authorizedBy : undefined,
    [A.formerLogins]: formatLogins(check.formerLogins),
    ...toPictureAttributes(check.picture),
  };
}

function formatLogins(logins: readonly ConnectionLogin[]): string[] | undefined {
  return logins.length > 0
    ? logins.map(({ connectionId, platformUserId }) => `${connectionId} ${platformUserId}`)
    : undefined;
}

function parseLogin(text: string): ConnectionLogin {
  const end = text.indexOf(" ");
  return { connectionId: text.slice(0, end), platformUserId: text.slice(end + 1) };
}

/** What a check knows of the account's webhooks. A reconnection does not change it. */
function toWebhookState({ subscribedAt, heldSince, backfill }: AccountCheck) {
  return {
    [A.subscribedAt]: subscribedAt ?? undefined,
    [A.heldSince]: heldSince ?? undefined,
    ...toBackfillAttributes(backfill),
  };
}

function toBackfillAttributes(backfill: Backfill | null) {
  return { [A.missingSince]: backfill?.since, [A.missingUntil]: backfill?.until };
}

function toPictureAttributes(picture: Picture | null) {
  return { [A.pictureUrl]: picture?.url, [A.pictureEndsAt]: picture?.expiresAt };
}

function toCheck(item: CheckItem): AccountCheck {
  const { [A.feedPosition]: position, [A.missingSince]: since, [A.missingUntil]: until } = item;
  const { [A.pictureUrl]: url, [A.pictureEndsAt]: expiresAt } = item;
  return {
    ...parseAccountOfTenant(position.slice(position.indexOf("#") + 1)),
    connectionId: item[A.connectionId],
    authorizedBy: item[A.authorizedBy] ?? [],
    formerLogins: (item[A.formerLogins] ?? []).map(parseLogin),
    dueAt: positionTime(position),
    subscribedAt: item[A.subscribedAt] ?? null,
    heldSince: item[A.heldSince] ?? null,
    backfill: since === undefined || until === undefined ? null : { since, until },
    picture: url === undefined || expiresAt === undefined ? null : { url, expiresAt },
  };
}
