import type { PlantedFault } from "../../planted-fault.ts";

export const accessFaults: readonly PlantedFault[] = [
  {
    name: "a request in progress of an admin who was removed changes an endpoint",
    file: "shared/features/webhooks/store/endpoints.ts",
    search: `        ...extraItems,
        ...actorCheck(tenant, actor),`,
    replacement: "        ...extraItems,",
    killedBy: {
      file: "test/features/access/flows/team/removal-race.test.ts",
      title: "a request in progress of an owner that %s is refused after the owner was demoted",
    },
  },
  {
    name: "the key of a suspended tenant is accepted",
    file: "shared/features/access/authenticate.ts",
    search: "suspendedTenants.includes(tenant) ?",
    replacement: "suspendedTenants.length > 1 ?",
    killedBy: {
      file: "test/features/access/flows/tenant-status.test.ts",
      title: "suspending a tenant refuses its keys from the next request on, and resuming it accepts them again",
    },
  },
  {
    name: "a key that is created while its tenant is suspended has access",
    file: "shared/features/access/store/api-keys.ts",
    search: "[lookup, ...tenantItems, ...rest]",
    replacement: "[lookup, ...rest]",
    killedBy: {
      file: "test/features/access/store/tenant-status.test.ts",
      title: "a suspended tenant gives its mark to a key that is created later, and only as long as it is suspended",
    },
  },
  {
    name: "a suspension that is overtaken by a resumption marks the keys",
    file: "shared/features/tenants/store/tenant-status.ts",
    search: `check(tenantKey(tenant), equals(A.status, status)),
        ...page.map((hash)`,
    replacement: `check(tenantKey(tenant), itemExists),
        ...page.map((hash)`,
    killedBy: {
      file: "test/features/access/store/tenant-status.test.ts",
      title: "a suspended tenant that is resumed before its keys were marked marks none",
    },
  },
  {
    name: "a repeated suspension leaves the keys that an interrupted one did not mark",
    file: "shared/features/tenants/flows/tenant-status.ts",
    search: `if (result === "not_found") return result;`,
    replacement: `if (result === "not_found") return result;
  if (result === "unchanged") return "completed";`,
    killedBy: {
      file: "test/features/access/flows/tenant-status.test.ts",
      title: "suspending a tenant that crashes at any call, or whose responses are lost, is completed by the next run",
    },
  },
  {
    name: "the list of a tenant's keys may be stale",
    file: "shared/base/table/query-all.ts",
    search: "consistent = true",
    replacement: "consistent = false",
    killedBy: {
      file: "test/base/table/consistent-reads.test.ts",
      title: "the keys of a tenant: one that was created a moment ago would keep its access to a suspended tenant",
    },
  },
  {
    name: "a tenant has more than 50 keys",
    file: "shared/features/access/store/api-keys.ts",
    search: "allOf(itemExists, hasThatStatus, hasRoom)",
    replacement: "allOf(itemExists, hasThatStatus)",
    killedBy: {
      file: "test/features/access/flows/keys.test.ts",
      title: "a tenant's keys get one more when ten requests compete for the last of fifty places",
    },
  },
  {
    name: "a key is revoked twice",
    file: "shared/features/access/store/api-keys.ts",
    search: "[A.op]: op } }, isActive)",
    replacement: "[A.op]: op } }, itemExists)",
    killedBy: {
      file: "test/features/access/flows/key-use.test.ts",
      title: "a revoked key leaves one audit row with its revoker, also when it is revoked again or ten times at once",
    },
  },
  {
    name: "a revoked key that waits for its expiry is listed",
    file: "shared/features/access/flows/key-lists.ts",
    search: "revokedAt + REVOKED_KEY_RETENTION > now",
    replacement: "now > 0",
    killedBy: {
      file: "test/features/access/flows/key-use.test.ts",
      title: "a revoked key is listed for 90 days to the millisecond, and both of its rows expire then",
    },
  },
  {
    name: "a test key revokes a live one",
    file: "shared/features/access/flows/key-lists.ts",
    search: "if (refusal) return refusal;",
    replacement: 'if (refusal && key.status === "revoked") return refusal;',
    killedBy: {
      file: "test/features/access/flows/key-use.test.ts",
      title: "a revoked key is refused to a test key while it is live, and stays active",
    },
  },
  {
    name: "a row of a key in the list may be stale",
    file: "shared/features/access/store/api-keys.ts",
    search: "Key: listKey(owner, keyId), ConsistentRead: true",
    replacement: "Key: listKey(owner, keyId)",
    killedBy: {
      file: "test/base/table/consistent-reads.test.ts",
      title: "a key of the list: one that was created a moment ago could be neither seen nor revoked",
    },
  },
  {
    name: "each request of the first moment of an hour records the use of its key",
    file: "shared/features/access/store/api-keys.ts",
    search: "allOf(isActive, absentOr(atMost, A.lastUsedAt, now - KEY_USE_INTERVAL))",
    replacement: "isActive",
    killedBy: {
      file: "test/features/access/flows/key-use.test.ts",
      title: "the last use of a key is recorded once by requests at once, whichever of them writes first",
    },
  },
  {
    name: "a request that was authenticated before a revocation changes the revoked key",
    file: "shared/features/access/store/api-keys.ts",
    search: "allOf(isActive, absentOr(atMost, A.lastUsedAt, now - KEY_USE_INTERVAL))",
    replacement: "absentOr(atMost, A.lastUsedAt, now - KEY_USE_INTERVAL)",
    killedBy: {
      file: "test/features/access/flows/key-use.test.ts",
      title: "the last use of a key of a revoked key is not recorded by a request that was authenticated before",
    },
  },
];
