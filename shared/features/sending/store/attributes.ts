import { ttl } from "#base/table/attributes.ts";

export const sendRecordAttributes = {
  ...ttl,
  actorId: "ac",
  contentHash: "c",
  echoAt: "ea",
  failure: "f",
  holdId: "ho",
  messageId: "m",
  messageIdSource: "b",
  replyTo: "r",
  sentVia: "v",
  startedAt: "ca",
  state: "st",
  test: "z",
} as const;

/** Each budget's window has its own two attributes: see `budgetLetters`. */
export const budgetAttributes = {
  ...ttl,
  accountPausedUntil: "cd",
  humanAgentPausedUntil: "hp",
  spentAt: "at",
} as const;

export const dueSendAttributes = { ...ttl, content: "b", conversationId: "c", traceId: "tr" } as const;

export const idempotencyAttributes = { ...ttl, bodyHash: "bh", claimedAt: "ca", result: "an", workId: "w" } as const;

export const attachmentOwnerAttributes = { ...ttl, accountKey: "a", expiresAt: "ex", test: "z" } as const;
