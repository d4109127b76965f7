import { GetCommand, ScanCommand } from "@aws-sdk/lib-dynamodb";
import { randomToken } from "#base/kernel/bytes.ts";
import { isUlid } from "#base/kernel/ids.ts";
import { parseTenant, type TenantId } from "#base/kernel/tenant.ts";
import type { Millis } from "#base/kernel/time.ts";
import type { Table } from "#base/table/client.ts";
import { conditionalWrite } from "#base/table/conditional-write.ts";
import { allOf, equals, isAbsent, isUnchanged, itemExists } from "#base/table/expressions.ts";
import type { Key } from "#base/table/keys.ts";
import { remove, update } from "#base/table/writes.ts";
import { userAttributes as User } from "#features/access/store/attributes.ts";
import { loginTokenKey, MEMBERSHIP, tenantKey, userKey } from "#features/access/store/items.ts";
import { type AccountRef, isRepeatable, parseAccountKey } from "#features/accounts/rules/accounts.ts";
import { accountAttributes as Account } from "#features/accounts/store/attributes.ts";
import { accountItemKey, toAccountRestore } from "#features/accounts/store/items.ts";
import { endpointAttributes as Endpoint } from "#features/webhooks/store/attributes.ts";
import { restoredErasureAttributes as Note } from "./attributes.ts";
import { restoredErasureKey } from "./items.ts";

/** A row that an act of the journal may be about, or that a restore changes. */
export type RestoredRow =
  | { readonly kind: "conversation"; readonly conversationId: string }
  | { readonly kind: "tenant"; readonly tenant: TenantId }
  /** `tenant`: null for an operator key. */
  | { readonly kind: "key"; readonly tenant: TenantId | null; readonly keyId: string }
  | { readonly kind: "member"; readonly tenant: TenantId; readonly userId: string }
  | {
      readonly kind: "account";
      readonly tenant: TenantId;
      readonly account: AccountRef;
      readonly connectionId: string;
    }
  | { readonly kind: "invite"; readonly tenant: TenantId; readonly inviteId: string }
  | { readonly kind: "endpoint"; readonly tenant: TenantId; readonly endpointId: string; readonly url: string }
  | { readonly kind: "login"; readonly platformUserId: string }
  | { readonly kind: "user"; readonly userId: string }
  | { readonly kind: "link"; readonly loginId: string }
  /** A note that the platform does not list all messages of a conversation. */
  | { readonly kind: "partly_read" };

export type RestoredRows = ReturnType<typeof restoredRowStore>;

/** 48 bits, as after the replacement of a leaked root secret: no session of the time that was lost has the number. */
const EPOCH_BYTES = 6;
const NOTES = restoredErasureKey("").PK;
const starts = ["CONV#", "T#", "AU#", "USR#", "TOK#", NOTES] as const;
const OPERATORS = "OPERATORS";
const WRITE_ATTEMPTS_MAX = 4;

