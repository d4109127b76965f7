import { DeleteCommand, PutCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { IDEMPOTENCY_TTL } from "../../domain/limits.ts";
import type { TenantId } from "../../kernel/tenant.ts";
import type { Millis } from "../../kernel/time.ts";
import type { Table } from "../client.ts";
import { conditionalWrite } from "../conditional-write.ts";
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
export interface IdempotencyRecord {
  readonly bodyHash: string;
  /** The id under which the work is done, at most once. */
  readonly workId: string;
  readonly claimedAt: Millis;
  /** A JSON text without anything of the message; null while there is none. */
  readonly result: string | null;
}

/** The answers to requests that named a key of their own, for a day. */
export function idempotencyKeyStore({ client, name: TableName }: Table) {
  return {
    /**
     * Claims a key for a request, unless it stands; one that is a day old stands no more.
     * @param workId a ULID, by which a claim whose answer was lost is known again
     * @param staleClaim a claim that was read before and is to be taken over, with the id of its work
     * @returns null when it is claimed; else what stands
     */
    async claim(
      tenant: TenantId,
      request: KeyedRequest,
      workId: string,
      now: Millis,
      staleClaim: IdempotencyRecord | null = null,
    ): Promise<IdempotencyRecord | null> {
      const writeResult = await conditionalWrite(() =>
        client.send(
          new PutCommand({
            TableName,
            Item: {
              ...idempotencyKey(tenant, request.keyHash),
              bh: request.bodyHash,
              w: workId,
              ca: now,
              x: timeToLive(now + IDEMPOTENCY_TTL),
            },
            ConditionExpression: staleClaim
              ? "w = :w AND ca = :ca AND attribute_not_exists(an)"
              : "attribute_not_exists(PK) OR ca <= :dead",
            ExpressionAttributeValues: staleClaim
              ? { ":w": staleClaim.workId, ":ca": staleClaim.claimedAt }
              : { ":dead": now - IDEMPOTENCY_TTL },
            ReturnValuesOnConditionCheckFailure: "ALL_OLD",
          }),
        ),
      );
      if (writeResult.applied) return null;
      const record = toIdempotencyRecord(writeResult.current as unknown as IdempotencyItem);
      const isOwnClaim = record.workId === workId && record.claimedAt === now && record.result === null;
      return isOwnClaim ? null : record;
    },

    /** Keeps the answer for as long as the key lives. */
    async saveResult(tenant: TenantId, request: KeyedRequest, workId: string, answer: string): Promise<void> {
      await conditionalWrite(() =>
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
      await conditionalWrite(() =>
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

interface IdempotencyItem {
  readonly bh: string;
  readonly w: string;
  readonly ca: Millis;
  readonly an?: string;
}

function toIdempotencyRecord(item: IdempotencyItem): IdempotencyRecord {
  return { bodyHash: item.bh, workId: item.w, claimedAt: item.ca, result: item.an ?? null };
}
