import type { PlantedFault } from "../planted-fault.ts";

export const staleConversationsFaults: readonly PlantedFault[] = [
  {
    name: "the head is read eventually consistently before an echo",
    file: "shared/features/inbox/flows/ingest-updates.ts",
    search: "{ consistent: routedUpdates.some(needsCurrentHead) },",
    replacement: "{ consistent: false },",
    killedBy: {
      file: "test/features/inbox/flows/stale-reads.test.ts",
      title: "the echo of a send that began before the erasure is dropped",
    },
  },
  {
    name: "pending changes are read eventually consistently before the oldest are dropped",
    file: "shared/features/inbox/store/pending-changes.ts",
    search: "batchGet<PendingChangeItem>(table, keys, { consistent: true })",
    replacement: "batchGet<PendingChangeItem>(table, keys)",
    killedBy: {
      file: "test/features/inbox/flows/stale-reads.test.ts",
      title: "the newest changes that wait for their message stay, even where their items are not visible yet",
    },
  },
  {
    name: "an erasure reads the endpoints eventually consistently",
    file: "shared/features/erasure/flows/first-pass.ts",
    search: "ports.endpoints.listWithSockets(initial.tenant, { consistent: true })",
    replacement: "ports.endpoints.listWithSockets(initial.tenant)",
    killedBy: {
      file: "test/features/erasure/flows/passes.test.ts",
      title: "an erasure counts the deliveries of an endpoint that was created a moment ago",
    },
  },
  {
    name: "the marker of an erasure may be stale",
    file: "shared/features/erasure/store/erasures.ts",
    search: "Key: erasureKey(deriveErasureId(conversationId)), ConsistentRead: true }",
    replacement: "Key: erasureKey(deriveErasureId(conversationId)) }",
    killedBy: {
      file: "test/base/table/consistent-reads.test.ts",
      title: "the marker of an erasure: a message from before it would be stored again",
    },
  },
  {
    name: "an erasure starts from stale reads",
    file: "shared/features/erasure/store/erasures.ts",
    search: "{ TableName, Key, ConsistentRead: true }",
    replacement: "{ TableName, Key }",
    killedBy: {
      file: "test/base/table/consistent-reads.test.ts",
      title: "the head and the erasure of a conversation: a repeated erasure would not find the one in progress",
    },
  },
  {
    name: "the background of an erasure reads it stale",
    file: "shared/features/erasure/store/erasures.ts",
    search: "Key: erasureKey(id), ConsistentRead: true }",
    replacement: "Key: erasureKey(id) }",
    killedBy: {
      file: "test/base/table/consistent-reads.test.ts",
      title: "an erasure in progress: its background would drop its message",
    },
  },
  {
    name: "the events of an erasure may be stale",
    file: "shared/features/erasure/store/erased-events.ts",
    search: `          ConsistentRead: true,
`,
    replacement: "",
    killedBy: {
      file: "test/base/table/consistent-reads.test.ts",
      title: "the events of an erasure: the echo of an erased send would be stored",
    },
  },
  {
    name: "the rows of an erased conversation may be stale",
    file: "shared/features/erasure/store/traces.ts",
    search: `          ConsistentRead: true,
`,
    replacement: "",
    killedBy: {
      file: "test/base/table/consistent-reads.test.ts",
      title: "the rows of a conversation: an erasure would miss the newest",
    },
  },
  {
    name: "the deliveries of an erased event may be stale",
    file: "shared/features/erasure/store/traces.ts",
    search: "{ consistent: true, projection",
    replacement: "{ projection",
    killedBy: {
      file: "test/base/table/consistent-reads.test.ts",
      title: "the deliveries of an erased event: an erasure would count too few",
    },
  },
  {
    name: "a pending change may be stale",
    file: "shared/features/inbox/store/pending-changes.ts",
    search: `          ConsistentRead: true,
`,
    replacement: "",
    killedBy: {
      file: "test/base/table/consistent-reads.test.ts",
      title: "a pending change: its message would be stored without it",
    },
  },
  {
    name: "the head of a conversation may be stale",
    file: "shared/features/inbox/store/conversations.ts",
    search: "Key: headKey(conversationId), ConsistentRead: consistent }",
    replacement: "Key: headKey(conversationId) }",
    killedBy: {
      file: "test/base/table/consistent-reads.test.ts",
      title: "the head of a conversation: a reply to its first message would not be found",
    },
  },
  {
    name: "the newest messages may be stale for a change",
    file: "shared/features/inbox/store/message-changes.ts",
    search: `          ConsistentRead: true,
`,
    replacement: "",
    killedBy: {
      file: "test/base/table/consistent-reads.test.ts",
      title: "a message among the newest: its change would wait for ever",
    },
  },
  {
    name: "a missing message is not read again",
    file: "shared/features/inbox/store/messages.ts",
    search: "await readRefs(tenant, missing, true)",
    replacement: "await readRefs(tenant, missing, false)",
    killedBy: {
      file: "test/base/table/consistent-reads.test.ts",
      title: "the messages of a batch of events: a message that was stored a moment ago would count as erased",
    },
  },
];
