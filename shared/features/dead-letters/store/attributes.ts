import { ttl } from "#base/table/attributes.ts";

export const quarantineAttributes = {
  ...ttl,
  body: "b",
  bodyBytes: "bs",
  claimedUntil: "cu",
  group: "g",
  messageId: "m",
  op: "o",
  quarantinedAt: "at",
  receives: "n",
  redriveEnd: "re",
  redrivenAt: "ra",
} as const;
