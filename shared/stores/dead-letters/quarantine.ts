import { PutCommand, QueryCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { type QueueName, queues } from "../../config/names.ts";
import { deadLetterId } from "../../domain/dead-letters/dead-letters.ts";
import { RETENTION } from "../../domain/limits.ts";
import { newUlid, ulidCeiling, ulidTime } from "../../kernel/ids.ts";
import { MINUTE, type Millis } from "../../kernel/time.ts";
import { batchGet } from "../batch-get.ts";
import type { Table } from "../client.ts";
import { conditionalWrite, conditions } from "../conditional-write.ts";
import { type Key, quarantineKey, timeToLive } from "../keys.ts";

/** A queue message that no worker could process. */
export interface DeadLetter {
  readonly queue: QueueName;
  /** The queue's own id of it. */
  readonly messageId: string;
  /** When it was first sent. */
  readonly sentAt: Millis;
  readonly body: string;
  /** The group it was sent in; null for none. */
  readonly group: string | null;
  readonly receives: number;
}

/** What came of redriving: it was sent as it was, its delivery was replayed, or there was nothing left to do. */
export type RedriveEnd = "sent" | "replayed" | "not_needed";

/** A dead letter as it was set aside. */
export interface QuarantinedMessage extends DeadLetter {
  /** A ULID that follows from when it was sent and the queue's own id. */
  readonly id: string;
  readonly quarantinedAt: Millis;
  /** Bytes of the whole body, of which `body` has only the beginning when `cut`. */
  readonly bytes: number;
  readonly cut: boolean;
  /** Until then someone is sending it again. */
  readonly claimedUntil: Millis | null;
  readonly redriven: { readonly at: Millis; readonly end: RedriveEnd } | null;
}

/** An item of the table holds 400 KB; a queue message may hold more, and is cut. */
const BODY_BYTES_MAX = 350_000;

/** How long one who died over sending a letter again keeps others from it. */
const CLAIM_LEASE: Millis = 5 * MINUTE;

export type Quarantine = ReturnType<typeof quarantineStore>;

export function quarantineStore(table: Table) {
  const { client, name: TableName } = table;
  /** Writes into a row that this claim still holds. @returns false when it no longer does */
  async function updateClaimed(
    letter: QuarantinedMessage,
    op: string,
    expression: string,
    values: Record<string, unknown>,
  ) {
    const result = await conditionalWrite(() =>
      client.send(
        new UpdateCommand({
          TableName,
          Key: quarantineKey(letter.queue, letter.id),
          UpdateExpression: expression,
          ConditionExpression: "o = :op",
          ExpressionAttributeValues: { ...values, ":op": op },
        }),
      ),
    );
    return result.applied;
  }

  return {
    /**
     * Sets a letter aside unless it is there already. Safe to repeat: the key follows from the message.
     * @returns what was done with it before: nothing, or somebody has sent it again or is about to
     */
    async save(letter: DeadLetter, now: Millis): Promise<"new" | "kept_before" | "redriven"> {
      const body = Buffer.from(letter.body);
      const cut = body.length > BODY_BYTES_MAX;
      const result = await conditionalWrite(() =>
        client.send(
          new PutCommand({
            TableName,
            Item: {
              ...quarantineKey(letter.queue, deadLetterId(letter)),
              m: letter.messageId,
              b: cut ? body.subarray(0, BODY_BYTES_MAX).toString() : letter.body,
              bs: cut ? body.length : undefined,
              g: letter.group ?? undefined,
              n: letter.receives,
              at: now,
              x: timeToLive(now + RETENTION),
            },
            ConditionExpression: conditions.itemDoesNotExist,
            ReturnValuesOnConditionCheckFailure: "ALL_OLD",
          }),
        ),
      );
      if (result.applied || !result.current) return "new";
      return result.current.ra !== undefined || Number(result.current.cu ?? 0) > now ? "redriven" : "kept_before";
    },

    /** What a queue's letters are, in pages of up to a megabyte; nothing that was sent to it after `now`. */
    async *list(queue: QueueName, order: "newest" | "oldest", now: Millis): AsyncGenerator<QuarantinedMessage[]> {
      let ExclusiveStartKey: Record<string, unknown> | undefined;
      do {
        const response = await client.send(
          new QueryCommand({
            TableName,
            KeyConditionExpression: "PK = :q AND SK <= :upTo",
            ExpressionAttributeValues: { ":q": quarantineKey(queue, "").PK, ":upTo": ulidCeiling(now) },
            ScanIndexForward: order === "oldest",
            ExclusiveStartKey,
          }),
        );
        const page = ((response.Items ?? []) as QuarantineItem[]).map((item) => toQuarantinedMessage(queue, item));
        yield page.filter(({ quarantinedAt: keptAt }) => now < keptAt + RETENTION);
        ExclusiveStartKey = response.LastEvaluatedKey;
      } while (ExclusiveStartKey);
    },

    /** A letter by its id, whichever queue it was on, read consistently. */
    async get(id: string, now: Millis): Promise<QuarantinedMessage | null> {
      const keys = queues.map((queue) => quarantineKey(queue, id));
      for (const item of await batchGet<QuarantineItem>(table, keys, { consistent: true })) {
        const queue = queues.find((name) => quarantineKey(name, id).PK === item.PK);
        if (queue && now < item.at + RETENTION) return toQuarantinedMessage(queue, item);
      }
      return null;
    },

    /**
     * Takes a letter for five minutes, to send it again.
     * @returns the claim; null when it was sent again before, or someone else is about to
     */
    async claim(letter: QuarantinedMessage, now: Millis): Promise<string | null> {
      const op = newUlid(now);
      const result = await conditionalWrite(() =>
        client.send(
          new UpdateCommand({
            TableName,
            Key: quarantineKey(letter.queue, letter.id),
            UpdateExpression: "SET cu = :until, o = :op",
            ConditionExpression: `${conditions.itemExists} AND attribute_not_exists(ra) AND (attribute_not_exists(cu) OR cu <= :now)`,
            ExpressionAttributeValues: { ":until": now + CLAIM_LEASE, ":now": now, ":op": op },
            ReturnValuesOnConditionCheckFailure: "ALL_OLD",
          }),
        ),
      );
      // The answer to our own write was lost and the SDK asked again: the claim is ours.
      return result.applied || result.current?.o === op ? op : null;
    },

    /** Marks a claimed letter as redriven, for good. A claim that ran out marks nothing: another one will. */
    async settle(letter: QuarantinedMessage, op: string, end: RedriveEnd, now: Millis): Promise<void> {
      await updateClaimed(letter, op, "SET ra = :at, re = :end REMOVE cu", { ":at": now, ":end": end });
    },

    /** Gives a claimed letter back as it was. */
    async release(letter: QuarantinedMessage, op: string): Promise<void> {
      await updateClaimed(letter, op, "REMOVE cu, o", {});
    },
  };
}

interface QuarantineItem extends Key {
  readonly m: string;
  readonly b: string;
  readonly bs?: number;
  readonly g?: string;
  readonly n: number;
  readonly at: Millis;
  readonly cu?: Millis;
  readonly ra?: Millis;
  readonly re?: RedriveEnd;
}

function toQuarantinedMessage(queue: QueueName, item: QuarantineItem): QuarantinedMessage {
  return {
    id: item.SK,
    queue,
    messageId: item.m,
    sentAt: ulidTime(item.SK),
    body: item.b,
    group: item.g ?? null,
    receives: item.n,
    quarantinedAt: item.at,
    bytes: item.bs ?? Buffer.byteLength(item.b),
    cut: item.bs !== undefined,
    claimedUntil: item.cu ?? null,
    redriven: item.ra !== undefined && item.re ? { at: item.ra, end: item.re } : null,
  };
}
