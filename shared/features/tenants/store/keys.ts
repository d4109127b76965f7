import type { TenantId } from "#base/kernel/tenant.ts";
import type { Key } from "#base/table/keys.ts";

/** A tenant's state for workers: the shards of its feeds, and its last erasure. */
export function tenantStateKey(tenant: TenantId): Key {
  return { PK: `T#${tenant}`, SK: "STATE" };
}

/**
 * The partitions that belong to a tenant as a whole, and the beginnings of those that belong to it. Rows of a tenant in
 * other partitions are found by their sort key or an attribute.
 */
export function tenantPartitions(tenant: TenantId): { readonly whole: string[]; readonly starts: string[] } {
  return {
    whole: ["A", "LU", "RQ", "S", "T", "WC"].map((kind) => `${kind}#${tenant}`),
    starts: ["AT", "B", "CONV", "D", "E", "IK", "N", "W"].map((kind) => `${kind}#${tenant}#`),
  };
}
