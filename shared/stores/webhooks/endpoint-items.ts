import type { Breaker } from "../../domain/delivery/breaker.ts";
import { type EventType, eventTypes } from "../../domain/events/events.ts";
import {
  type Endpoint,
  type EndpointStatus,
  type EndpointTrigger,
  endpointStatusesBefore,
} from "../../domain/webhooks/endpoints.ts";
import type { TenantId } from "../../kernel/tenant.ts";
import type { Millis } from "../../kernel/time.ts";
import { endpointKey, type Key } from "../keys.ts";

/** How an event type is written on an endpoint: its whole list in a few bytes, which every event's worker reads. */
const eventTypeLetters = {
  "message.received": "r",
  "message.sent": "s",
  "message.failed": "f",
  "message.deleted": "d",
  "message.edited": "e",
  "message.reaction": "l",
  "account.connected": "C",
  "account.reconnected": "R",
  "account.disconnected": "D",
  "account.needs_reauth": "N",
  "account.restricted": "S",
  "account.recovered": "V",
  "webhook.paused": "p",
  "test.event": "t",
} as const satisfies Record<EventType, string>;

export function toEventLetters(events: readonly EventType[]): string {
  return events.map((type) => eventTypeLetters[type]).join("");
}

function parseEventLetters(text: string): EventType[] {
  return [...text].flatMap((letter) => eventTypes.find((type) => eventTypeLetters[type] === letter) ?? []);
}

/** The condition that an endpoint has a status from which the trigger may change it. */
export function statusAllows(trigger: EndpointTrigger) {
  const statuses = endpointStatusesBefore(trigger);
  return {
    condition: `st IN (${statuses.map((status) => `:${status}`).join(", ")})`,
    values: Object.fromEntries(statuses.map((status) => [`:${status}`, status])),
  };
}

/** The condition that an endpoint exists and is not deleted. */
export const notDeleted = statusAllows("delete");

/** What the last attempts say of an endpoint, on its own item: whoever reads the endpoint has it. */
interface BreakerFields {
  readonly bf?: number;
  readonly bu?: Millis;
  readonly bw?: Millis;
  readonly bc?: Millis;
  readonly fs?: Millis;
  readonly fa?: number;
  readonly fw?: Millis;
  readonly sl?: Millis;
}

/** What an endpoint's failures say, but for that it is left alone. */
export const failureFields = ["bf", "fs", "fa", "fw", "sl"] as const satisfies readonly (keyof BreakerFields)[];

/** Undefined where there is nothing to keep. */
export function breakerFields(breaker: Breaker): { readonly [name in keyof BreakerFields]: number | undefined } {
  return {
    bf: breaker.failures || undefined,
    bu: breaker.openUntil ?? undefined,
    bw: breaker.wait ?? undefined,
    bc: breaker.closedBy ?? undefined,
    fs: breaker.failingSince ?? undefined,
    fa: breaker.failedSince || undefined,
    fw: breaker.warnedAt ?? undefined,
    sl: breaker.slowUntil ?? undefined,
  };
}

function toBreaker(item: BreakerFields): Breaker {
  return {
    failures: item.bf ?? 0,
    openUntil: item.bu ?? null,
    wait: item.bw ?? null,
    closedBy: item.bc ?? null,
    failingSince: item.fs ?? null,
    failedSince: item.fa ?? 0,
    warnedAt: item.fw ?? null,
    slowUntil: item.sl ?? null,
  };
}

/** An endpoint as it lies in the table. */
export interface EndpointItem extends Key, BreakerFields {
  readonly u: string;
  readonly ev: string;
  readonly st: EndpointStatus;
  readonly sp: string;
  readonly s1?: Uint8Array;
  readonly s2?: Uint8Array;
  readonly s2x?: Millis;
  readonly pe?: string;
  readonly bo?: string;
  readonly ca: Millis;
  readonly ua: Millis;
}

export function toEndpointItem(tenant: TenantId, endpoint: Endpoint) {
  return {
    ...endpointKey(tenant, endpoint.id),
    u: endpoint.url,
    ev: toEventLetters(endpoint.events),
    st: endpoint.status,
    sp: endpoint.secretPrefix,
    s1: endpoint.sealedSecret ?? undefined,
    s2: endpoint.secondary?.sealedSecret,
    s2x: endpoint.secondary?.expiresAt,
    pe: endpoint.pausedEvent ?? undefined,
    ca: endpoint.createdAt,
    ua: endpoint.updatedAt,
  };
}

export function toEndpoint(item: EndpointItem): Endpoint {
  return {
    id: item.SK.slice("WH#".length),
    url: item.u,
    events: parseEventLetters(item.ev),
    status: item.st,
    secretPrefix: item.sp,
    sealedSecret: item.s1 ?? null,
    secondary: item.s2 && item.s2x !== undefined ? { sealedSecret: item.s2, expiresAt: item.s2x } : null,
    pausedEvent: item.pe ?? null,
    breaker: toBreaker(item),
    breakerOp: item.bo ?? null,
    createdAt: item.ca,
    updatedAt: item.ua,
  };
}
