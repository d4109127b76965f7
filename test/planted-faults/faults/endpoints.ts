import type { PlantedFault } from "../planted-fault.ts";

export const endpointsFaults: readonly PlantedFault[] = [
  {
    name: "an endpoint with an open circuit is not read again",
    file: "shared/features/delivery/flows/fan-out.ts",
    search: "return (await rereadEndpoint(ports, batch, { tenant, endpointId: endpoint.id })) ?? endpoint;",
    replacement: "return endpoint;",
    killedBy: {
      file: "test/features/delivery/flows/circuit-closes.test.ts",
      title:
        "a delivery that is stored as waiting after the circuit has closed and both drains have run is attempted at once when its worker read an old copy of the endpoint",
    },
  },
  {
    name: "an endpoint is drained only once",
    file: "shared/features/delivery/flows/drain.ts",
    search: "} else if (repeat) {",
    replacement: "} else if (repeat && now < 0) {",
    killedBy: {
      file: "test/features/delivery/flows/circuit-closes.test.ts",
      title:
        "an endpoint that works again gets within minutes a delivery that a worker stored as waiting because it read an open circuit",
    },
  },
  {
    name: "a repeated event ignores the row of its delivery",
    file: "shared/features/delivery/flows/fan-out.ts",
    search: "if (existing) return void (await resumeFinishedAttempt(ports, tenant, existing, batch.now()));",
    replacement: "",
    killedBy: {
      file: "test/features/delivery/flows/crash-deliver.test.ts",
      title: "a fan-out that completed calls no endpoint when it is repeated",
    },
  },
  {
    name: "a first attempt without an answer keeps its batch waiting",
    file: "shared/features/delivery/flows/fan-out.ts",
    search: "if (isUnanswered(answered, batch)) {",
    replacement: "if (batch.slow && isUnanswered(answered, batch)) {",
    killedBy: {
      file: "test/features/delivery/flows/slow-endpoints.test.ts",
      title: "one endpoint of twenty hangs: its first attempt moves to the slow queue, and no later event waits for it",
    },
  },
  {
    name: "a slot is acquired twice",
    file: "shared/features/delivery/store/concurrency-slots.ts",
    search: `            absentOr(atMost, name, now),
`,
    replacement: "",
    killedBy: {
      file: "test/features/delivery/store/concurrency-slots.test.ts",
      title: "the store gives each slot once",
    },
  },
  {
    name: "a late release frees another worker's slot",
    file: "shared/features/delivery/store/concurrency-slots.ts",
    search: "{ remove: [name] }, equals(name, until))",
    replacement: "{ remove: [name] })",
    killedBy: {
      file: "test/features/delivery/store/concurrency-slots.test.ts",
      title: "the store gives a released slot at once, and the slot of a dead worker after its lease",
    },
  },
  {
    name: "a breaker overwrites one that changed",
    file: "shared/features/webhooks/store/endpoints.ts",
    search: "allOf(isNotDeleted, breakerIsUnchanged),",
    replacement: "isNotDeleted,",
    killedBy: {
      file: "test/features/webhooks/store/endpoints.test.ts",
      title: "a breaker is saved only over the one from which it was computed, and never of a deleted endpoint",
    },
  },
  {
    name: "an endpoint that has another URL now is paused",
    file: "shared/features/webhooks/store/endpoints.ts",
    search: `allOf(statusAllows("auto_pause"), equals(A.url, url), ...stillFails)`,
    replacement: `allOf(statusAllows("auto_pause"), ...stillFails)`,
    killedBy: {
      file: "test/features/webhooks/store/endpoints.test.ts",
      title: "the service pauses an endpoint once, and only at the same URL",
    },
  },
  {
    name: "an endpoint that succeeded in the meantime is paused",
    file: "shared/features/webhooks/store/endpoints.ts",
    search: "failingSince === undefined ? [] : [equals(A.failingSince, failingSince)]",
    replacement: "failingSince === undefined ? [] : []",
    killedBy: {
      file: "test/features/webhooks/store/endpoints.test.ts",
      title: "the service pauses a failing endpoint only if no attempt has succeeded since",
    },
  },
  {
    name: "a deleted endpoint changes",
    file: "shared/features/webhooks/store/endpoints.ts",
    search: "{ ...itemChanges, condition: isNotDeleted }",
    replacement: `{ ...itemChanges, condition: absentOr(below, A.status, "~") }`,
    killedBy: {
      file: "test/features/webhooks/store/endpoints.test.ts",
      title: "a change of a deleted or missing endpoint changes nothing and writes no audit row",
    },
  },
  {
    name: "an endpoint is created beyond the limit",
    file: "shared/features/webhooks/store/endpoints.ts",
    search: "{ add: { [Count.count]: 1 } }, hasRoom)",
    replacement: "{ add: { [Count.count]: 1 } })",
    killedBy: {
      file: "test/features/webhooks/flows/create.test.ts",
      title: "a new endpoint is created once when ten requests compete for the last of twenty places",
    },
  },
  {
    name: "the probe is sent after the circuit opened",
    file: "shared/features/delivery/flows/endpoint-health.ts",
    search: `      await scheduleTask(ports, probe, next.openUntil, now);
    }
    const result = await ports.endpoints.saveBreaker(tenant, endpoint, next, now);`,
    replacement: `      await ports.endpoints.saveBreaker(tenant, endpoint, next, now);
      return scheduleTask(ports, probe, next.openUntil, now);
    }
    const result = await ports.endpoints.saveBreaker(tenant, endpoint, next, now);`,
    killedBy: {
      file: "test/features/delivery/flows/breaker-crash.test.ts",
      title: "the probe is on its queue before the circuit opens",
    },
  },
  {
    name: "a breaker is saved for a deleted endpoint",
    file: "shared/features/webhooks/store/endpoints.ts",
    search: "allOf(isNotDeleted, breakerIsUnchanged),",
    replacement: "breakerIsUnchanged,",
    killedBy: {
      file: "test/features/webhooks/store/endpoints.test.ts",
      title: "a breaker is saved only over the one from which it was computed, and never of a deleted endpoint",
    },
  },
  {
    name: "a claim of a slot outlives its lease",
    file: "shared/features/delivery/store/concurrency-slots.ts",
    search: "            absentOr(atMost, name, now),",
    replacement: "            absentOr(atMost, name, now - ATTEMPT_LEASE),",
    killedBy: {
      file: "test/features/delivery/store/concurrency-slots.test.ts",
      title: "the store gives a released slot at once, and the slot of a dead worker after its lease",
    },
  },
];
