import { GetCommand, QueryCommand } from "@aws-sdk/lib-dynamodb";
import { table as names } from "../../config/names.ts";
import type { AccountRef } from "../../domain/accounts/accounts.ts";
import type { TenantId } from "../../kernel/tenant.ts";
import type { Millis } from "../../kernel/time.ts";
import { accountCheckAttributes as A } from "../attributes.ts";
import type { Table } from "../client.ts";
import { conditionalWrite } from "../conditional-write.ts";
import { allOf, equals, itemDoesNotExist } from "../expressions.ts";
import { type Key, positionTime, t13 } from "../keys.ts";
import { put, remove, sendWrite, update } from "../writes.ts";
import { accountCheckKey, checkPosition, DUE_CHECKS, parseAccountOfTenant } from "./account-keys.ts";

/** The next check of an account. It outlives the account until it is due. */
export interface AccountCheck {
  readonly tenant: TenantId;
  readonly account: AccountRef;
  /** The connection that wrote the row, and the platform's ids of who made it. */
  readonly connectionId: string;
  readonly authorizedBy: readonly string[];
  readonly dueAt: Millis;
  /** When a check last saw a complete subscription; null before the first one did. */
  readonly subscribedAt: Millis | null;
}

export type AccountChecks = ReturnType<typeof accountCheckStore>;

/** The next check of each account, a row beside it, so that no sealed token is in the index of what is due. */
export function accountCheckStore(table: Table) {
  const { client, name: TableName } = table;
  const keyOf = ({ tenant, account }: AccountCheck) => accountCheckKey(tenant, account);
  /** The row is as it was read. */
  const isUnchanged = (check: AccountCheck) =>
    allOf(equals(A.feedPosition, positionOf(check)), equals(A.connectionId, check.connectionId));

  return {
    /**
     * Stores a check in the place of the account's earlier one.
     * @param options `keepsSubscribedAt`: an earlier check's `subscribedAt` stays
     * @returns the earlier one; null for none
     */
    async put(check: AccountCheck, { keepsSubscribedAt = false } = {}): Promise<AccountCheck | null> {
      const { PK, SK, [A.subscribedAt]: subscribedAt, ...rest } = toCheckItem(check);
      const set = keepsSubscribedAt ? rest : { ...rest, [A.subscribedAt]: subscribedAt };
      const replaced = await sendWrite(table, update({ PK, SK }, { set }, undefined, "ALL_OLD"));
      // For a row that did not exist, engines of the local stack return its key.
      return replaced?.[A.feedPosition] === undefined ? null : toCheck(replaced as unknown as CheckItem);
    },

    /** Stores a check of an account that has none. @returns false when it has one */
    async add(check: AccountCheck): Promise<boolean> {
      return (await conditionalWrite(table, put(toCheckItem(check), itemDoesNotExist))).applied;
    },

    /** The next check of an account; null when there is none. Reads consistently. */
    async get(tenant: TenantId, account: AccountRef): Promise<AccountCheck | null> {
      const Key = accountCheckKey(tenant, account);
      const { Item } = await client.send(new GetCommand({ TableName, Key, ConsistentRead: true }));
      return Item ? toCheck(Item as CheckItem) : null;
    },

    /** The checks that are due, the earliest first, in pages. The index may be seconds behind. */
    async *listDue(now: Millis): AsyncGenerator<AccountCheck[]> {
      let ExclusiveStartKey: Record<string, unknown> | undefined;
      do {
        const { Items = [], LastEvaluatedKey } = await client.send(
          new QueryCommand({
            TableName,
            IndexName: names.feedIndex.name,
            KeyConditionExpression: `${A.feed} = :due AND ${A.feedPosition} <= :now`,
            ExpressionAttributeValues: { ":due": DUE_CHECKS, ":now": `${t13(now)}~` },
            ExclusiveStartKey,
          }),
        );
        yield (Items as CheckItem[]).map(toCheck);
        ExclusiveStartKey = LastEvaluatedKey;
      } while (ExclusiveStartKey);
    },

    /**
     * Moves a check to another time.
     * @param changes `subscribedAt` stays if it is absent
     * @returns false when the row is another by now
     */
    async reschedule(
      check: AccountCheck,
      { dueAt, subscribedAt = check.subscribedAt }: { readonly dueAt: Millis; readonly subscribedAt?: Millis | null },
    ): Promise<boolean> {
      const position = positionOf({ ...check, dueAt });
      const set = { [A.feedPosition]: position, [A.subscribedAt]: subscribedAt ?? undefined };
      const write = update(keyOf(check), { set }, isUnchanged(check));
      return (await conditionalWrite(table, write, { ownMark: { [A.feedPosition]: position } })).applied;
    },

    /** @returns false when the row is another by now */
    async remove(check: AccountCheck): Promise<boolean> {
      const result = await conditionalWrite(table, remove(keyOf(check), isUnchanged(check)));
      return result.applied || result.current === null;
    },
  };
}

interface CheckItem extends Key {
  readonly [A.feedPosition]: string;
  readonly [A.connectionId]: string;
  readonly [A.authorizedBy]?: readonly string[];
  readonly [A.subscribedAt]?: Millis;
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
    [A.subscribedAt]: check.subscribedAt ?? undefined,
  };
}

function toCheck(item: CheckItem): AccountCheck {
  const position = item[A.feedPosition];
  return {
    ...parseAccountOfTenant(position.slice(position.indexOf("#") + 1)),
    connectionId: item[A.connectionId],
    authorizedBy: item[A.authorizedBy] ?? [],
    dueAt: positionTime(position),
    subscribedAt: item[A.subscribedAt] ?? null,
  };
}
