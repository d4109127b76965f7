import {
  type AttemptError,
  type AttemptOutcome,
  attemptError,
  type Delivery,
  type DeliveryStatus,
  type DeliveryTrigger,
  deliveryStatusesBefore,
} from "../../domain/delivery/deliveries.ts";
import type { EventType } from "../../domain/events/events.ts";
import type { EventSource } from "../../domain/inbox/messages.ts";
import { ulidTime } from "../../kernel/ids.ts";
import type { TenantId } from "../../kernel/tenant.ts";
import type { Millis } from "../../kernel/time.ts";
import { type Key, undeliveredPartition } from "../keys.ts";

/** A delivery and where the body of its event comes from. */
export interface DeliveryRow extends Delivery {
  readonly source: EventSource;
  /** Of a test key's send. */
  readonly test?: boolean;
  /** The id of the last claim or replay: what settles an attempt names the claim it settles. */
  readonly op: string | null;
}

/** One event for one endpoint. */
export interface NewDelivery {
  readonly endpointId: string;
  readonly eventUlid: string;
  readonly eventType: EventType;
  readonly source: EventSource;
  /** Of a test key's send. */
  readonly test?: boolean;
}

export interface DeliveryItem extends Key {
  readonly ty: EventType;
  readonly c?: string;
  readonly p?: string;
  readonly z?: true;
  readonly st: Exclude<DeliveryStatus, "attempting">;
  /** Attempts settled. */
  readonly n: number;
  readonly na?: Millis;
  /** While an attempt is under way, which `st` does not say: a claim is to leave the index as it is. */
  readonly lu?: Millis;
  readonly lr?: number;
  readonly le?: AttemptError;
  readonly ld?: number;
  readonly o?: string;
  readonly ua: Millis;
}

/** What a row says of its event, whatever becomes of it. */
export function eventFields(delivery: NewDelivery) {
  const { eventType, source, test } = delivery;
  return { ty: eventType, c: source?.conversationId, p: source?.position, z: test ? true : undefined };
}

/** What an outcome leaves on the row: the last response's status, the error's class, and how long it took. */
export function outcomeFields(outcome: AttemptOutcome | null) {
  return {
    lr: outcome?.kind === "answered" ? outcome.status : undefined,
    le: outcome ? (attemptError(outcome) ?? undefined) : undefined,
    ld: outcome && outcome.kind !== "refused_by_gate" ? outcome.durationMs : undefined,
  };
}

/** A row's place among those that have not come through; none once it is delivered. */
export function failingIndex(tenant: TenantId, endpointId: string, status: DeliveryStatus) {
  return status === "delivered" ? {} : { W: undeliveredPartition(tenant, endpointId) };
}

export function toDeliveryRow(item: DeliveryItem): DeliveryRow {
  const isClaimed = item.lu !== undefined;
  return {
    endpointId: item.PK.split("#")[2] ?? "",
    eventUlid: item.SK,
    eventType: item.ty,
    source: item.c && item.p ? { conversationId: item.c, position: item.p } : null,
    status: isClaimed ? "attempting" : item.st,
    attempt: isClaimed ? item.n + 1 : item.n,
    nextRetryAt: isClaimed ? null : (item.na ?? null),
    leaseUntil: item.lu ?? null,
    lastResponseStatus: item.lr ?? null,
    lastError: item.le ?? null,
    lastDurationMs: item.ld ?? null,
    createdAt: ulidTime(item.SK),
    updatedAt: item.ua,
    op: item.o ?? null,
    ...(item.z ? { test: true } : {}),
  };
}

/** The condition that a row's status is one from which the trigger may change it. */
export function statusCondition(trigger: DeliveryTrigger): { condition: string; values: Record<string, string> } {
  const before = deliveryStatusesBefore(trigger);
  const storedStatuses = before.filter((status) => status !== "attempting");
  if (storedStatuses.length === 0) return { condition: "attribute_exists(lu)", values: {} };
  const values = Object.fromEntries(storedStatuses.map((status) => [`:from_${status}`, status]));
  const inStatuses = `st IN (${Object.keys(values).join(", ")})`;
  return {
    condition: before.includes("attempting") ? inStatuses : `${inStatuses} AND attribute_not_exists(lu)`,
    values,
  };
}
