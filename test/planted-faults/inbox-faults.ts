import type { PlantedFault } from "./planted-fault.ts";

/** Faults of the inbox, of erasures and of what their events contain. */
export const inboxFaults: readonly PlantedFault[] = [
  {
    name: "a missing route of an account is not read again",
    file: "shared/stores/accounts/accounts.ts",
    search: "const Item = (await read(false)) ?? (await read(true));",
    replacement: "const Item = await read(false);",
    killedBy: {
      file: "test/shared/flows/inbox/stale-reads.test.ts",
      title: "the first message of an account is stored and published, even where its route is not visible yet",
    },
  },
  {
    name: "the head is read eventually consistently before an echo",
    file: "shared/flows/inbox/ingest-updates.ts",
    search: "{ consistent: routedUpdates.some(needsCurrentHead) },",
    replacement: "{ consistent: false },",
    killedBy: {
      file: "test/shared/flows/inbox/stale-reads.test.ts",
      title: "the echo of a send that began before the erasure is dropped",
    },
  },
  {
    name: "pending changes are read eventually consistently before the oldest are dropped",
    file: "shared/stores/inbox/pending-changes.ts",
    search: "batchGet<PendingChangeItem>(table, keys, { consistent: true })",
    replacement: "batchGet<PendingChangeItem>(table, keys)",
    killedBy: {
      file: "test/shared/flows/inbox/stale-reads.test.ts",
      title: "the newest changes that wait for their message stay, even where their items are not visible yet",
    },
  },
  {
    name: "an erasure reads the endpoints eventually consistently",
    file: "shared/flows/erasure/first-pass.ts",
    search: "ports.endpoints.list(initial.tenant, { consistent: true })",
    replacement: "ports.endpoints.list(initial.tenant)",
    killedBy: {
      file: "test/shared/flows/erasure/erase.test.ts",
      title: "counts the deliveries of an endpoint that was created a moment ago",
    },
  },
  {
    name: "an erasure removes the conversation's rows before what they lead to",
    file: "shared/flows/erasure/related-rows.ts",
    search: "  await ports.traces.remove(elsewhere);\n  await ports.traces.remove(rows);",
    replacement: "  await ports.traces.remove(rows);\n  await ports.traces.remove(elsewhere);",
    killedBy: {
      file: "test/shared/flows/erasure/rounds.test.ts",
      title: "removes the conversation's rows only after what they lead to is gone",
    },
  },
  {
    name: "an erasure whose queue message became a dead letter is not scheduled again",
    file: "shared/flows/dead-letters/quarantine.ts",
    search: "if (erasure) await ports.due.putErasure({ ...erasure, dueAt: now + RETRY_DELAY });",
    replacement: "",
    killedBy: {
      file: "test/shared/flows/erasure/rounds.test.ts",
      title: "continues half an hour after its background failed ten times",
    },
  },
  {
    name: "the stored body of an event is overwritten",
    file: "shared/stores/delivery/event-bodies.ts",
    search: "await conditionalWrite(table, put(item, itemDoesNotExist));",
    replacement: "await conditionalWrite(table, put(item));",
    killedBy: {
      file: "test/shared/flows/inbox/one-body.test.ts",
      title: "an edit, after the platform repeated it with another text",
    },
  },
  {
    name: "a message that an erasure takes back stays counted",
    file: "shared/flows/inbox/ingest-message.ts",
    search: "if (isCounted) uncountMessage(effects.tally, account.tenant);",
    replacement: "",
    killedBy: {
      file: "test/shared/flows/stats/message-counters.test.ts",
      title: "do not count when an erasure takes them back",
    },
  },
  {
    name: "a worker uses the endpoints that it read for an earlier event",
    file: "functions/deliver/worker.ts",
    search: "ports.endpoints.list(tenant)",
    replacement: '((globalThis as any)["endpoints of " + tenant] ??= ports.endpoints.list(tenant))',
    killedBy: {
      file: "test/shared/flows/webhooks/takes-effect.test.ts",
      title: "sends events to a new endpoint",
    },
  },
];
