import { shortHash } from "#base/kernel/bytes.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { HOUR, type Millis } from "#base/kernel/time.ts";
import { DUE_SHARDS, type Key, t13 } from "#base/table/keys.ts";

/** From a conversation to an event with a stored body. `changeName` names the change, which is published once. */
export function eventRefKey(conversationId: string, changeName: string): Key {
  return { PK: conversationId, SK: `E#${shortHash(changeName)}` };
}

/** The body of an event without a message. */
export function eventBodyKey(tenant: TenantId, eventUlid: string): Key {
  return { PK: `E#${tenant}#${eventUlid}`, SK: "B" };
}

export function deliveryPartition(tenant: TenantId, endpointId: string): string {
  return `D#${tenant}#${endpointId}#0`;
}

export function deliveryKey(tenant: TenantId, endpointId: string, eventUlid: string): Key {
  return { PK: deliveryPartition(tenant, endpointId), SK: eventUlid };
}

/** The attempts that a slow endpoint has in flight. */
export function concurrencySlotsKey(tenant: TenantId, endpointId: string): Key {
  return { PK: `W#${tenant}#${endpointId}`, SK: "W" };
}

/** An endpoint's partition in the index of undelivered events. */
export function undeliveredPartition(tenant: TenantId, endpointId: string): string {
  return `${tenant}#${endpointId}`;
}

/** Due items are in hourly partitions, sorted by the instant when they are due. */
export function duePartition(dueAt: Millis, shard: number): string {
  return `Q#${Math.floor(dueAt / HOUR)}#${shard}`;
}

export function dueShard(endpointId: string, eventUlid: string): number {
  const last = shortHash(`${endpointId}#${eventUlid}`).charCodeAt(0);
  return last % DUE_SHARDS;
}

export function dueKey(dueAt: Millis, endpointId: string, eventUlid: string, attempt: number): Key {
  return {
    PK: duePartition(dueAt, dueShard(endpointId, eventUlid)),
    SK: `${t13(dueAt)}#${endpointId}#${eventUlid}#${attempt}`,
  };
}

/** @param body the body of the task's queue message */
export function dueTaskKey(dueAt: Millis, endpointId: string, body: string): Key {
  const taskHash = shortHash(body);
  return { PK: duePartition(dueAt, dueShard(endpointId, taskHash)), SK: `${t13(dueAt)}#${endpointId}#${taskHash}` };
}

/** The second part of a due erasure's sort key, where attempts and tasks have their endpoint. */
export const DUE_ERASURE = "ER";

/** @param erasureId the hash of the conversation's id */
export function dueErasureKey(dueAt: Millis, erasureId: string): Key {
  return {
    PK: duePartition(dueAt, dueShard(DUE_ERASURE, erasureId)),
    SK: `${t13(dueAt)}#${DUE_ERASURE}#${erasureId}`,
  };
}

/** The second part of the sort key of a due task of an account. */
export const DUE_ACCOUNT_TASK = "AC";

/** @param body the body of the task's queue message */
export function dueAccountTaskKey(dueAt: Millis, body: string): Key {
  return dueTaskKey(dueAt, DUE_ACCOUNT_TASK, body);
}

/** The checkpoint of the sweep of due attempts, tasks and erasures. */
export const sweepCheckpointKey: Key = { PK: "Q", SK: "SWEPT" };

/** Where the daily scan of waiting deliveries stopped. */
export const deliveryScanCheckpointKey: Key = { PK: "QD", SK: "SWEPT" };
