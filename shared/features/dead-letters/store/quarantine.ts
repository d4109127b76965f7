import { QueryCommand } from "@aws-sdk/lib-dynamodb";
import { type QueueName, queues } from "#base/config/names.ts";
import { newUlid, ulidCeiling, ulidFloor, ulidTime } from "#base/kernel/ids.ts";
import { RETENTION } from "#base/kernel/limits.ts";
import { forEachConcurrent } from "#base/kernel/parallel.ts";
import { MINUTE, type Millis } from "#base/kernel/time.ts";
import { batchGet, batchRemove } from "#base/table/batches.ts";
import type { Table } from "#base/table/client.ts";
import { conditionalWrite } from "#base/table/conditional-write.ts";
import {
  absentOr,
  allOf,
  atMost,
  type Changes,
  equals,
  isAbsent,
  itemDoesNotExist,
  itemExists,
} from "#base/table/expressions.ts";
import { type Key, timeToLive } from "#base/table/keys.ts";
import { put, remove, sendWrite, update } from "#base/table/writes.ts";
import { deadLetterId } from "../rules/ids.ts";
import { quarantineAttributes as A } from "./attributes.ts";

export function quarantineKey(queue: string, id: string): Key {
  return { PK: `QUAR#${queue}`, SK: id };
}

/** A queue message that no worker could process. */
export interface DeadLetter {
  readonly queue: QueueName;
  /** The queue's id of the message. */
  readonly messageId: string;
  /** When it was first sent; of a webhook, when it arrived. */
  readonly sentAt: Millis;
  readonly body: string;
  /** The message group; null for none. */
  readonly group: string | null;
  readonly receives: number;
}

/** The result of a redrive: the message was sent again, its delivery was replayed, or nothing was left to do. */
export type RedriveEnd = "sent" | "replayed" | "not_needed";

/** A stored dead letter. */
export interface QuarantinedMessage extends DeadLetter {
  /** A ULID derived from `sentAt` and the queue's id of the message. */
  readonly id: string;
  readonly quarantinedAt: Millis;
  /** Bytes of the whole body. When `cut`, `body` is only its beginning. */
  readonly bytes: number;
  readonly cut: boolean;
  /** Until then a redrive has claimed it. */
  readonly claimedUntil: Millis | null;
  readonly redriven: { readonly at: Millis; readonly end: RedriveEnd } | null;
}

/** An item holds at most 400 KB. A longer queue message is cut. */
const BODY_BYTES_MAX = 350_000;

/** How long the claim of a redrive that died blocks others. */
const CLAIM_LEASE: Millis = 5 * MINUTE;

const DELETE_CONCURRENCY = 10;

/**
 * When a dead letter ends: 7 days after it was quarantined. That of a webhook contains its raw bytes, and ends 7 days
 * after they arrived.
 */
function endsAt(queue: QueueName, sentAt: Millis, quarantinedAt: Millis): Millis {
  return (queue === "Inbound" ? sentAt : quarantinedAt) + RETENTION;
}

export type Quarantine = ReturnType<typeof quarantineStore>;

