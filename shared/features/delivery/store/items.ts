import type { EventType, RenderedEvent } from "#base/events/events.ts";
import type { AttemptOutcome } from "#base/kernel/attempt-outcome.ts";
import { shortHash } from "#base/kernel/bytes.ts";
import { ulidTime } from "#base/kernel/ids.ts";
import { RETENTION } from "#base/kernel/limits.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { HOUR, type Millis } from "#base/kernel/time.ts";
import { traceField } from "#base/kernel/trace.ts";
import { allOf, type Expression, isAbsent, isOneOf, isPresent } from "#base/table/expressions.ts";
import { DUE_SHARDS, type Key, t13, timeToLive } from "#base/table/keys.ts";
import type { EventSource } from "#features/inbox/rules/messages.ts";
import { type PastAttempt, toPastAttempt, withAttempt } from "../rules/attempt-history.ts";
import {
  type AttemptError,
  attemptError,
  type Delivery,
  type DeliveryStatus,
  type DeliveryTrigger,
  deliveryStatusesBefore,
  type InitialStatus,
  type Verdict,
} from "../rules/deliveries.ts";
import { decodeAttempts, encodeAttempts } from "./attempt-history.ts";
import { deliveryAttributes, eventBodyAttributes } from "./attributes.ts";

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

/** A delivery and the source of its event's body. */
export interface DeliveryRow extends Delivery {
  readonly source: EventSource;
  /** The event belongs to a test key's send. */
  readonly test?: boolean;
  /** The creation of another row of the event, or a claim, counts the event's message. */
  readonly isCountedElsewhere?: boolean;
  /** The trace of the request that caused the delivery, or its last replay. Probes and drains continue it. */
  readonly traceId?: string;
  /** The id of the last claim or replay. Settling an attempt requires the claim's id. */
  readonly op: string | null;
  /** The last ten that have ended, newest first. */
  readonly attempts: readonly PastAttempt[];
  /** The beginning of the newest attempt's response. */
  readonly response: string | null;
}

/** One attempt of a delivery. */
export interface AttemptKey {
  readonly endpointId: string;
  readonly eventUlid: string;
  /** From 1. */
  readonly attempt: number;
}

/** An attempt to claim. */
export interface ClaimKey extends AttemptKey {
  /** The id of an earlier claim of it that was not given back, and by which no worker called the endpoint. */
  readonly unreleasedClaim?: string;
}

/** What an attempt's end writes to the delivery's row. */
export interface AttemptRecord<V extends InitialStatus = Verdict> {
  readonly verdict: V;
  /** Null when the endpoint was not called. */
  readonly outcome: AttemptOutcome | null;
  /** The attempt's worker died: no process saw its outcome. */
  readonly abandoned?: boolean;
  readonly settledAt: Millis;
}

/** One event for one endpoint. */
export interface NewDelivery {
  readonly endpointId: string;
  readonly eventUlid: string;
  readonly eventType: EventType;
  readonly source: EventSource;
  /** The event belongs to a test key's send. */
  readonly test?: boolean;
  /** The creation of another row of the event, or a claim, counts the event's message. */
  readonly isCountedElsewhere?: boolean;
  /** The trace of the request that caused the delivery. */
  readonly traceId?: string;
}

/** A delivery as stored. */
export interface DeliveryItem extends Key {
  readonly [deliveryAttributes.eventType]: EventType;
  readonly [deliveryAttributes.conversationId]?: string;
  readonly [deliveryAttributes.position]?: string;
  readonly [deliveryAttributes.test]?: true;
  readonly [deliveryAttributes.countedElsewhere]?: true;
  readonly [deliveryAttributes.traceId]?: string;
  readonly [deliveryAttributes.status]: Exclude<DeliveryStatus, "attempting">;
  readonly [deliveryAttributes.settledAttempts]: number;
  readonly [deliveryAttributes.nextAttemptAt]?: Millis;
  /** Present while an attempt is in progress. The stored status does not change then, so that a claim costs no index write. */
  readonly [deliveryAttributes.leaseUntil]?: Millis;
  readonly [deliveryAttributes.lastResponseStatus]?: number;
  readonly [deliveryAttributes.lastError]?: AttemptError;
  readonly [deliveryAttributes.lastDurationMs]?: number;
  readonly [deliveryAttributes.response]?: string;
  /** Absent on a row whose only attempt is described by its last fields, because it is delivered. */
  readonly [deliveryAttributes.attempts]?: string;
  readonly [deliveryAttributes.op]?: string;
  readonly [deliveryAttributes.updatedAt]: Millis;
}

/** What a row stores of its event. */
export function eventFields({ eventType, source, test, isCountedElsewhere, traceId }: NewDelivery) {
  return {
    [deliveryAttributes.eventType]: eventType,
    [deliveryAttributes.conversationId]: source?.conversationId,
    [deliveryAttributes.position]: source?.position,
    [deliveryAttributes.test]: test ? true : undefined,
    // Most events have one endpoint, so the rows that do not count have the mark.
    [deliveryAttributes.countedElsewhere]: isCountedElsewhere ? true : undefined,
    [deliveryAttributes.traceId]: traceId,
  };
}

