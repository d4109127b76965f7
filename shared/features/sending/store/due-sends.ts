import { RETENTION } from "#base/kernel/limits.ts";
import type { Millis } from "#base/kernel/time.ts";
import { traceField } from "#base/kernel/trace.ts";
import type { Table } from "#base/table/client.ts";
import { cursorAfter, type DuePage, duePages, sweepCheckpoint } from "#base/table/due-queue.ts";
import { type Key, timeToLive } from "#base/table/keys.ts";
import { put, remove, sendWrite } from "#base/table/writes.ts";
import type { SendContent } from "../rules/send-content.ts";
import { SEND_SETTLE_DEADLINE } from "../rules/sends.ts";
import { dueSendAttributes as A } from "./attributes.ts";
import { dueSendKey, dueSendPartition, sendSweepCheckpointKey } from "./keys.ts";

export type DueSends = ReturnType<typeof dueSendStore>;

/** A send to settle once its deadline has passed, with everything that another process needs to complete it. */
export interface DueSend {
  readonly conversationId: string;
  readonly sendId: string;
  readonly startedAt: Millis;
  readonly content: SendContent;
  /** The trace of the request that started the send. */
  readonly traceId?: string;
}

/**
 * Sends in progress. Each is written before its record and removed once the send is completed. What is left after the
 * deadline was abandoned by its process, or has an unknown outcome.
 */
export function dueSendStore(table: Table) {
  return {
    /** Safe to repeat: the key follows from the send. */
    async put(due: DueSend): Promise<void> {
      const item = {
        ...dueSendItemKey(due),
        [A.conversationId]: due.conversationId,
        // One text is smaller than a map with attribute names.
        [A.content]: JSON.stringify(due.content),
        [A.traceId]: due.traceId,
        [A.ttl]: timeToLive(due.startedAt + RETENTION),
      };
      await sendWrite(table, put(item));
    },

    /** Removes a completed send. */
    async remove(due: Pick<DueSend, "startedAt" | "sendId">): Promise<void> {
      await sendWrite(table, remove(dueSendItemKey(due)));
    },

    /** The sends whose deadline passed in (after, upTo], in order. */
    async *between(after: Millis, upTo: Millis): AsyncGenerator<DuePage<DueSend>> {
      for await (const page of duePages<DueSendItem>(table, dueSendPartition, cursorAfter(after), upTo)) {
        yield { ...page, items: page.items.map(toDueSend) };
      }
    },

    ...sweepCheckpoint(table, sendSweepCheckpointKey),
  };
}

interface DueSendItem extends Key {
  readonly [A.conversationId]: string;
  readonly [A.content]: string;
  readonly [A.traceId]?: string;
}

function dueSendItemKey({ startedAt, sendId }: Pick<DueSend, "startedAt" | "sendId">): Key {
  return dueSendKey(startedAt + SEND_SETTLE_DEADLINE, sendId);
}

function toDueSend(item: DueSendItem): DueSend {
  const [at = "", sendId = ""] = item.SK.split("#");
  const content = JSON.parse(item[A.content]) as SendContent;
  const { [A.conversationId]: conversationId, [A.traceId]: traceId } = item;
  const startedAt = Number(at) - SEND_SETTLE_DEADLINE;
  return { conversationId, sendId, startedAt, content, ...traceField(traceId) };
}
