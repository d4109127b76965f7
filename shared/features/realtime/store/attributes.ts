import { ttl } from "#base/table/attributes.ts";

/** What a socket's access depends on: the actor, and of a person the session's epoch and the start of the membership. */
const grant = { actor: "ac", epoch: "sv", memberSince: "ms" } as const;

export const realtimeTicketAttributes = { ...ttl, ...grant, expiresAt: "ex", tenant: "t" } as const;

export const socketAttributes = {
  ...ttl,
  ...grant,
  connectedAt: "ca",
  endedAt: "ea",
  expiresAt: "ex",
  greetedAt: "gr",
  includesConversation: "ic",
} as const;

/** `frames`: with a number after it, the count of one minute. */
export const socketTenantAttributes = { ...ttl, frames: "f", greetedAt: "gr", pingedAt: "pi", tenant: "t" } as const;

/** The number of a tenant's sockets, and when the last of them ends. */
export const presenceAttributes = { count: "n", op: "o", until: "un" } as const;

export const socketErasureAttributes = { ...ttl, erasedAt: "ea" } as const;
