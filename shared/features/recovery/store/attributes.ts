import { ttl } from "#base/table/attributes.ts";

export const restoreAttributes = {
  endedAt: "e",
  fetchUntil: "q",
  from: "f",
  journalSince: "j",
  startedAt: "s",
} as const;

export const restoredErasureAttributes = { ...ttl, partlyRead: "pr", upTo: "up" } as const;