/** What an attempt leaves on the row: the response's status and beginning, the error's class and the duration. */
export function outcomeFields(outcome: AttemptOutcome | null) {
  return {
    [deliveryAttributes.lastResponseStatus]: outcome?.kind === "answered" ? outcome.status : undefined,
    [deliveryAttributes.lastError]: outcome ? (attemptError(outcome) ?? undefined) : undefined,
    [deliveryAttributes.lastDurationMs]: outcome && outcome.kind !== "refused_by_gate" ? outcome.durationMs : undefined,
    [deliveryAttributes.response]: outcome?.kind === "answered" ? outcome.response : undefined,
  };
}

/**
 * The attempts of a row after the end of its claim; of a new row, after its first attempt. A row that is delivered at once
 * stores none: its last fields say the same, and no later write changes them.
 */
export function attemptFields(
  row: Pick<DeliveryRow, "attempt" | "attempts" | "updatedAt"> | null,
  { verdict, outcome, abandoned = false, settledAt }: AttemptRecord<InitialStatus>,
) {
  if (!row && verdict.status === "delivered") return {};
  const { attempt, attempts, updatedAt: claimedAt } = row ?? { attempt: 1, attempts: [], updatedAt: settledAt };
  const lost = { attempt, at: claimedAt, status: null, error: null, durationMs: null };
  const newest = outcome ? toPastAttempt(attempt, outcome, settledAt) : abandoned ? lost : null;
  return newest ? { [deliveryAttributes.attempts]: encodeAttempts(withAttempt(attempts, newest)) } : {};
}

/** A row's entry in the index of undelivered events; a delivered row has none. */
export function failingIndex(tenant: TenantId, endpointId: string, status: DeliveryStatus) {
  return {
    [deliveryAttributes.undeliveredIndex]:
      status === "delivered" ? undefined : undeliveredPartition(tenant, endpointId),
  };
}

export function toDeliveryRow(item: DeliveryItem): DeliveryRow {
  const { [deliveryAttributes.leaseUntil]: leaseUntil = null, [deliveryAttributes.settledAttempts]: settledAttempts } =
    item;
  const { [deliveryAttributes.conversationId]: conversationId, [deliveryAttributes.position]: position } = item;
  const isClaimed = leaseUntil !== null;
  return {
    endpointId: item.PK.split("#")[2] ?? "",
    eventUlid: item.SK,
    eventType: item[deliveryAttributes.eventType],
    source: conversationId && position ? { conversationId, position } : null,
    status: isClaimed ? "attempting" : item[deliveryAttributes.status],
    attempt: isClaimed ? settledAttempts + 1 : settledAttempts,
    nextRetryAt: isClaimed ? null : (item[deliveryAttributes.nextAttemptAt] ?? null),
    leaseUntil,
    lastResponseStatus: item[deliveryAttributes.lastResponseStatus] ?? null,
    lastError: item[deliveryAttributes.lastError] ?? null,
    lastDurationMs: item[deliveryAttributes.lastDurationMs] ?? null,
    createdAt: ulidTime(item.SK),
    updatedAt: item[deliveryAttributes.updatedAt],
    op: item[deliveryAttributes.op] ?? null,
    attempts: pastAttempts(item, isClaimed),
    response: item[deliveryAttributes.response] ?? null,
    ...(item[deliveryAttributes.test] ? { test: true } : {}),
    ...(item[deliveryAttributes.countedElsewhere] ? { isCountedElsewhere: true } : {}),
    ...traceField(item[deliveryAttributes.traceId]),
  };
}

/** A claim changes the time of the last update, so a row without a history that is claimed no longer says when its attempt was. */
function pastAttempts(item: DeliveryItem, isClaimed: boolean): PastAttempt[] {
  const {
    [deliveryAttributes.attempts]: history,
    [deliveryAttributes.lastResponseStatus]: status = null,
    [deliveryAttributes.lastError]: error = null,
  } = item;
  if (history !== undefined) return decodeAttempts(history);
  if (isClaimed || (status === null && error === null)) return [];
  const durationMs = item[deliveryAttributes.lastDurationMs] ?? null;
  const at = item[deliveryAttributes.updatedAt] - (durationMs ?? 0);
  return [{ attempt: Math.max(1, item[deliveryAttributes.settledAttempts]), at, status, error, durationMs }];
}

/** The row has a status from which the trigger may change it. */
export function allows(trigger: DeliveryTrigger): Expression {
  const statuses = deliveryStatusesBefore(trigger);
  const storedStatuses = statuses.filter((status) => status !== "attempting");
  if (storedStatuses.length === 0) return isPresent(deliveryAttributes.leaseUntil);
  const hasStatus = isOneOf(deliveryAttributes.status, storedStatuses);
  return statuses.includes("attempting") ? hasStatus : allOf(hasStatus, isAbsent(deliveryAttributes.leaseUntil));
}

/** The row of an event's body, for a transaction that stores it with its cause. */
export function eventBodyItem(tenant: TenantId, event: RenderedEvent) {
  return {
    ...eventBodyKey(tenant, event.ulid),
    [eventBodyAttributes.type]: event.type,
    [eventBodyAttributes.body]: event.body,
    [eventBodyAttributes.ttl]: timeToLive(ulidTime(event.ulid) + RETENTION),
  };
}
