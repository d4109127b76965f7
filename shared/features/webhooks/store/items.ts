import { type EventType, eventTypeLetters, eventTypes } from "#base/events/events.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { MINUTE, type Millis } from "#base/kernel/time.ts";
import { type Expression, isOneOf } from "#base/table/expressions.ts";
import type { Key } from "#base/table/keys.ts";
import type { Breaker } from "#features/delivery/rules/breaker.ts";
import type { AttemptError } from "#features/delivery/rules/deliveries.ts";
import {
  type Endpoint,
  type EndpointStatus,
  type EndpointTrigger,
  endpointStatusesBefore,
} from "../rules/endpoints.ts";
import { endpointAttributes as A } from "./attributes.ts";

export function endpointKey(tenant: TenantId, endpointId: string): Key {
  return { PK: `T#${tenant}`, SK: `WH#${endpointId}` };
}

/** The number of a tenant's endpoints, without deleted ones. */
export function endpointCountKey(tenant: TenantId): Key {
  return { PK: `T#${tenant}`, SK: "ENDPOINTS" };
}

/** A tenant's DNS lookups in a minute. */
export function dnsQuotaKey(tenant: TenantId, now: Millis): Key {
  return { PK: `LU#${tenant}`, SK: String(Math.floor(now / MINUTE)) };
}

/** An endpoint stores its event types as letters: every event's worker reads them, and pays for their bytes. */
export function toEventLetters(events: readonly EventType[]): string {
  return events.map((type) => eventTypeLetters[type]).join("");
}

function parseEventLetters(text: string): Pick<Endpoint, "events" | "laterEvents"> {
  const types = [...text].map((letter) => eventTypes.find((type) => eventTypeLetters[type] === letter) ?? letter);
  const isEventType = (type: EventType | string): type is EventType => type in eventTypeLetters;
  const laterEvents = types.filter((type) => !isEventType(type)).join("");
  return { events: types.filter(isEventType), ...(laterEvents === "" ? {} : { laterEvents }) };
}

/** The endpoint has a status from which the trigger may change it. */
export function statusAllows(trigger: EndpointTrigger): Expression {
  return isOneOf(A.status, endpointStatusesBefore(trigger));
}

/** The endpoint exists and is not deleted. */
export const isNotDeleted = statusAllows("delete");

/** The breaker's attributes. They are on the endpoint's own item, so that every reader of the endpoint has them. */
interface BreakerFields {
  readonly [A.failures]?: number;
  readonly [A.openedAt]?: Millis;
  readonly [A.openUntil]?: Millis;
  readonly [A.wait]?: Millis;
  readonly [A.closedBy]?: Millis;
  readonly [A.failingSince]?: Millis;
  readonly [A.failedSince]?: number;
  readonly [A.lastError]?: AttemptError;
  readonly [A.warnedAt]?: Millis;
  readonly [A.slowUntil]?: Millis;
}

/** The record of an endpoint's failures, without the state of its circuit. */
export const failureAttributes = [
  A.failures,
  A.failingSince,
  A.failedSince,
  A.lastError,
  A.warnedAt,
  A.slowUntil,
] as const satisfies readonly (keyof BreakerFields)[];

/** Undefined where there is nothing to store. */
export function breakerFields(breaker: Breaker): {
  readonly [name in keyof BreakerFields]: BreakerFields[name] | undefined;
} {
  return {
    [A.failures]: breaker.failures || undefined,
    [A.openedAt]: breaker.openedAt ?? undefined,
    [A.openUntil]: breaker.openUntil ?? undefined,
    [A.wait]: breaker.wait ?? undefined,
    [A.closedBy]: breaker.closedBy ?? undefined,
    [A.failingSince]: breaker.failingSince ?? undefined,
    [A.failedSince]: breaker.failedSince || undefined,
    [A.lastError]: breaker.lastError ?? undefined,
    [A.warnedAt]: breaker.warnedAt ?? undefined,
    [A.slowUntil]: breaker.slowUntil ?? undefined,
  };
}

function toBreaker(item: BreakerFields): Breaker {
  const { [A.openUntil]: openUntil = null, [A.wait]: wait = null } = item;
  return {
    failures: item[A.failures] ?? 0,
    // An earlier release stored no such time: the last probe, or the opening, was one wait before the next probe.
    openedAt: openUntil === null ? null : (item[A.openedAt] ?? openUntil - (wait ?? 0)),
    openUntil,
    wait,
    closedBy: item[A.closedBy] ?? null,
    failingSince: item[A.failingSince] ?? null,
    failedSince: item[A.failedSince] ?? 0,
    // An earlier release removes the rest of the record after a success.
    lastError: item[A.failingSince] === undefined ? null : (item[A.lastError] ?? null),
    warnedAt: item[A.warnedAt] ?? null,
    slowUntil: item[A.slowUntil] ?? null,
  };
}

/** An endpoint as stored. */
export interface EndpointItem extends Key, BreakerFields {
  readonly [A.url]: string;
  readonly [A.events]: string;
  readonly [A.status]: EndpointStatus;
  readonly [A.secretPrefix]: string;
  readonly [A.sealedSecret]?: Uint8Array;
  readonly [A.secondarySecret]?: Uint8Array;
  readonly [A.secondaryExpiresAt]?: Millis;
  readonly [A.pausedBy]?: string;
  readonly [A.pausedEvent]?: string;
  readonly [A.breakerOp]?: string;
  readonly [A.createdAt]: Millis;
  readonly [A.updatedAt]: Millis;
}

export function toEndpointItem(tenant: TenantId, endpoint: Endpoint) {
  return {
    ...endpointKey(tenant, endpoint.id),
    [A.url]: endpoint.url,
    [A.events]: toEventLetters(endpoint.events),
    [A.status]: endpoint.status,
    [A.secretPrefix]: endpoint.secretPrefix,
    [A.sealedSecret]: endpoint.sealedSecret ?? undefined,
    [A.secondarySecret]: endpoint.secondary?.sealedSecret,
    [A.secondaryExpiresAt]: endpoint.secondary?.expiresAt,
    [A.pausedBy]: endpoint.pausedBy ?? undefined,
    [A.pausedEvent]: endpoint.pausedEvent ?? undefined,
    [A.createdAt]: endpoint.createdAt,
    [A.updatedAt]: endpoint.updatedAt,
  };
}

export function toEndpoint(item: EndpointItem): Endpoint {
  const { [A.secondarySecret]: secondarySecret, [A.secondaryExpiresAt]: secondaryExpiresAt } = item;
  return {
    id: item.SK.slice("WH#".length),
    url: item[A.url],
    ...parseEventLetters(item[A.events]),
    status: item[A.status],
    secretPrefix: item[A.secretPrefix],
    sealedSecret: item[A.sealedSecret] ?? null,
    secondary:
      secondarySecret && secondaryExpiresAt !== undefined
        ? { sealedSecret: secondarySecret, expiresAt: secondaryExpiresAt }
        : null,
    pausedBy: item[A.status] === "paused" ? (item[A.pausedBy] ?? null) : null,
    pausedEvent: item[A.pausedEvent] ?? null,
    breaker: toBreaker(item),
    breakerOp: item[A.breakerOp] ?? null,
    createdAt: item[A.createdAt],
    updatedAt: item[A.updatedAt],
  };
}
