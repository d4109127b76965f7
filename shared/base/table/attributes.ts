import { table } from "../config/names.ts";

// What attributes have in common. Each feature names its own in its `store/attributes.ts`. The stored names are short
// because every byte of a name is billed with every item; one letter may mean different things in different items.
// docs/design/table-keys.md lists what each item holds. Never change a stored name: items with the old one exist.

export const ttl = { ttl: table.timeToLive } as const;

/** The keys of the feed index. */
export const feedIndex = { feed: table.feedIndex.partitionKey, feedPosition: table.feedIndex.sortKey } as const;

export const dueItemAttributes = { ...ttl, op: "o", taskBody: "b", tenant: "t", traceId: "tr" } as const;

export const checkpointAttributes = { cursor: "p" } as const;

/** Items that hold one count. */
export const countAttributes = { ...ttl, count: "n" } as const;
