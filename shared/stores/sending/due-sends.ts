import { DeleteCommand, PutCommand } from "@aws-sdk/lib-dynamodb";
import { RETENTION } from "../../domain/limits.ts";
import type { SendContent } from "../../domain/sending/send-content.ts";
import { SEND_SETTLE_DEADLINE } from "../../domain/sending/sends.ts";
import type { Millis } from "../../kernel/time.ts";
import { sweepCheckpoint } from "../checkpoints.ts";
import type { Table } from "../client.ts";
import { cursorAfter, type DuePage, duePages } from "../due-queue.ts";
import { dueSendKey, dueSendPartition, type Key, sendSweepCheckpointKey, timeToLive } from "../keys.ts";

export type DueSends = ReturnType<typeof dueSendStore>;

/** A send that is to be looked at once its time is over, with what is needed to end it in its sender's place. */
export interface DueSend {
  readonly conversationId: string;
  readonly sendId: string;
  readonly startedAt: Millis;
  readonly content: SendContent;
}

/**
 * Sends under way. Each is written before its record and removed once everything is done that follows from it: what is
 * left when its time is over is what a process left open, or a send whose outcome nobody knows.
 */
export function dueSendStore(table: Table) {
  const { client, name: TableName } = table;
  return {
    /** Safe to repeat: the key follows from the send. */
    async put(due: DueSend): Promise<void> {
      const Item = {
        ...dueSendItemKey(due),
        c: due.conversationId,
        // One text, so that no name of an attribute is paid for.
        b: JSON.stringify(due.content),
        x: timeToLive(due.startedAt + RETENTION),
      };
      await client.send(new PutCommand({ TableName, Item }));
    },

    /** Nothing is left to be done for it. */
    async remove(due: Pick<DueSend, "startedAt" | "sendId">): Promise<void> {
      await client.send(new DeleteCommand({ TableName, Key: dueSendItemKey(due) }));
    },

    /** All whose time was over in (after, upTo], in order. */
    async *between(after: Millis, upTo: Millis): AsyncGenerator<DuePage<DueSend>> {
      for await (const page of duePages<DueSendItem>(table, dueSendPartition, cursorAfter(after), upTo)) {
        yield { ...page, items: page.items.map(toDueSend) };
      }
    },

    ...sweepCheckpoint(table, sendSweepCheckpointKey),
  };
}

interface DueSendItem extends Key {
  readonly c: string;
  readonly b: string;
}

function dueSendItemKey({ startedAt, sendId }: Pick<DueSend, "startedAt" | "sendId">): Key {
  return dueSendKey(startedAt + SEND_SETTLE_DEADLINE, sendId);
}

function toDueSend(item: DueSendItem): DueSend {
  const [at = "", sendId = ""] = item.SK.split("#");
  const content = JSON.parse(item.b) as SendContent;
  return { conversationId: item.c, sendId, startedAt: Number(at) - SEND_SETTLE_DEADLINE, content };
}
