import { AUTHORIZATION_RETENTION } from "#base/kernel/limits.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { type Millis, SECOND } from "#base/kernel/time.ts";
import type { Table } from "#base/table/client.ts";
import { conditionalWrite } from "#base/table/conditional-write.ts";
import { equals } from "#base/table/expressions.ts";
import { type Key, timeToLive } from "#base/table/keys.ts";
import { queryAll } from "#base/table/query-all.ts";
import { remove, update } from "#base/table/writes.ts";
import type { AccountRef } from "../rules/accounts.ts";
import { authorizationAttributes as A } from "./attributes.ts";
import { authorizationKey, authorizationPartition, parseAccountOfTenant } from "./items.ts";

/** A platform login that connected an account, last by this connection. */
export interface Authorization {
  /** The platform's id of the person. */
  readonly platformUserId: string;
  readonly tenant: TenantId;
  readonly account: AccountRef;
  readonly connectionId: string;
}

/** A stored login. */
export interface StoredAuthorization extends Authorization {
  /** The person's other ids at the platform. Each has a row. */
  readonly otherIds: readonly string[];
  /** When the row ends; null while the login connects the account. The table may remove it days later. */
  readonly endsAt: Millis | null;
}

export type Authorizations = ReturnType<typeof authorizationStore>;

/**
 * Which accounts a platform login connected. `accountStore` writes the rows, with the account. A row stays for days after
 * the account was disconnected or connected by another login, so that a data deletion still finds its conversations.
 */
export function authorizationStore(table: Table) {
  const keyOf = ({ platformUserId, tenant, account }: Authorization) =>
    authorizationKey(platformUserId, tenant, account);
  const isOfConnection = ({ connectionId }: Authorization) => equals(A.connectionId, connectionId);

  return {
    /** The accounts that the login connected, of all tenants. Read consistently. */
    async list(platformUserId: string): Promise<StoredAuthorization[]> {
      const items = await queryAll<AuthorizationItem>(table, { PK: authorizationPartition(platformUserId), SK: "" });
      return items.map(({ SK, [A.connectionId]: connectionId, [A.otherIds]: otherIds = [], [A.ttl]: ttl }) => ({
        platformUserId,
        ...parseAccountOfTenant(SK),
        connectionId,
        otherIds,
        endsAt: ttl === undefined ? null : ttl * SECOND,
      }));
    },

    /** Removes the row, unless the login connected the account again since. */
    async remove(authorization: Authorization): Promise<void> {
      await conditionalWrite(table, remove(keyOf(authorization), isOfConnection(authorization)));
    },

    /** Lets the row end eight days after `at`, unless the login connected the account again since. */
    async expire(authorization: Authorization, at: Millis): Promise<void> {
      const set = { [A.ttl]: timeToLive(at + AUTHORIZATION_RETENTION) };
      await conditionalWrite(table, update(keyOf(authorization), { set }, isOfConnection(authorization)));
    },
  };
}

interface AuthorizationItem extends Key {
  readonly [A.connectionId]: string;
  readonly [A.otherIds]?: readonly string[];
  readonly [A.ttl]?: number;
}
