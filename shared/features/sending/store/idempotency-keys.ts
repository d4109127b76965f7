import { IDEMPOTENCY_TTL } from "#base/kernel/limits.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import type { Millis } from "#base/kernel/time.ts";
import type { Table } from "#base/table/client.ts";
import { conditionalWrite } from "#base/table/conditional-write.ts";
import { allOf, anyOf, atMost, type Expression, equals, isAbsent, itemDoesNotExist } from "#base/table/expressions.ts";
import { timeToLive } from "#base/table/keys.ts";
import { put, remove, update } from "#base/table/writes.ts";
import { idempotencyAttributes as A } from "./attributes.ts";
import { idempotencyKey } from "./items.ts";

export type IdempotencyKeys = ReturnType<typeof idempotencyKeyStore>;

/** A request's claim of its idempotency key. */
export interface KeyClaim {
  /** A hash of the key and of everything that scopes it. */
  readonly keyHash: string;
  /** A hash of the request's body. */
  readonly bodyHash: string;
  /** A ULID that identifies the claim, and its work. */
  readonly workId: string;
}

/** The record of an idempotency key. */
export interface IdempotencyRecord {
  readonly bodyHash: string;
  /** The id under which the work is done at most once. */
  readonly workId: string;
  readonly claimedAt: Millis;
  /** JSON without any content of the message; null while there is no result. */
  readonly result: string | null;
}

/** The results of requests with an idempotency key, stored for a day. */
export function idempotencyKeyStore(table: Table) {
  return {
    /**
     * Claims a key for a request, unless the key has a record that is less than a day old.
     * @param staleClaim a claim without a result, read before, that the caller takes over, also if its holder released it
     * @returns null when the key is claimed, else its record
     */
    async claimKey(
      tenant: TenantId,
      { keyHash, bodyHash, workId }: KeyClaim,
      now: Millis,
      staleClaim: IdempotencyRecord | null = null,
    ): Promise<IdempotencyRecord | null> {
      const item = {
        ...idempotencyKey(tenant, keyHash),
        [A.bodyHash]: bodyHash,
        [A.workId]: workId,
        [A.claimedAt]: now,
        [A.ttl]: timeToLive(now + IDEMPOTENCY_TTL),
      };
      const condition = staleClaim
        ? anyOf(itemDoesNotExist, isStill(staleClaim))
        : anyOf(itemDoesNotExist, atMost(A.claimedAt, now - IDEMPOTENCY_TTL));
      const result = await conditionalWrite<IdempotencyItem>(table, put(item, condition), {
        ownMark: { [A.workId]: workId, [A.claimedAt]: now, [A.result]: undefined },
      });
      return result.applied ? null : toIdempotencyRecord(result.current as IdempotencyItem);
    },

    /** Stores the first result, for as long as the key's record lives. */
    async saveResult(tenant: TenantId, { keyHash, workId }: KeyClaim, answer: string): Promise<void> {
      const key = idempotencyKey(tenant, keyHash);
      const isOwnClaim = allOf(equals(A.workId, workId), isAbsent(A.result));
      await conditionalWrite(table, update(key, { set: { [A.result]: answer } }, isOwnClaim));
    },

    /** Releases the key of a request that did nothing. */
    async release(tenant: TenantId, { keyHash, workId }: KeyClaim): Promise<void> {
      const key = idempotencyKey(tenant, keyHash);
      await conditionalWrite(table, remove(key, equals(A.workId, workId)));
    },
  };
}

/** The claim is as it was read, and has no result. */
function isStill({ workId, claimedAt }: IdempotencyRecord): Expression {
  return allOf(equals(A.workId, workId), equals(A.claimedAt, claimedAt), isAbsent(A.result));
}

interface IdempotencyItem {
  readonly [A.bodyHash]: string;
  readonly [A.workId]: string;
  readonly [A.claimedAt]: Millis;
  readonly [A.result]?: string;
}

function toIdempotencyRecord(item: IdempotencyItem): IdempotencyRecord {
  return {
    bodyHash: item[A.bodyHash],
    workId: item[A.workId],
    claimedAt: item[A.claimedAt],
    result: item[A.result] ?? null,
  };
}
