import type { PlantedFault } from "../planted-fault.ts";

export const edgeFaults: readonly PlantedFault[] = [
  {
    name: "sign-in links consume the rate of the other console routes",
    file: "lib/constructs/http-api.ts",
    search: "      [signIn, throttles.signIn],\n",
    replacement: "",
    killedBy: {
      file: "test/lib/stacks/gateways.test.ts",
      title:
        "the HTTP API has one stage, on which webhooks, sign-in, check page and the rest each have a throttle of their own",
    },
  },
  {
    name: "the stage is created before the routes that it throttles",
    file: "lib/constructs/http-api.ts",
    search: "  stage.node.addDependency(...parts.flatMap(([routes]) => routes));\n",
    replacement: "",
    killedBy: {
      file: "test/lib/stacks/gateways.test.ts",
      title: "the HTTP API creates the stage after each route that it throttles, which CloudFormation requires",
    },
  },
  {
    name: "other functions consume the environments of the webhooks",
    file: "lib/functions/intake.ts",
    search: "{ reservedConcurrency: settings.intakeReservedConcurrency }",
    replacement: "{}",
    killedBy: {
      file: "test/lib/stacks/service-stack.test.ts",
      title:
        "the functions reserves concurrency for the platforms' webhooks, and for nothing else unless the operator does",
    },
  },
  {
    name: "a caller beyond its own limit consumes that of its tenant",
    file: "shared/features/access/store/request-quota.ts",
    search: "...(callerName === null ? [] : [absentOr(below, callerName, callerLimit)])",
    replacement: "",
    killedBy: {
      file: "test/features/access/flows/request-limits.test.ts",
      title: "the rate limit of a tenant is not consumed by a caller beyond the caller's own limit",
    },
  },
  {
    name: "a stranger consumes the requests of a tenant",
    file: "shared/features/access/request-limits.ts",
    search: " || !isMember(caller, namedTenant)",
    replacement: "",
    killedBy: {
      file: "test/functions/request-limits.test.ts",
      title: "a person of several tenants does not consume the limit of a tenant of others by naming it",
    },
  },
  {
    name: "a person of several tenants uses none of their limits",
    file: "shared/features/access/request-limits.ts",
    search: "callerUse.isExceeded ||",
    replacement: "callerUse.limit > 0 ||",
    killedBy: {
      file: "test/functions/request-limits.test.ts",
      title:
        "a person of several tenants is refused for the one at its limit, however the request names it, and for no other",
    },
  },
  {
    name: "the pace is always that of the caller",
    file: "shared/features/access/request-limits.ts",
    search: "tenant.remaining < caller.remaining ? tenant : caller",
    replacement: "tenant.remaining < 0 ? tenant : caller",
    killedBy: {
      file: "test/features/access/flows/request-limits.test.ts",
      title: "the pace is that of the caller until the tenant's limit is nearer",
    },
  },
  {
    name: "a person creates more tenants at once than one may",
    file: "shared/features/tenants/store/tenants.ts",
    search: "        isUnchanged(User.tenantsOfDay, creations.count),\n",
    replacement: "",
    killedBy: {
      file: "test/features/access/flows/team/limits.test.ts",
      title: "the limits of tenants are exact for ten that a person creates at once",
    },
  },
  {
    name: "invites at the same time exceed the limit of pending ones",
    file: "shared/features/access/store/invite-counts.ts",
    search: "sizeBelow(Pending.ids, limits.pending)",
    replacement: "sizeBelow(Pending.ids, limits.pending + 1)",
    killedBy: {
      file: "test/features/access/flows/team/limits.test.ts",
      title: "the limit of pending invites is exact for ten at once, also with one that has ended",
    },
  },
  {
    name: "a refused invite consumes the links of its address",
    file: "shared/features/access/flows/team/invites.ts",
    search: "  if (limitRefusal) return limitRefusal;\n",
    replacement: "",
    killedBy: {
      file: "test/features/access/flows/team/limits.test.ts",
      title: "an invite that is refused consumes nothing of its address",
    },
  },
  {
    name: "an invite that is sent again while ended ones are removed does not count",
    file: "shared/features/access/store/invite-counts.ts",
    search: "update(Key, changes, isUnchanged(Pending.op, op))",
    replacement: "update(Key, changes)",
    killedBy: {
      file: "test/features/access/flows/team/limits.test.ts",
      title: "an expired invite that is sent again while ended ones are removed still counts",
    },
  },
];
