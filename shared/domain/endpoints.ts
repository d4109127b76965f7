import type { Millis } from "../kernel/time.ts";
import type { EventType } from "./events.ts";

export type EndpointStatus = "active" | "paused" | "deleted";

export interface Endpoint {
  readonly id: string;
  readonly url: string;
  readonly events: readonly EventType[];
  readonly status: EndpointStatus;
  readonly secretPrefix: string;
  /** The signing secret under KMS; null once the endpoint is deleted. */
  readonly sealedSecret: Uint8Array | null;
  readonly secondary: { readonly sealedSecret: Uint8Array; readonly expiresAt: Millis } | null;
  readonly createdAt: Millis;
  readonly updatedAt: Millis;
}

/** `whs_` and 32 random bytes in base64; its first 12 characters may be shown. */
export function formatSigningSecret(random: Uint8Array): string {
  return `whs_${Buffer.from(random).toString("base64")}`;
}

export function secretPrefix(secret: string): string {
  return secret.slice(0, 12);
}

/** The endpoints that get a row for an event: paused ones too, so that what came meanwhile can be replayed. */
export function endpointsWanting(type: EventType, endpoints: readonly Endpoint[]): Endpoint[] {
  return endpoints.filter((endpoint) => endpoint.status !== "deleted" && endpoint.events.includes(type));
}
