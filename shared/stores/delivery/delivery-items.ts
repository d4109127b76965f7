import {
  type AttemptError,
  type AttemptOutcome,
  attemptError,
  type Delivery,
  type DeliveryStatus,
  type DeliveryTrigger,
  deliveryStatusesBefore,
  type InitialStatus,
  type Verdict,
} from "../../domain/delivery/deliveries.ts";
import type { EventType } from "../../domain/events/events.ts";
import type { EventSource } from "../../domain/inbox/messages.ts";
import { ulidTime } from "../../kernel/ids.ts";
import type { TenantId } from "../../kernel/tenant.ts";
import type { Millis } from "../../kernel/time.ts";
import { traceField } from "../../kernel/trace.ts";
import { deliveryAttributes as A } from "../attributes.ts";
import { allOf, type Expression, isAbsent, isOneOf, isPresent } from "../expressions.ts";
import { type Key, undeliveredPartition } from "../keys.ts";

/** A delivery and the source of its event's body. */
export interface DeliveryRow extends Delivery {
  readonly source: EventSource;
  /** The event belongs to a test key's send. */
  readonly test?: boolean;
  /** The trace of the request that caused the delivery, or its last replay. Probes and drains continue it. */
  readonly traceId?: string;
  /** The id of the last claim or replay. Settling an attempt requires the claim's id. */
  readonly op: string | null;
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
  /** The id of an earlier claim of it that was not given back, and by which nobody called the endpoint. */
  readonly unreleasedClaim?: string;
}

/** What an attempt's end writes to the delivery's row. */
export interface AttemptRecord<V extends InitialStatus = Verdict> {
  readonly verdict: V;
  /** Null when the endpoint was not called. */
  readonly outcome: AttemptOutcome | null;
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

/** What an attempt leaves on the row: the response's status, the error's class and the duration. */
export function outcomeFields(outcome: AttemptOutcome | null) {
  return {
    [A.lastResponseStatus]: outcome?.kind === "answered" ? outcome.status : undefined,
    [A.lastError]: outcome ? (attemptError(outcome) ?? undefined) : undefined,
    [A.lastDurationMs]: outcome && outcome.kind !== "refused_by_gate" ? outcome.durationMs : undefined,
  };
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
    ...(item[A.test] ? { test: true } : {}),
    ...traceField(item[A.traceId]),
  };
}

/** The row has a status from which the trigger may change it. */
export function allows(trigger: DeliveryTrigger): Expression {
  const statuses = deliveryStatusesBefore(trigger);
  const storedStatuses = statuses.filter((status) => status !== "attempting");
  if (storedStatuses.length === 0) return isPresent(A.leaseUntil);
  const hasStatus = isOneOf(A.status, storedStatuses);
  return statuses.includes("attempting") ? hasStatus : allOf(hasStatus, isAbsent(A.leaseUntil));
}
