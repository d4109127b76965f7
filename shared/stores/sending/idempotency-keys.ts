import { DeleteCommand, PutCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { IDEMPOTENCY_LIFE } from "../../domain/limits.ts";
import type { TenantId } from "../../kernel/tenant.ts";
import type { Millis } from "../../kernel/time.ts";
import type { Table } from "../client.ts";
import { whenConditionHolds } from "../conditional-write.ts";
import { idempotencyKey, timeToLive } from "../keys.ts";

export type IdempotencyKeys = ReturnType<typeof idempotencyKeyStore>;

/** One request under a key of its caller's. */
export interface KeyedRequest {
  /** A hash of everything that the key is one of, the key itself included. */
  readonly keyHash: string;
  /** A hash of what was asked. */
  readonly bodyHash: string;
}

/** What stands under a key. */
export interface Standing {
  readonly bodyHash: string;
  /** The id under which the work is done, at most once. */
  readonly workId: string;
  readonly claimedAt: Millis;
  /** A JSON text without anything of the message; null while there is none. */
  readonly answer: string | null;
}

/** The answers to requests that named a key of their own, for a day. */
export function idempotencyKeyStore({ client, name: TableName }: Table) {
  return {
    /**
     * Claims a key for a request, unless it stands; one that is a day old stands no more.
     * @param workId a ULID, by which a claim whose answer was lost is known again
     * @param over a claim that was read before and is to be taken over, with the id of its work
     * @returns null when it is claimed; else what stands
     */
    async claim(
      tenant: TenantId,
      request: KeyedRequest,
      workId: string,
      now: Millis,
      over: Standing | null = null,
    ): Promise<Standing | null> {
      const claimed = await whenConditionHolds(() =>
        client.send(
          new PutCommand({
            TableName,
            Item: {
              ...idempotencyKey(tenant, request.keyHash),
              bh: request.bodyHash,
              w: workId,
              ca: now,
              x: timeToLive(now + IDEMPOTENCY_LIFE),
            },
            ConditionExpression: over
              ? "w = :w AND ca = :ca AND attribute_not_exists(an)"
              : "attribute_not_exists(PK) OR ca <= :dead",
            ExpressionAttributeValues: over
              ? { ":w": over.workId, ":ca": over.claimedAt }
              : { ":dead": now - IDEMPOTENCY_LIFE },
            ReturnValuesOnConditionCheckFailure: "ALL_OLD",
          }),
        ),
      );
      if (claimed.held) return null;
      const standing = standingOf(claimed.old as unknown as KeyItem);
      const mine = standing.workId === workId && standing.claimedAt === now && standing.answer === null;
      return mine ? null : standing;
    },

    /** Keeps the answer for as long as the key lives. */
    async answer(tenant: TenantId, request: KeyedRequest, workId: string, answer: string): Promise<void> {
      await whenConditionHolds(() =>
        client.send(
          new UpdateCommand({
            TableName,
            Key: idempotencyKey(tenant, request.keyHash),
            UpdateExpression: "SET an = :an",
            ConditionExpression: "w = :w",
            ExpressionAttributeValues: { ":an": answer, ":w": workId },
          }),
        ),
      );
    },

    /** Gives the key back: nothing was done. */
    async release(tenant: TenantId, request: KeyedRequest, workId: string): Promise<void> {
      await whenConditionHolds(() =>
        client.send(
          new DeleteCommand({
            TableName,
            Key: idempotencyKey(tenant, request.keyHash),
            ConditionExpression: "w = :w",
            ExpressionAttributeValues: { ":w": workId },
          }),
        ),
      );
    },
  };
}

interface KeyItem {
  readonly bh: string;
  readonly w: string;
  readonly ca: Millis;
  readonly an?: string;
}

function standingOf(item: KeyItem): Standing {
  return { bodyHash: item.bh, workId: item.w, claimedAt: item.ca, answer: item.an ?? null };
}
