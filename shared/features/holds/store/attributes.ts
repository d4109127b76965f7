import { feedIndex, ttl } from "#base/table/attributes.ts";

export const checkAttemptAttributes = { ...ttl, attempts: "n", failures: "f" } as const;

export const challengeKeyAttributes = { ...ttl, sealedKey: "k" } as const;

export const holdAttributes = {
  ...ttl,
  ...feedIndex,
  actorId: "ac",
  actorName: "an",
  attachments: "a",
  claimedAt: "cl",
  conversationId: "c",
  createdAt: "ca",
  error: "er",
  expiresAt: "ex",
  fetchedMessageId: "fm",
  platformMessageId: "m",
  replyTo: "r",
  secretHash: "hs",
  sendId: "s",
  status: "st",
  test: "z",
  text: "b",
  traceId: "tr",
} as const;
