import { table } from "#base/config/names.ts";
import { ttl } from "#base/table/attributes.ts";

export const eventBodyAttributes = { ...ttl, body: "b", type: "ty" } as const;

export const eventRefAttributes = { ...ttl, changedAt: "at", eventUlid: "e" } as const;

export const deliveryAttributes = {
  ...ttl,
  undeliveredIndex: table.failingIndex.partitionKey,
  attempts: "a",
  conversationId: "c",
  countedElsewhere: "k",
  eventType: "ty",
  lastDurationMs: "ld",
  lastError: "le",
  lastResponseStatus: "lr",
  leaseUntil: "lu",
  nextAttemptAt: "na",
  op: "o",
  position: "p",
  response: "re",
  settledAttempts: "n",
  status: "st",
  test: "z",
  traceId: "tr",
  updatedAt: "ua",
} as const;

/** Each slot has an attribute of its own: `p0`, `p1`, … */
export const slotsAttributes = { ...ttl } as const;
