import { ttl } from "#base/table/attributes.ts";

export const relatedRefAttributes = { ...ttl, asOf: "at" } as const;

export const erasureAttributes = {
  ...ttl,
  actor: "ac",
  conversationId: "c",
  countedFrom: "fr",
  countedUpTo: "up",
  erasedAt: "ea",
  ip: "ip",
  nextPassAt: "np",
  op: "o",
  phase: "ph",
  refusedOp: "ro",
  removed: "n",
  tenant: "t",
} as const;

export const erasedEventsAttributes = { ...ttl, bodies: "b", marks: "k", ulids: "u" } as const;
