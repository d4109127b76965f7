import type { Millis } from "#base/kernel/time.ts";

/**
 * What a socket's access depends on. It ends when the person signs out or is removed, or the key is revoked. A person
 * who is invited again has another grant.
 */
export type Grant =
  | {
      readonly kind: "session";
      readonly userId: string;
      /** The epoch of the session. */
      readonly epoch: number;
      /** When the membership was created. */
      readonly memberSince: Millis;
    }
  | { readonly kind: "tenant_key" | "operator_key"; readonly keyId: string };

/** An open WebSocket connection of a tenant. */
export interface Socket {
  /** The gateway's id of the connection. */
  readonly connectionId: string;
  readonly grant: Grant;
  readonly connectedAt: Millis;
  /** When the gateway ends the connection at the latest. */
  readonly expiresAt: Millis;
  /** Its frame of a message has the conversation, so no second frame follows. Default: a frame for each. */
  readonly includesConversation?: boolean;
}

/** Whether a tenant may have sockets. @param known `socketsUntil`: as its endpoints or one of its accounts say; null for none */
export function hasSockets({ socketsUntil }: { readonly socketsUntil: Millis | null }, now: Millis): boolean {
  return socketsUntil !== null && socketsUntil > now;
}
