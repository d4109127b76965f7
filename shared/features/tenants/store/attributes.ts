export const tenantStateAttributes = { lastErasureAt: "er", shards: "n" } as const;
