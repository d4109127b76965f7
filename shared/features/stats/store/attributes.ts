import { ttl } from "#base/table/attributes.ts";

/** An hour has a further number for each endpoint and end state: see `endpointCounter`. */
export const hourAttributes = { ...ttl, lastOp: "lo", messages: "m" } as const;

export const countClaimAttributes = { ...ttl, op: "o" } as const;
