import type { PlantedFault } from "../planted-fault.ts";

export const inboxFaults: readonly PlantedFault[] = [
  {
    name: "the stored body of an event is overwritten",
    file: "shared/features/delivery/store/event-bodies.ts",
    search: "await conditionalWrite(table, put(eventBodyItem(tenant, event), itemDoesNotExist));",
    replacement: "await conditionalWrite(table, put(eventBodyItem(tenant, event)));",
    killedBy: {
      file: "test/features/inbox/flows/one-body.test.ts",
      title:
        "an event has the same body whenever it is sent: an edit, after the platform repeated it with another text",
    },
  },
  {
    name: "a message that an erasure takes back stays counted",
    file: "shared/features/inbox/flows/ingest-message.ts",
    search: "if (isCounted) uncountMessage(effects.tally, tenant);",
    replacement: "",
    killedBy: {
      file: "test/features/stats/flows/message-counters.test.ts",
      title: "inbound messages do not count when an erasure takes them back",
    },
  },
  {
    name: "an erased head shows an older message",
    file: "shared/features/inbox/store/head-advance.ts",
    search: "allOf(notErasedSince(sentAt), isNewerThanShown(message), ...mayStart)",
    replacement: "allOf(isNewerThanShown(message), ...mayStart)",
    killedBy: {
      file: "test/features/erasure/flows/late-writes.test.ts",
      title:
        "the head of an erased conversation never shows a message stamped at the erasure or before, and shows the next",
    },
  },
  {
    name: "an older message replaces the head's newest one",
    file: "shared/features/inbox/store/head-advance.ts",
    search: "allOf(notErasedSince(sentAt), isNewerThanShown(message), ...mayStart)",
    replacement: "allOf(notErasedSince(sentAt), ...mayStart)",
    killedBy: {
      file: "test/features/inbox/store/conversations.test.ts",
      title: "a conversation's head ends the same for any order of its messages, including repeats",
    },
  },
  {
    name: "an older message moves a side of the head back",
    file: "shared/features/inbox/store/head-advance.ts",
    search: "notErasedSince(sentAt), absentOr(below, sideAttribute, sentAt))",
    replacement: "notErasedSince(sentAt))",
    killedBy: {
      file: "test/features/inbox/store/conversations.test.ts",
      title: "a conversation's head ends the same when all its messages are applied at once, in any interleaving",
    },
  },
  {
    name: "a refreshed preview shows an older version",
    file: "shared/features/inbox/store/head-advance.ts",
    search: `      below(A.lastVersion, version),
`,
    replacement: "",
    killedBy: {
      file: "test/features/inbox/flows/changes/apply-change-races.test.ts",
      title:
        "a message whose row is stored before its head is advanced shows the later of two edits that arrive in between and overlap",
    },
  },
  {
    name: "a picture is removed after a newer one was stored",
    file: "shared/features/inbox/store/head-advance.ts",
    search: "allOf(isShownNext, pictureIsAsSeen(expiredPicture)),",
    replacement: "isShownNext,",
    killedBy: {
      file: "test/features/inbox/store/profiles.test.ts",
      title: "a stored profile loses an expired picture with the next message, unless a new one is stored by then",
    },
  },
  {
    name: "a repeated message overwrites the stored one",
    file: "shared/features/inbox/store/messages.ts",
    search: "put(toMessageItem(tenant, message, placement), itemDoesNotExist),",
    replacement: "put(toMessageItem(tenant, message, placement)),",
    killedBy: {
      file: "test/features/inbox/store/messages-record.test.ts",
      title: "a recorded message is one row however often it arrives, and always returns the first event",
    },
  },
  {
    name: "a marker is written twice",
    file: "shared/features/inbox/store/outbound-messages.ts",
    search: "put(item, itemDoesNotExist)",
    replacement: "put(item)",
    killedBy: {
      file: "test/features/inbox/store/messages-record.test.ts",
      title: "a send and its echo are one message when both write at once, for any order of their requests",
    },
  },
  {
    name: "an edit restores the text of an unsent message",
    file: "shared/features/inbox/store/message-changes.ts",
    search: "allOf(itemExists, isAbsent(A.unsentAt), absentOr(below, A.editCount, edit.count))",
    replacement: "allOf(itemExists, absentOr(below, A.editCount, edit.count))",
    killedBy: {
      file: "test/features/inbox/store/message-changes.test.ts",
      title: "an edit of an unsent message stores no text",
    },
  },
  {
    name: "an earlier edit replaces a later one",
    file: "shared/features/inbox/store/message-changes.ts",
    search: "allOf(itemExists, isAbsent(A.unsentAt), absentOr(below, A.editCount, edit.count))",
    replacement: "allOf(itemExists, isAbsent(A.unsentAt))",
    killedBy: {
      file: "test/features/inbox/store/message-changes.test.ts",
      title: "an earlier edit does not replace a later one",
    },
  },
  {
    name: "a pending edit replaces a pending unsend",
    file: "shared/features/inbox/store/pending-changes.ts",
    search: "allOf(isAbsent(A.unsentAt), absentOr(below, A.editCount, edit.count))",
    replacement: "absentOr(below, A.editCount, edit.count)",
    killedBy: {
      file: "test/features/inbox/store/message-changes.test.ts",
      title: "an edit after a pending unsend stores no text",
    },
  },
  {
    name: "a cleared mark creates the head of an erased conversation",
    file: "shared/features/inbox/store/pending-changes.ts",
    search: "update(headKey(conversationId), changes, isPresent(Head.pendingMessages))",
    replacement: "update(headKey(conversationId), changes)",
    killedBy: {
      file: "test/features/inbox/store/message-changes.test.ts",
      title: "clearing a pending change creates no head",
    },
  },
  {
    name: "a change gets a second event",
    file: "shared/features/delivery/store/event-bodies.ts",
    search: "put(refItem(conversationId, change, now), itemDoesNotExist);",
    replacement: "put(refItem(conversationId, change, now));",
    killedBy: {
      file: "test/features/inbox/flows/changes/apply-change.test.ts",
      title:
        "a reaction is published once each time it is added or removed, and changes nothing but the message's reactions",
    },
  },
  {
    name: "the file of a webhook is removed before its events are published",
    file: "functions/ingest/worker.ts",
    search: `    await ports.events.sendAll(effects.events).finally(() => countersSaved);
    await sendProfileRequests(ports, effects);`,
    replacement: `    const files = ingestedWebhooks.map((webhook) => webhook?.inbound.file);
    await Promise.all(files.map((file) => file && ports.files.remove(file)));
    await ports.events.sendAll(effects.events).finally(() => countersSaved);
    await sendProfileRequests(ports, effects);`,
    killedBy: {
      file: "test/functions/ingest/worker.test.ts",
      title: "a webhook in a file is read from there, and the file is removed after everything is published",
    },
  },
  {
    name: "the row of a late message ends seven days after it was stored",
    file: "shared/features/inbox/store/message-items.ts",
    search: "timeToLive(message.sentAt + RETENTION + CLOCK_MARGIN)",
    replacement: "timeToLive(message.sentAt + 2 * RETENTION)",
    killedBy: {
      file: "test/features/erasure/flows/late-messages.test.ts",
      title: "a late message is read until its 7 days end, and its row and the head end within an hour of that",
    },
  },
  {
    name: "the row of a message ends exactly with it",
    file: "shared/features/inbox/store/message-items.ts",
    search: "timeToLive(message.sentAt + RETENTION + CLOCK_MARGIN)",
    replacement: "timeToLive(message.sentAt + RETENTION)",
    killedBy: {
      file: "test/features/erasure/flows/late-messages.test.ts",
      title:
        "a message that is stored %s after it was sent is not another event for a worker whose clock is 5 minutes behind",
    },
  },
  {
    name: "a message is stored again at a position whose seven days have ended",
    file: "shared/features/inbox/store/messages.ts",
    search: "if (hasRetentionEnded(message.sentAt, placement.now)) return { message, ref, isNew: false };",
    replacement: "",
    killedBy: {
      file: "test/features/erasure/flows/late-messages.test.ts",
      title: "a late message is not stored again when its row has ended and a webhook without a time comes",
    },
  },
  {
    name: "an erasure finds no row after its seven days",
    file: "shared/features/erasure/flows/erase.ts",
    search: "const newestAt = await newestTraceAt(ports, conversationId, Number.NEGATIVE_INFINITY);",
    replacement: "const newestAt = await newestTraceAt(ports, conversationId, Date.now() - 604_800_000);",
    killedBy: {
      file: "test/features/erasure/flows/late-messages.test.ts",
      title: "a late message is erased when the table has removed the head alone",
    },
  },
  {
    name: "a message older than seven days is stored",
    file: "shared/features/inbox/rules/messages.ts",
    search: "return sentAt <= now - RETENTION;",
    replacement: "return sentAt <= now - 2 * RETENTION;",
    killedBy: {
      file: "test/functions/ingest/worker.test.ts",
      title: "a webhook of a message older than seven days is completed without it, to the millisecond",
    },
  },
  {
    name: "an account is connected to a second tenant",
    file: "shared/features/accounts/store/connections.ts",
    search: "if (storedRoute && !isFreeFor(storedRoute, tenant, now)) return",
    replacement: "if (storedRoute && !isFreeFor(storedRoute, tenant, now) && now === 0) return",
    killedBy: {
      file: "test/features/accounts/store/connections.test.ts",
      title: "connecting is refused while another tenant has the account",
    },
  },
  {
    name: "a tenant that has the most accounts cannot connect one of them again",
    file: "shared/features/accounts/store/connections.ts",
    search: "item === null && accountsMax !== undefined",
    replacement: "accountsMax !== undefined",
    killedBy: {
      file: "test/features/accounts/flows/connect.test.ts",
      title:
        "is refused to a tenant that has the most accounts, until it disconnects one; one that it has is connected again",
    },
  },
  {
    name: "an account that was disconnected is connected to another tenant while workers remember the former one",
    file: "shared/features/accounts/store/connections.ts",
    search: "(route[Route.freeAt] ?? 0) <= now",
    replacement: "(route[Route.freeAt] ?? 0) <= now + ACCOUNT_RELEASE_WAIT",
    killedBy: {
      file: "test/features/accounts/store/connections.test.ts",
      title: "disconnecting keeps other tenants from the account for two minutes, and not its own",
    },
  },
  {
    name: "a refused call restricts an account that was reconnected since",
    file: "shared/features/accounts/store/account-statuses.ts",
    search: ` || (item[A.lastRefreshedAt] ?? 0) > asOf) return`,
    replacement: ") return",
    killedBy: {
      file: "test/features/sending/flows/outcomes.test.ts",
      title: "a refused send does not change an account that was reconnected after the send started",
    },
  },
  {
    name: "a refused send that started before the next try doubles the time until the try after it",
    file: "shared/features/accounts/store/account-statuses.ts",
    search: " && retryAt !== null && asOf >= retryAt;",
    replacement: " && retryAt !== null;",
    killedBy: {
      file: "test/features/sending/flows/restricted-account.test.ts",
      title: "the wait of a restricted account is not doubled by sends that started before the next try",
    },
  },
  {
    name: "a send that the sweep settles does not end its account's restriction",
    file: "shared/features/sending/flows/settle-due.ts",
    search: "      return endSendRestriction(ports, attempt);\n",
    replacement: "      return;\n",
    killedBy: {
      file: "test/features/sending/flows/restricted-account.test.ts",
      title: "a restricted account recovers if the process that sent died before it could publish that, with one event",
    },
  },
  {
    name: "an earlier pending edit replaces a later one",
    file: "shared/features/inbox/store/pending-changes.ts",
    search: "allOf(isAbsent(A.unsentAt), absentOr(below, A.editCount, edit.count))",
    replacement: "isAbsent(A.unsentAt)",
    killedBy: {
      file: "test/features/inbox/store/message-changes.test.ts",
      title: "an earlier pending edit does not replace a later one",
    },
  },
  {
    name: "a decision of the platform forgets the earlier ones",
    file: "shared/features/accounts/store/account-statuses.ts",
    search: "storedDecision && storedDecision.eventUlid !== null",
    replacement: 'storedDecision && storedDecision.eventUlid === ""',
    killedBy: {
      file: "test/features/inbox/flows/apply-account-policy.test.ts",
      title:
        "a policy action of the platform is published when its webhook comes again, also after newer actions, if its process died at any call",
    },
  },
];
