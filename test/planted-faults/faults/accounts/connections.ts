import type { PlantedFault } from "../../planted-fault.ts";

const disconnectionTest = "test/features/accounts/flows/disconnection.test.ts";
const histories = "test/histories/found.test.ts";

export const connectionFaults: readonly PlantedFault[] = [
  {
    name: "a connection that its queue completes queues no backfill",
    file: "shared/features/accounts/flows/finish-connect.ts",
    search: "  const outcome = await completeConnection(ports, connection, time);\n",
    replacement:
      "  const outcome = await completeConnection({ ...ports, accountWork: { send: async () => {} }, accountChecks: { ...ports.accountChecks, noteBackfill: async () => null } }, connection, time);\n",
    killedBy: {
      file: histories,
      title: "%s",
    },
  },
  {
    name: "a disconnection removes a connection that was made since it read the account",
    file: "shared/features/accounts/store/connections.ts",
    search: "remove(accountItemKey(tenant, ref), allOf(isOfConnection(connectionId), ...isNotResubscribed)),",
    replacement: "remove(accountItemKey(tenant, ref), allOf(isPresent(A.sealedToken), ...isNotResubscribed)),",
    killedBy: {
      file: "test/features/accounts/store/connections.test.ts",
      title: "disconnecting does not take a connection that was made between its read and its write",
    },
  },
  {
    name: "a connection restores times of a holder that a data deletion removes at the same time",
    file: "shared/features/accounts/store/connections.ts",
    search:
      "            put(route, isSameRoute(storedRoute)),\n            put(auditItem(tenant, { ...audit, action })),",
    replacement: "            put(route),\n            put(auditItem(tenant, { ...audit, action })),",
    killedBy: {
      file: "test/features/accounts/store/connections.test.ts",
      title:
        "connecting again restores no time of a holder that a data deletion removed between its read and its write",
    },
  },
  {
    name: "a disconnection restores times of a holder that a data deletion removes at the same time",
    file: "shared/features/accounts/store/connections.ts",
    search: "put(freeRoute, isSameRoute(storedRoute)),",
    replacement: "put(freeRoute),",
    killedBy: {
      file: "test/features/accounts/store/connections.test.ts",
      title: "disconnecting restores no time of a holder that a data deletion removed between its read and its write",
    },
  },
  {
    name: "an account that a check subscribes again while it is disconnected stays subscribed",
    file: "shared/features/accounts/flows/disconnection.ts",
    search: "    resubscribedAt: account.resubscribedAt,\n",
    replacement: "",
    killedBy: {
      file: disconnectionTest,
      title: "ends a subscription that a check makes again between its end and the disconnection",
    },
  },
  {
    name: "the deletion of a tenant releases the route of another one",
    file: "shared/features/tenants/store/tenant-deletions.ts",
    search: "const isOver = allOf(equals(Route.former, tenant), atMost(Route.freeAt, now), isAsRead);",
    replacement: "const isOver = allOf(absentOr(atMost, Route.freeAt, Number.MAX_SAFE_INTEGER));",
    killedBy: {
      file: "test/features/tenants/flows/subscriptions.test.ts",
      title:
        "an account of a deleted tenant that another connects keeps its route, also when the deletion read it as the deleted one's",
    },
  },
  {
    name: "a data deletion removes no time in which the tenant had the account",
    file: "shared/features/accounts/store/holder-times.ts",
    search: "holdersAfterDataDeletion(holders, { tenant, ...request });",
    replacement: "holdersAfterDataDeletion(holders, { tenant, ...request, requestedAt: 0 });",
    killedBy: {
      file: "test/features/accounts/flows/platform-callbacks/data-deletion.test.ts",
      title: "a data deletion is not undone by a late webhook from before it, where the account %s",
    },
  },
];