export function quarantineStore(table: Table) {
  const { client, name: TableName } = table;
  /** Changes a row that this claim still holds. */
  async function updateClaimed(letter: QuarantinedMessage, op: string, changes: Changes): Promise<void> {
    const claimIsOurs = equals(A.op, op);
    await conditionalWrite(table, update(quarantineKey(letter.queue, letter.id), changes, claimIsOurs));
  }

  async function* pages(
    queue: QueueName,
    { upTo, ...options }: { upTo: string; ScanIndexForward?: boolean; ConsistentRead?: boolean },
  ): AsyncGenerator<QuarantinedMessage[]> {
    let ExclusiveStartKey: Record<string, unknown> | undefined;
    do {
      const response = await client.send(
        new QueryCommand({
          TableName,
          KeyConditionExpression: "PK = :q AND SK <= :upTo",
          ExpressionAttributeValues: { ":q": quarantineKey(queue, "").PK, ":upTo": upTo },
          ExclusiveStartKey,
          ...options,
        }),
      );
      yield ((response.Items ?? []) as QuarantineItem[]).map((item) => toQuarantinedMessage(queue, item));
      ExclusiveStartKey = response.LastEvaluatedKey;
    } while (ExclusiveStartKey);
  }

  return {
    /**
     * Stores a dead letter unless it is stored. Safe to repeat: the key follows from the message.
     * @returns `redriven` also while a redrive has claimed it
     */
    async save(letter: DeadLetter, now: Millis): Promise<"new" | "stored_before" | "redriven"> {
      const body = Buffer.from(letter.body);
      const cut = body.length > BODY_BYTES_MAX;
      const item = {
        ...quarantineKey(letter.queue, deadLetterId(letter)),
        [A.messageId]: letter.messageId,
        [A.body]: cut ? body.subarray(0, BODY_BYTES_MAX).toString() : letter.body,
        [A.bodyBytes]: cut ? body.length : undefined,
        [A.group]: letter.group ?? undefined,
        [A.receives]: letter.receives,
        [A.quarantinedAt]: now,
        [A.ttl]: timeToLive(endsAt(letter.queue, letter.sentAt, now)),
      };
      const result = await conditionalWrite<QuarantineItem>(table, put(item, itemDoesNotExist));
      if (result.applied || !result.current) return "new";
      const { [A.redrivenAt]: redrivenAt, [A.claimedUntil]: claimedUntil = 0 } = result.current;
      return redrivenAt !== undefined || claimedUntil > now ? "redriven" : "stored_before";
    },

    /** A queue's dead letters in pages of up to 1 MB, without those sent after `now`. */
    async *list(queue: QueueName, order: "newest" | "oldest", now: Millis): AsyncGenerator<QuarantinedMessage[]> {
      for await (const page of pages(queue, { upTo: ulidCeiling(now), ScanIndexForward: order === "oldest" })) {
        yield page.filter(({ sentAt, quarantinedAt }) => now < endsAt(queue, sentAt, quarantinedAt));
      }
    },

    /** The rows of all queues, also those that have ended and await their cleanup. Read consistently. */
    async *listStored(): AsyncGenerator<QuarantinedMessage[]> {
      for (const queue of queues) yield* pages(queue, { upTo: "~", ConsistentRead: true });
    },

    /** Deletes dead letters. Safe to repeat. */
    async removeAll(letters: readonly QuarantinedMessage[]): Promise<void> {
      const keys = letters.map(({ queue, id }) => quarantineKey(queue, id));
      await batchRemove(table, keys, { concurrency: DELETE_CONCURRENCY });
    },

    /** A dead letter of any queue by its id. It may be as old as the list, and only the claim decides on a redrive. */
    async get(id: string, now: Millis): Promise<QuarantinedMessage | null> {
      const keys = queues.map((queue) => quarantineKey(queue, id));
      for (const item of await batchGet<QuarantineItem>(table, keys)) {
        const queue = queues.find((name) => quarantineKey(name, id).PK === item.PK);
        if (queue && now < endsAt(queue, ulidTime(id), item[A.quarantinedAt])) return toQuarantinedMessage(queue, item);
      }
      return null;
    },

    /**
     * Deletes a queue's dead letters that were sent before an instant, one page of the table (1 MB) at most, oldest first.
     * @returns `more`: there may be further ones
     */
    async removeBefore(queue: QueueName, sentBefore: Millis): Promise<{ removed: number; more: boolean }> {
      const { Items = [], LastEvaluatedKey } = await client.send(
        new QueryCommand({
          TableName,
          KeyConditionExpression: "PK = :q AND SK < :upTo",
          ExpressionAttributeValues: { ":q": quarantineKey(queue, "").PK, ":upTo": ulidFloor(sentBefore) },
          ProjectionExpression: "PK, SK",
        }),
      );
      const keys = Items as Key[];
      await forEachConcurrent(keys, DELETE_CONCURRENCY, async ({ PK, SK }) => {
        await sendWrite(table, remove({ PK, SK }));
      });
      return { removed: keys.length, more: LastEvaluatedKey !== undefined };
    },

    /**
     * Claims a dead letter for a redrive, for five minutes.
     * @returns the claim's id; null when the letter was redriven or another redrive has claimed it
     */
    async claimDeadLetter(letter: QuarantinedMessage, now: Millis): Promise<string | null> {
      const op = newUlid(now);
      const isFree = allOf(itemExists, isAbsent(A.redrivenAt), absentOr(atMost, A.claimedUntil, now));
      const set = { [A.claimedUntil]: now + CLAIM_LEASE, [A.op]: op };
      const result = await conditionalWrite(table, update(quarantineKey(letter.queue, letter.id), { set }, isFree), {
        ownMark: { [A.op]: op },
      });
      return result.applied ? op : null;
    },

    /** Marks a claimed letter as redriven. Does nothing when another redrive has claimed it since. */
    async settleDeadLetter(letter: QuarantinedMessage, op: string, end: RedriveEnd, now: Millis): Promise<void> {
      await updateClaimed(letter, op, {
        set: { [A.redrivenAt]: now, [A.redriveEnd]: end },
        remove: [A.claimedUntil],
      });
    },

    /** Releases a claimed letter unchanged. */
    async release(letter: QuarantinedMessage, op: string): Promise<void> {
      await updateClaimed(letter, op, { remove: [A.claimedUntil, A.op] });
    },
  };
}

interface QuarantineItem extends Key {
  readonly [A.messageId]: string;
  readonly [A.body]: string;
  readonly [A.bodyBytes]?: number;
  readonly [A.group]?: string;
  readonly [A.receives]: number;
  readonly [A.quarantinedAt]: Millis;
  readonly [A.claimedUntil]?: Millis;
  readonly [A.redrivenAt]?: Millis;
  readonly [A.redriveEnd]?: RedriveEnd;
}

function toQuarantinedMessage(queue: QueueName, item: QuarantineItem): QuarantinedMessage {
  const { [A.body]: body, [A.bodyBytes]: cutBytes, [A.redrivenAt]: redrivenAt, [A.redriveEnd]: redriveEnd } = item;
  return {
    id: item.SK,
    queue,
    messageId: item[A.messageId],
    sentAt: ulidTime(item.SK),
    body,
    group: item[A.group] ?? null,
    receives: item[A.receives],
    quarantinedAt: item[A.quarantinedAt],
    bytes: cutBytes ?? Buffer.byteLength(body),
    cut: cutBytes !== undefined,
    claimedUntil: item[A.claimedUntil] ?? null,
    redriven: redrivenAt !== undefined && redriveEnd ? { at: redrivenAt, end: redriveEnd } : null,
  };
}
