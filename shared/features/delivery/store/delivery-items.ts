import type { EventType } from "#base/events/events.ts";
import type { AttemptOutcome } from "#base/kernel/attempt-outcome.ts";
import { ulidTime } from "#base/kernel/ids.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import type { Millis } from "#base/kernel/time.ts";
import { traceField } from "#base/kernel/trace.ts";
import { allOf, type Expression, isAbsent, isOneOf, isPresent } from "#base/table/expressions.ts";
import type { Key } from "#base/table/keys.ts";
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
import { deliveryAttributes as A } from "./attributes.ts";
import { undeliveredPartition } from "./keys.ts";

/** A delivery and the source of its event's body. */
export interface DeliveryRow extends Delivery {
  readonly source: EventSource;
  /** The event belongs to a test key's send. */
  readonly test?: boolean;
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
  /** The trace of the request that caused the delivery. */
  readonly traceId?: string;
}

/** A delivery as stored. */
export interface DeliveryItem extends Key {
  readonly [A.eventType]: EventType;
  readonly [A.conversationId]?: string;
  readonly [A.position]?: string;
  readonly [A.test]?: true;
  readonly [A.traceId]?: string;
  readonly [A.status]: Exclude<DeliveryStatus, "attempting">;
  readonly [A.settledAttempts]: number;
  readonly [A.nextAttemptAt]?: Millis;
  /** Present while an attempt is in progress. The stored status does not change then, so that a claim costs no index write. */
  readonly [A.leaseUntil]?: Millis;
  readonly [A.lastResponseStatus]?: number;
  readonly [A.lastError]?: AttemptError;
  readonly [A.lastDurationMs]?: number;
  readonly [A.response]?: string;
  /** Absent on a row whose only attempt is described by its last fields, because it is delivered. */
  readonly [A.attempts]?: string;
  readonly [A.op]?: string;
  readonly [A.updatedAt]: Millis;
}

/** What a row stores of its event. */
export function eventFields({ eventType, source, test, traceId }: NewDelivery) {
  return {
    [A.eventType]: eventType,
    [A.conversationId]: source?.conversationId,
    [A.position]: source?.position,
    [A.test]: test ? true : undefined,
    [A.traceId]: traceId,
  };
}

/** What an attempt leaves on the row: the response's status and beginning, the error's class and the duration. */
export function outcomeFields(outcome: AttemptOutcome | null) {
  return {
    [A.lastResponseStatus]: outcome?.kind === "answered" ? outcome.status : undefined,
    [A.lastError]: outcome ? (attemptError(outcome) ?? undefined) : undefined,
    [A.lastDurationMs]: outcome && outcome.kind !== "refused_by_gate" ? outcome.durationMs : undefined,
    [A.response]: outcome?.kind === "answered" ? outcome.response : undefined,
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
  return newest ? { [A.attempts]: encodeAttempts(withAttempt(attempts, newest)) } : {};
}

/** A row's entry in the index of undelivered events; a delivered row has none. */
export function failingIndex(tenant: TenantId, endpointId: string, status: DeliveryStatus) {
  return { [A.undeliveredIndex]: status === "delivered" ? undefined : undeliveredPartition(tenant, endpointId) };
}

export function toDeliveryRow(item: DeliveryItem): DeliveryRow {
  const { [A.leaseUntil]: leaseUntil = null, [A.settledAttempts]: settledAttempts } = item;
  const { [A.conversationId]: conversationId, [A.position]: position } = item;
  const isClaimed = leaseUntil !== null;
  return {
    endpointId: item.PK.split("#")[2] ?? "",
    eventUlid: item.SK,
    eventType: item[A.eventType],
    source: conversationId && position ? { conversationId, position } : null,
    status: isClaimed ? "attempting" : item[A.status],
    attempt: isClaimed ? settledAttempts + 1 : settledAttempts,
    nextRetryAt: isClaimed ? null : (item[A.nextAttemptAt] ?? null),
    leaseUntil,
    lastResponseStatus: item[A.lastResponseStatus] ?? null,
    lastError: item[A.lastError] ?? null,
    lastDurationMs: item[A.lastDurationMs] ?? null,
    createdAt: ulidTime(item.SK),
    updatedAt: item[A.updatedAt],
    op: item[A.op] ?? null,
    attempts: pastAttempts(item, isClaimed),
    response: item[A.response] ?? null,
    ...(item[A.test] ? { test: true } : {}),
    ...traceField(item[A.traceId]),
  };
}

/** A claim changes the time of the last update, so a row without a history that is claimed no longer says when its attempt was. */
function pastAttempts(item: DeliveryItem, isClaimed: boolean): PastAttempt[] {
  const { [A.attempts]: history, [A.lastResponseStatus]: status = null, [A.lastError]: error = null } = item;
  if (history !== undefined) return decodeAttempts(history);
  if (isClaimed || (status === null && error === null)) return [];
  const durationMs = item[A.lastDurationMs] ?? null;
  const at = item[A.updatedAt] - (durationMs ?? 0);
  return [{ attempt: Math.max(1, item[A.settledAttempts]), at, status, error, durationMs }];
}

/** The row has a status from which the trigger may change it. */
export function allows(trigger: DeliveryTrigger): Expression {
  const statuses = deliveryStatusesBefore(trigger);
  const storedStatuses = statuses.filter((status) => status !== "attempting");
  if (storedStatuses.length === 0) return isPresent(A.leaseUntil);
  const hasStatus = isOneOf(A.status, storedStatuses);
  return statuses.includes("attempting") ? hasStatus : allOf(hasStatus, isAbsent(A.leaseUntil));
}
