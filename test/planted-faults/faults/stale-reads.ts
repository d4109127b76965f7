import type { PlantedFault } from "../planted-fault.ts";

export const staleReadsFaults: readonly PlantedFault[] = [
  {
    name: "an account is cached with a tenant's state that is a minute old already",
    file: "shared/features/inbox/flows/resolve-account.ts",
    search: `    // Not cached with the holders: the state may be a minute old already.
    return { tenant, handle, ...(await readTenantState(tenant, now)) };
  };
}`,
    replacement: `    return { tenant, handle, ...(await readAccountState({ ref, tenant, now }, now)) };
  };

  type Read = { readonly ref: AccountRef; readonly tenant: TenantId; readonly now: Millis };
  function readAccountState(read: Read, now: Millis): Promise<TenantState> {
    states ??= memoizeForMinute((of: Read) => readTenantState(of.tenant, of.now), ({ ref }: Read) => accountKey(ref));
    return states(read, now);
  }
}

let states: ((read: never, now: Millis) => Promise<TenantState>) | undefined;`,
    killedBy: {
      file: "test/features/inbox/flows/stale-reads.test.ts",
      title: "the state of a tenant with several accounts is no older than a minute",
    },
  },
  {
    name: "a missing holder of an account is not read again",
    file: "shared/features/inbox/flows/resolve-account.ts",
    search: "listHolders(ref, { consistent: true }), at)",
    replacement: "listHolders(ref), at)",
    killedBy: {
      file: "test/features/inbox/flows/stale-reads.test.ts",
      title: "the first message of an account is stored and published, even where its route is not visible yet",
    },
  },
  {
    name: "an update is for the tenant that has the account now",
    file: "shared/features/inbox/flows/ingest-updates.ts",
    search: "{ at: Math.min(update.at, receivedAt), now }",
    replacement: "{ at: now, now }",
    killedBy: {
      file: "test/features/inbox/flows/holders.test.ts",
      title: "a webhook that is six days late still belongs to the tenant of its time",
    },
  },
  {
    name: "the times of a tenant that was deleted count",
    file: "shared/features/accounts/store/account-routes.ts",
    search: "until === null || !(await isDeleted(tenant))",
    replacement: "until === null || (await isDeleted(tenant)) !== null",
    killedBy: {
      file: "test/features/inbox/flows/holders.test.ts",
      title: "a message of a tenant that was deleted is no tenant's, also where another tenant has the account now",
    },
  },
  {
    name: "the record of a send may be stale",
    file: "shared/features/sending/store/send-records.ts",
    search: "Key: sendRecordKey(conversationId, sendId), ConsistentRead: true }",
    replacement: "Key: sendRecordKey(conversationId, sendId) }",
    killedBy: {
      file: "test/base/table/consistent-reads.test.ts",
      title: "the record of a send: a repeated key would send again",
    },
  },
  {
    name: "the sends before an echo may be stale",
    file: "shared/features/sending/store/send-records.ts",
    search: `            ConsistentRead: true,
            ExclusiveStartKey: after,`,
    replacement: "            ExclusiveStartKey: after,",
    killedBy: {
      file: "test/base/table/consistent-reads.test.ts",
      title: "the sends before an echo: the message of a send would be stored twice",
    },
  },
  {
    name: "an unsend reads the events of edits stale",
    file: "shared/features/delivery/store/event-bodies.ts",
    search: "batchGet<EventRefItem>(table, keys, { consistent: true })",
    replacement: "batchGet<EventRefItem>(table, keys)",
    killedBy: {
      file: "test/base/table/consistent-reads.test.ts",
      title: "the events of edits: the text of an edit would outlive its unsend",
    },
  },
  {
    name: "the bodies of events may be stale",
    file: "shared/features/delivery/store/event-bodies.ts",
    search: "batchGet<BodyItem>(table, keys, { consistent: true })",
    replacement: "batchGet<BodyItem>(table, keys)",
    killedBy: {
      file: "test/base/table/consistent-reads.test.ts",
      title: "the bodies of events: an event that was published a moment ago would count as erased",
    },
  },
  {
    name: "the row of a delivery may be stale",
    file: "shared/features/delivery/store/deliveries.ts",
    search: "Key: deliveryKey(tenant, endpointId, eventUlid), ConsistentRead: true }",
    replacement: "Key: deliveryKey(tenant, endpointId, eventUlid) }",
    killedBy: {
      file: "test/base/table/consistent-reads.test.ts",
      title: "the row of a delivery: a repeated event would call its receiver again",
    },
  },
  {
    name: "an API key may be stale",
    file: "shared/features/access/store/api-keys.ts",
    search: "Key: apiKeyLookupKey(keyHash), ConsistentRead: true }",
    replacement: "Key: apiKeyLookupKey(keyHash) }",
    killedBy: {
      file: "test/base/table/consistent-reads.test.ts",
      title: "an API key: a revoked one would still be accepted",
    },
  },
  {
    name: "a tenant may be stale",
    file: "shared/features/tenants/store/tenants.ts",
    search: "Key: tenantKey(id), ConsistentRead: true }",
    replacement: "Key: tenantKey(id) }",
    killedBy: {
      file: "test/base/table/consistent-reads.test.ts",
      title: "a tenant: the command after its creation would not find it",
    },
  },
  {
    name: "a hold may be stale",
    file: "shared/features/holds/store/holds.ts",
    search: "Key: relatedKeys.hold(id), ConsistentRead: true }",
    replacement: "Key: relatedKeys.hold(id) }",
    killedBy: {
      file: "test/base/table/consistent-reads.test.ts",
      title: "a hold: the page of a new link would show nothing",
    },
  },
  {
    name: "the attempts of an address may be stale",
    file: "shared/features/holds/store/verification-attempts.ts",
    search: "{ TableName, Key, ConsistentRead: true }",
    replacement: "{ TableName, Key }",
    killedBy: {
      file: "test/base/table/consistent-reads.test.ts",
      title: "the attempts of an address: it could exceed its limit",
    },
  },
  {
    name: "the endpoints of an erasure's tenant may be stale",
    file: "shared/features/webhooks/store/endpoints.ts",
    search: 'endpointKey(tenant, ""), { consistent })',
    replacement: 'endpointKey(tenant, ""), { consistent: false })',
    killedBy: {
      file: "test/base/table/consistent-reads.test.ts",
      title: "the endpoints of a tenant: an erasure would miss the deliveries of a new one",
    },
  },
  {
    name: "an endpoint may be stale",
    file: "shared/features/webhooks/store/endpoints.ts",
    search: "Key: endpointKey(tenant, endpointId), ConsistentRead: true }",
    replacement: "Key: endpointKey(tenant, endpointId) }",
    killedBy: {
      file: "test/base/table/consistent-reads.test.ts",
      title: "an endpoint: a retry would call the URL from before its change",
    },
  },
  {
    name: "the account of a send may be stale",
    file: "shared/features/accounts/store/accounts.ts",
    search: "Key: accountItemKey(tenant, ref), ConsistentRead: true }",
    replacement: "Key: accountItemKey(tenant, ref) }",
    killedBy: {
      file: "test/base/table/consistent-reads.test.ts",
      title: "the account of a send: a refused token would be used again",
    },
  },
  {
    name: "the list of endpoints may be stale",
    file: "shared/features/webhooks/flows/list.ts",
    search: "ports.endpoints.list(tenant, { consistent: true })",
    replacement: "ports.endpoints.list(tenant)",
    killedBy: {
      file: "test/base/table/consistent-reads.test.ts",
      title: "the list of endpoints: it would not show a new one",
    },
  },
];
