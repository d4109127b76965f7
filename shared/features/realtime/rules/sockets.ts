import type { Millis } from "#base/kernel/time.ts";
import type { Grant } from "./grants.ts";

/** An open WebSocket connection of a tenant. */
export interface Socket {
  /** The gateway's id of the connection. */
  readonly connectionId: string;
  readonly grant: Grant;
  readonly connectedAt: Millis;
  /** When the gateway ends the connection at the latest. */
  readonly expiresAt: Millis;
}

/** Whether a tenant may have sockets. @param known `socketsUntil`: as its endpoints or one of its accounts say; null for none */
export function hasSockets({ socketsUntil }: { readonly socketsUntil: Millis | null }, now: Millis): boolean {
  return socketsUntil !== null && socketsUntil > now;
}
