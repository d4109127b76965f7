import type { EventType } from "#base/events/events.ts";
import type { Millis } from "#base/kernel/time.ts";
import type { Breaker } from "#features/delivery/rules/breaker.ts";

export const endpointStatuses = ["active", "paused", "deleted"] as const;
export type EndpointStatus = (typeof endpointStatuses)[number];

/** `auto_pause`: the service pauses it, because its receiver answered 410 or every attempt failed for days. */
export type EndpointTrigger = "create" | "pause" | "resume" | "auto_pause" | "delete";

/** Every change an endpoint's status may go through, and no other: the store's conditions are made from this table. */
export const endpointTransitions: readonly (readonly [EndpointStatus | "none", EndpointTrigger, EndpointStatus])[] = [
  ["none", "create", "active"],
  ["active", "pause", "paused"],
  ["paused", "resume", "active"],
  ["active", "auto_pause", "paused"],
  ["active", "delete", "deleted"],
  ["paused", "delete", "deleted"],
];

/** The statuses from which a trigger may change an endpoint. */
export function endpointStatusesBefore(trigger: EndpointTrigger): EndpointStatus[] {
  return endpointStatuses.filter((status) =>
    endpointTransitions.some(([from, by]) => from === status && by === trigger),
  );
}

/** What a trigger makes of an endpoint that has `status` now; null when it may not. */
export function nextEndpointStatus(status: EndpointStatus | "none", trigger: EndpointTrigger): EndpointStatus | null {
  return endpointTransitions.find(([from, by]) => from === status && by === trigger)?.[2] ?? null;
}

/** The fields a tenant can update. Absent fields do not change. */
export interface EndpointChanges {
  readonly url?: string;
  readonly events?: readonly EventType[];
  readonly status?: "active" | "paused";
}

export interface Endpoint {
  readonly id: string;
  readonly url: string;
  readonly events: readonly EventType[];
  /** The letters of the event types that it subscribed to in a later release. Absent when there are none. */
  readonly laterEvents?: string;
  readonly status: EndpointStatus;
  readonly secretPrefix: string;
  /** The signing secret under KMS; null once the endpoint is deleted. */
  readonly sealedSecret: Uint8Array | null;
  readonly secondary: { readonly sealedSecret: Uint8Array; readonly expiresAt: Millis } | null;
  /**
   * Who paused it, as the audit log names them, or `system`. Null unless it is paused, and for one that an earlier release
   * paused.
   */
  readonly pausedBy: string | null;
  /** The ULID of the `webhook.paused` event of the service's last pause; null when there was none. */
  readonly pausedEvent: string | null;
  readonly breaker: Breaker;
  /** The id of the last write of `breaker`; null when there was none. */
  readonly breakerOp: string | null;
  readonly createdAt: Millis;
  readonly updatedAt: Millis;
}

/** The states of a circuit as the API shows them. `probing`: its probe is due, and its outcome is not stored yet. */
export const circuitStates = ["closed", "open", "probing"] as const;
export type CircuitState = (typeof circuitStates)[number];

export function circuitState({ openUntil }: Breaker, now: Millis): CircuitState {
  if (openUntil === null) return "closed";
  return now < openUntil ? "open" : "probing";
}

/**
 * How an endpoint is, the worst first: `paused`, `circuit_open` (not called but for probes), `failing` (its last attempt
 * failed), `slow` (answers late, so that its attempts wait for a slot), else `ok`.
 */
export const endpointHealthStates = ["ok", "slow", "failing", "circuit_open", "paused"] as const;

interface EndpointHealthView {
  readonly state: (typeof endpointHealthStates)[number];
  /** Since when it is in that state; of a paused one its last update. Null for `ok` and `slow`. */
  readonly since: Millis | null;
  /** When it is called next: the probe of an open circuit. Null in any other state, in which nothing holds it back. */
  readonly nextTryAt: Millis | null;
}

export function endpointHealth(endpoint: Endpoint, now: Millis): EndpointHealthView {
  const { status, updatedAt, breaker } = endpoint;
  if (status !== "active") return { state: "paused", since: updatedAt, nextTryAt: null };
  if (breaker.openUntil !== null) {
    return { state: "circuit_open", since: breaker.openedAt, nextTryAt: breaker.openUntil };
  }
  if (breaker.failingSince !== null) return { state: "failing", since: breaker.failingSince, nextTryAt: null };
  const isSlow = breaker.slowUntil !== null && now < breaker.slowUntil;
  return { state: isSlow ? "slow" : "ok", since: null, nextTryAt: null };
}

/** `whs_` and 32 random bytes in base64. */
export function formatSigningSecret(random: Uint8Array): string {
  return `whs_${Buffer.from(random).toString("base64")}`;
}

export function secretPrefix(secret: string): string {
  return secret.slice(0, 12);
}

/** The requested changes that differ from the endpoint. */
export function effectiveChanges(endpoint: Endpoint, requestedChanges: EndpointChanges): EndpointChanges {
  const { url, events, status } = requestedChanges;
  return {
    ...(url !== undefined && url !== endpoint.url ? { url } : {}),
    ...(events !== undefined && !sameEvents(events, endpoint.events) ? { events } : {}),
    ...(status !== undefined && isStatusChange(endpoint.status, status) ? { status } : {}),
  };
}

function isStatusChange(from: EndpointStatus, to: "active" | "paused"): boolean {
  return nextEndpointStatus(from, to === "active" ? "resume" : "pause") !== null;
}

function sameEvents(a: readonly EventType[], b: readonly EventType[]): boolean {
  return a.length === b.length && a.every((type) => b.includes(type));
}

/** The endpoints that get a delivery of an event, including paused ones, whose deliveries can be replayed later. */
export function subscribedEndpoints(type: EventType, endpoints: readonly Endpoint[]): Endpoint[] {
  return endpoints.filter((endpoint) => endpoint.status !== "deleted" && endpoint.events.includes(type));
}
