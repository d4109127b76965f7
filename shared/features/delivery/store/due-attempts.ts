import { isUlid } from "#base/kernel/ids.ts";
import { RETENTION } from "#base/kernel/limits.ts";
import { parseTenant, type TenantId } from "#base/kernel/tenant.ts";
import type { Millis } from "#base/kernel/time.ts";
import { traceField } from "#base/kernel/trace.ts";
import { dueItemAttributes as A } from "#base/table/attributes.ts";
import type { Table } from "#base/table/client.ts";
import { cursorAfter, type DueCursor, type DuePage, duePages, sweepCheckpoint } from "#base/table/due-queue.ts";
import { type Key, t13, timeToLive } from "#base/table/keys.ts";
import { assign, put, sendWrite } from "#base/table/writes.ts";
import {
  type AttemptKey,
  DUE_ACCOUNT_TASK,
  DUE_ERASURE,
  dueAccountTaskKey,
  dueErasureKey,
  dueKey,
  duePartition,
  dueTaskKey,
  sweepCheckpointKey,
} from "./items.ts";

/** An attempt to make at `dueAt`. */
export interface DueAttempt extends AttemptKey {
  readonly tenant: TenantId;
  readonly dueAt: Millis;
  /** The trace id of the request that caused the delivery. */
  readonly traceId?: string;
}

/** A task of an endpoint, such as a probe, to send to the queue at `dueAt`. `body` is the queue message's body. */
export interface DueTask {
  readonly tenant: TenantId;
  readonly endpointId: string;
  readonly body: string;
  readonly dueAt: Millis;
}

/** A task of an account that became a dead letter, to send to its queue again at `dueAt`. `body` is the message's body. */
export interface DueAccountTask {
  readonly tenant: TenantId;
  readonly body: string;
  readonly dueAt: Millis;
}

/** An erasure to continue at `dueAt`. */
export interface DueErasure {
  readonly tenant: TenantId;
  readonly erasureId: string;
  /** The id of the start that its message was sent before. */
  readonly op?: string;
  readonly dueAt: Millis;
  /** The trace id of the request that started it. */
  readonly traceId?: string;
}

/** Work of a kind that a later release knows. */
export interface LaterDueItem {
  readonly dueAt: Millis;
  /** The row as it is stored. */
  readonly row: Key & Readonly<Record<string, unknown>>;
}

export type DueItem =
  | ({ readonly kind: "later" } & LaterDueItem)
  | ({ readonly kind: "attempt" } & DueAttempt)
  | ({ readonly kind: "task" } & DueTask)
  | ({ readonly kind: "account_task" } & DueAccountTask)
  | ({ readonly kind: "erasure" } & DueErasure);

export type DueAttempts = ReturnType<typeof dueStore>;

/** What is due later than a queue can delay it. Nothing is deleted here: what is outdated is dropped. */
export function dueStore(table: Table) {
  return {
    /** Safe to repeat: the key follows from the attempt. */
    async put(due: DueAttempt): Promise<void> {
      const item = {
        ...dueKey(due.dueAt, due.endpointId, due.eventUlid, due.attempt),
        [A.tenant]: due.tenant,
        [A.traceId]: due.traceId,
        // As long as its event may be delivered: a sweep may be days late.
        [A.ttl]: timeToLive(due.dueAt + RETENTION),
      };
      await sendWrite(table, assign(item));
    },

    /** Safe to repeat: the key follows from the task. */
    async putTask({ tenant, endpointId, body, dueAt }: DueTask): Promise<void> {
      const item = {
        ...dueTaskKey(dueAt, endpointId, body),
        [A.tenant]: tenant,
        [A.taskBody]: body,
        [A.ttl]: timeToLive(dueAt + RETENTION),
      };
      await sendWrite(table, assign(item));
    },

    /** Safe to repeat: the key follows from the task. */
    async putAccountTask({ tenant, body, dueAt }: DueAccountTask): Promise<void> {
      const item = {
        ...dueAccountTaskKey(dueAt, body),
        [A.tenant]: tenant,
        [A.taskBody]: body,
        [A.ttl]: timeToLive(dueAt + RETENTION),
      };
      await sendWrite(table, assign(item));
    },

    /** Safe to repeat: the key follows from the erasure. */
    async putErasure({ tenant, erasureId, op, dueAt, traceId }: DueErasure): Promise<void> {
      const item = {
        ...dueErasureKey(dueAt, erasureId),
        [A.tenant]: tenant,
        [A.op]: op,
        [A.traceId]: traceId,
        [A.ttl]: timeToLive(dueAt + RETENTION),
      };
      await sendWrite(table, assign(item));
    },

    /** Makes work of a kind that this release does not know due later, as it is. Safe to repeat. */
    async defer({ row }: LaterDueItem, dueAt: Millis): Promise<void> {
      await sendWrite(table, put({ ...row, ...keyAt(row, dueAt) }));
    },

    /** The items due in (after, upTo], in order. @param after a checkpoint or an instant */
    async *between(after: DueCursor | Millis, upTo: Millis): AsyncGenerator<DuePage<DueItem>> {
      const cursor = typeof after === "number" ? cursorAfter(after) : after;
      for await (const page of duePages<StoredDueItem>(table, duePartition, cursor, upTo)) {
        yield { ...page, items: page.items.flatMap(toDueItems) };
      }
    },

    ...sweepCheckpoint(table, sweepCheckpointKey),
  };
}

/** The key of a due row at another time: only the time and the hour change. */
function keyAt({ PK, SK }: Key, dueAt: Millis): Key {
  const shard = Number(PK.slice(PK.lastIndexOf("#") + 1));
  return { PK: duePartition(dueAt, shard), SK: `${t13(dueAt)}${SK.slice(SK.indexOf("#"))}` };
}

interface StoredDueItem extends Key {
  readonly [A.tenant]: string;
  readonly [A.traceId]?: string;
  /** Erasures only. */
  readonly [A.op]?: string;
  /** Tasks only. */
  readonly [A.taskBody]?: string;
}

function toDueItems(item: StoredDueItem): DueItem[] {
  const [at = "", endpointId = "", eventUlid = "", attempt = ""] = item.SK.split("#");
  const tenant = parseTenant(item[A.tenant]);
  if (!tenant) return [];
  const { [A.op]: op, [A.taskBody]: body, [A.traceId]: traceId } = item;
  const dueAt = Number(at);
  if (!isUlid(endpointId) && endpointId !== DUE_ERASURE && endpointId !== DUE_ACCOUNT_TASK) {
    return [{ kind: "later", dueAt, row: { ...item } }];
  }
  if (endpointId === DUE_ERASURE) {
    return [{ kind: "erasure", tenant, erasureId: eventUlid, dueAt, ...(op ? { op } : {}), ...traceField(traceId) }];
  }
  if (endpointId === DUE_ACCOUNT_TASK) return body === undefined ? [] : [{ kind: "account_task", tenant, body, dueAt }];
  if (body !== undefined) return [{ kind: "task", tenant, endpointId, body, dueAt }];
  const due = { kind: "attempt", tenant, endpointId, eventUlid, attempt: Number(attempt), dueAt } as const;
  return [{ ...due, ...traceField(traceId) }];
}
