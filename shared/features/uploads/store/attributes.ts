import { ttl } from "#base/table/attributes.ts";

export const uploadAttributes = {
  ...ttl,
  attachmentId: "m",
  contentType: "ty",
  conversationId: "c",
  copyKey: "h",
  error: "er",
  filename: "fn",
  processingAt: "pa",
  size: "b",
  status: "st",
  test: "z",
  tries: "n",
  type: "k",
} as const;
