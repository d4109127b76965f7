import type { PlantedFault } from "../planted-fault.ts";

const flow = "test/features/tenants/flows/delete-tenant.test.ts";

export const deletionFaults: readonly PlantedFault[] = [
  {
    name: "an operator key that is moved to another pepper gets a deleted tenant back",
    file: "shared/features/access/store/api-keys.ts",
    search: "        equals(A.tenants, tenants),\n",
    replacement: "",
    killedBy: {
      file: flow,
      title:
        "deleting a tenant does not bring a deleted tenant back to an operator key whose lookup row is moved at the same time",
    },
  },
  {
    name: "a deletion ends after its second pass",
    file: "shared/features/tenants/flows/delete-tenant.ts",
    search: "removed === 0 && pass > 1",
    replacement: "pass > 1",
    killedBy: {
      file: flow,
      title: "deleting a tenant waits after each pass for the longest run of a worker, until a pass finds nothing",
    },
  },
  {
    name: "a deletion ends with a first pass that finds nothing",
    file: "shared/features/tenants/flows/delete-tenant.ts",
    search: "removed === 0 && pass > 1",
    replacement: "removed === 0",
    killedBy: {
      file: flow,
      title: "deleting a tenant waits also when an earlier run removed everything, which may have ended a moment ago",
    },
  },
  {
    name: "a deletion removes a message whose text is the tenant's slug",
    file: "shared/features/tenants/store/tenant-rows.ts",
    search: 'inPartitions("Q#", equals(DueTask.tenant, tenant))',
    replacement: "equals(DueTask.tenant, tenant)",
    killedBy: {
      file: "test/features/tenants/flows/every-kind.test.ts",
      title: "a deletion removes every kind of row of its tenant, and none of another one",
    },
  },
  {
    name: "a dead letter of a deleted tenant is stored",
    file: "shared/features/dead-letters/flows/quarantine.ts",
    search: "(await ports.tenants.isDeleted(tenantOfLetter))",
    replacement: "false",
    killedBy: {
      file: "test/features/tenants/flows/queued-messages.test.ts",
      title: "a message of a deleted tenant that becomes a dead letter leaves no row that names the tenant",
    },
  },
  {
    name: "the deletion of a tenant removes uploads and leaves their files",
    file: "shared/features/tenants/flows/delete-tenant.ts",
    search: "removeUploads(ports, await ports.uploadRemovals.load(keys)),",
    replacement: "void (await ports.uploadRemovals.remove(await ports.uploadRemovals.load(keys))),",
    killedBy: {
      file: "test/features/tenants/flows/every-kind.test.ts",
      title: "a deletion removes every kind of row of its tenant, and none of another one",
    },
  },
];
