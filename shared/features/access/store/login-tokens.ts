import { GetCommand } from "@aws-sdk/lib-dynamodb";
import type { Millis } from "#base/kernel/time.ts";
import type { Language } from "#base/languages/languages.ts";
import type { Table } from "#base/table/client.ts";
import { conditionalWrite } from "#base/table/conditional-write.ts";
import { above, allOf, type Expression, equals, isAbsent } from "#base/table/expressions.ts";
import { timeToLive } from "#base/table/keys.ts";
import { put, remove, sendWrite, update } from "#base/table/writes.ts";
import { loginTokenAttributes as A } from "./attributes.ts";
import { loginTokenKey } from "./items.ts";

/** A sign-in link. Its token is stored as a hash, and sealed for the worker that mails it. */
export interface LoginToken {
  readonly sealedAddress: Uint8Array;
  readonly sealedToken: Uint8Array;
  /** The path on the console's origin to which the sign-in redirects. */
  readonly redirect: string;
  /** The hash of the sign-in cookie of the browser that requested the link. Default: none. */
  readonly browserHash?: string | null;
  /** The invite whose mail the request came from. Default: none. */
  readonly inviteId?: string | null;
  /** The language of the browser that requested the link. Default: none. */
  readonly language?: Language | null;
  readonly expiresAt: Millis;
}

export interface StoredLoginToken extends LoginToken {
  /** When a worker decided to mail the link; null before. */
  readonly mailedAt: Millis | null;
}

export type LoginTokens = ReturnType<typeof loginTokenStore>;

/** Sign-in links. A `loginId` is the hash of a link's token. */
export function loginTokenStore(table: Table) {
  const { client, name: TableName } = table;
  return {
    async create(loginId: string, token: LoginToken): Promise<void> {
      const item = {
        ...loginTokenKey(loginId),
        [A.sealedAddress]: token.sealedAddress,
        [A.sealedToken]: token.sealedToken,
        [A.redirect]: token.redirect,
        [A.browserHash]: token.browserHash ?? undefined,
        [A.inviteId]: token.inviteId ?? undefined,
        [A.language]: token.language ?? undefined,
        [A.expiresAt]: token.expiresAt,
        [A.ttl]: timeToLive(token.expiresAt),
      };
      await sendWrite(table, put(item));
    },

    /** Reads a link consistently. Null when it is unknown or used. Expired links may still be returned. */
    async get(loginId: string): Promise<StoredLoginToken | null> {
      const { Item } = await client.send(
        new GetCommand({ TableName, Key: loginTokenKey(loginId), ConsistentRead: true }),
      );
      return Item ? toLoginToken(Item as LoginTokenItem) : null;
    },

    /**
     * Claims a link for its mail, so that it is mailed once.
     * @param claim `op`: unique
     * @returns false when it is used, expired or claimed
     */
    async claimMail(loginId: string, { op, now }: { readonly op: string; readonly now: Millis }): Promise<boolean> {
      const set = { [A.mailedAt]: now, [A.op]: op };
      const condition = allOf(isUsable(now), isAbsent(A.mailedAt));
      const write = update(loginTokenKey(loginId), { set }, condition);
      return (await conditionalWrite(table, write, { ownMark: { [A.op]: op } })).applied;
    },

    /** Gives a claim back when the link was certainly not mailed. Nothing when the link is already used. */
    async releaseMail(loginId: string, op: string): Promise<void> {
      const remove = [A.mailedAt, A.op];
      await conditionalWrite(table, update(loginTokenKey(loginId), { remove }, equals(A.op, op)));
    },

    /**
     * Consumes a link: of several calls, one gets it. When the table's answer is lost, none may get it.
     * @returns null when it is unknown, used or expired
     */
    async consume(loginId: string, now: Millis): Promise<LoginToken | null> {
      const write = remove(loginTokenKey(loginId), isUsable(now), "ALL_OLD");
      const result = await conditionalWrite<LoginTokenItem>(table, write);
      return result.applied && result.item ? toLoginToken(result.item) : null;
    },
  };
}

/** A link that does not exist has no time either. */
function isUsable(now: Millis): Expression {
  return above(A.expiresAt, now);
}

export interface LoginTokenItem {
  readonly [A.sealedAddress]: Uint8Array;
  readonly [A.sealedToken]: Uint8Array;
  readonly [A.redirect]: string;
  readonly [A.browserHash]?: string;
  readonly [A.inviteId]?: string;
  readonly [A.language]?: Language;
  readonly [A.expiresAt]: Millis;
  readonly [A.mailedAt]?: Millis;
}

export function toLoginToken(item: LoginTokenItem): StoredLoginToken {
  return {
    sealedAddress: item[A.sealedAddress],
    sealedToken: item[A.sealedToken],
    redirect: item[A.redirect],
    browserHash: item[A.browserHash] ?? null,
    inviteId: item[A.inviteId] ?? null,
    language: item[A.language] ?? null,
    expiresAt: item[A.expiresAt],
    mailedAt: item[A.mailedAt] ?? null,
  };
}