/** What a restore reads of the table, and the rows that it changes itself. */
export function restoredRowStore(table: Table) {
  const { client, name: TableName } = table;
  return {
    /** Reads the whole table consistently, in pages. Names a conversation once, and no other row twice. */
    async *scan(): AsyncGenerator<readonly RestoredRow[]> {
      let ExclusiveStartKey: Record<string, unknown> | undefined;
      let conversation: string | null = null;
      do {
        const { Items = [], LastEvaluatedKey } = await client.send(
          new ScanCommand({
            TableName,
            FilterExpression: `PK = :operators OR ${starts.map((_, i) => `begins_with(PK, :s${i})`).join(" OR ")}`,
            ExpressionAttributeValues: {
              ":operators": OPERATORS,
              ...Object.fromEntries(starts.map((start, i) => [`:s${i}`, start])),
            },
            ProjectionExpression: `PK, SK, ${Account.connectionId}, ${Endpoint.url}, ${Note.partlyRead}`,
            ConsistentRead: true,
            ExclusiveStartKey,
          }),
        );
        const rows: RestoredRow[] = [];
        for (const item of Items as ScannedItem[]) {
          if (item.PK.startsWith("CONV#")) {
            if (item.PK !== conversation) rows.push({ kind: "conversation", conversationId: item.PK });
            conversation = item.PK;
          } else {
            const row = toRow(item);
            if (row) rows.push(row);
          }
        }
        yield rows;
        ExclusiveStartKey = LastEvaluatedKey;
      } while (ExclusiveStartKey);
    },

    /**
     * Stops the sends of an account. Keys of an earlier restore that may still be repeated are answered from its time on.
     * Safe to repeat. Nothing for an account that was disconnected.
     */
    async stopSends(tenant: TenantId, account: AccountRef, from: Millis): Promise<void> {
      const Key = accountItemKey(tenant, account);
      for (let attempt = 1; attempt <= WRITE_ATTEMPTS_MAX; attempt++) {
        const { Item } = await client.send(new GetCommand({ TableName, Key, ConsistentRead: true }));
        if (!Item) return;
        const last = toAccountRestore(Item);
        const isEarlierRepeated = last !== null && last.from < from && isRepeatable(last, from);
        const answersFrom = last?.from === from || isEarlierRepeated ? last?.answersFrom : from;
        const changes = {
          set: { [Account.restoredFrom]: from, [Account.restoredAnswersFrom]: answersFrom },
          remove: [Account.restoredUntil, Account.restoredUnread],
        };
        const isAsRead = allOf(
          itemExists,
          isUnchanged(Account.restoredFrom, Item[Account.restoredFrom]),
          isUnchanged(Account.restoredUntil, Item[Account.restoredUntil]),
        );
        if ((await conditionalWrite(table, update(Key, changes, isAsRead))).applied) return;
      }
      throw new Error("Concurrent writes changed the account on every attempt to stop its sends.");
    },

    /**
     * Lets an account send that this restore stopped. Safe to repeat.
     * @param options `until`: when the restore ended; `isUnread`: the account still sends nothing until its history is read
     */
    async resumeSends(
      tenant: TenantId,
      account: AccountRef,
      { from, until, isUnread }: { readonly from: Millis; readonly until: Millis; readonly isUnread: boolean },
    ): Promise<void> {
      const set = { [Account.restoredUntil]: until, [Account.restoredUnread]: isUnread ? true : undefined };
      const changes = { set };
      const isStopped = allOf(equals(Account.restoredFrom, from), isAbsent(Account.restoredUntil));
      await conditionalWrite(table, update(accountItemKey(tenant, account), changes, isStopped));
    },

    /** Ends every session of a user, also those that began after the time to which the table was restored. */
    async endSessions(userId: string): Promise<void> {
      const set = { [User.sessionEpoch]: randomToken(EPOCH_BYTES).readUIntBE(0, EPOCH_BYTES) };
      await conditionalWrite(table, update(userKey(userId), { set }, itemExists));
    },

    /** Removes a sign-in link, which may have been used since. */
    async removeLink(loginId: string): Promise<void> {
      await conditionalWrite(table, remove(loginTokenKey(loginId)));
    },
  };
}

interface ScannedItem extends Key {
  readonly [Account.connectionId]?: unknown;
  readonly [Endpoint.url]?: unknown;
  readonly [Note.partlyRead]?: unknown;
}

function toRow(item: ScannedItem): RestoredRow | null {
  const { PK, SK } = item;
  const [, name = "", ...rest] = PK.split("#");
  if (PK === OPERATORS) {
    return SK.startsWith("KEY#") ? { kind: "key", tenant: null, keyId: SK.slice("KEY#".length) } : null;
  }
  if (PK.startsWith(NOTES)) return item[Note.partlyRead] === true ? { kind: "partly_read" } : null;
  if (PK.startsWith("AU#")) return { kind: "login", platformUserId: PK.slice("AU#".length) };
  if (PK.startsWith("TOK#")) return { kind: "link", loginId: PK.slice("TOK#".length) };
  if (PK.startsWith("USR#")) return SK === userKey("").SK ? { kind: "user", userId: name } : null;
  const tenant = parseTenant(name);
  return tenant && rest.length === 0 ? toTenantRow(tenant, item) : null;
}

/** A row of a tenant's own partition. */
function toTenantRow(tenant: TenantId, item: ScannedItem): RestoredRow | null {
  const { SK, [Account.connectionId]: connectionId, [Endpoint.url]: url } = item;
  if (SK === tenantKey(tenant).SK) return { kind: "tenant", tenant };
  if (SK.startsWith(MEMBERSHIP)) return { kind: "member", tenant, userId: SK.slice(MEMBERSHIP.length) };
  const [kind, id = ""] = SK.split("#");
  if (kind === "INV") return { kind: "invite", tenant, inviteId: id };
  if (kind === "KEY") return { kind: "key", tenant, keyId: id };
  if (kind === "WH") return isUlid(id) ? { kind: "endpoint", tenant, endpointId: id, url: String(url ?? "") } : null;
  const account = kind === "ACC" ? parseAccountKey(SK.slice("ACC#".length)) : null;
  const connection = typeof connectionId === "string" ? connectionId : "";
  return account && { kind: "account", tenant, account, connectionId: connection };
}
