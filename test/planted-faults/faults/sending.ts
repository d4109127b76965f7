import type { PlantedFault } from "../planted-fault.ts";

export const sendingFaults: readonly PlantedFault[] = [
  {
    name: "a send may leave a minute and a half after its id was made",
    file: "shared/features/sending/rules/sends.ts",
    search: "const SEND_LEAVES_WITHIN: Millis = 30 * SECOND;",
    replacement: "const SEND_LEAVES_WITHIN: Millis = 90 * SECOND;",
    killedBy: {
      file: "test/features/sending/flows/frozen-sender.test.ts",
      title:
        "a sender that is frozen right after it wrote its record for half a minute fails its send, and nothing leaves",
    },
  },
  {
    name: "the human-agent tag may leave after the seventh day",
    file: "shared/features/sending/rules/sends.ts",
    search: "windowEndsAt - 1,",
    replacement: "Math.max(windowEndsAt, Number.POSITIVE_INFINITY),",
    killedBy: {
      file: "test/features/holds/flows/complete-races.test.ts",
      title: "a completion that is frozen past the seventh day never sends the human-agent tag",
    },
  },
  {
    name: "a platform call starts although its request ends before the answer",
    file: "shared/features/sending/rules/sends.ts",
    search: "requestEndsAt - PLATFORM_TIMEOUT - SEND_SETTLE_RESERVE,",
    replacement: "requestEndsAt,",
    killedBy: {
      file: "test/features/sending/routes/deadline.test.ts",
      title: "the platform is not called when the rest of the time is too short for its answer",
    },
  },
  {
    name: "a reply that fails before it starts leaves its due item being written",
    file: "shared/features/sending/perform.ts",
    search: "shards] = await allDone([",
    replacement: "shards] = await Promise.all([",
    killedBy: {
      file: "test/features/sending/routes/deadline.test.ts",
      title: "a reply that fails before it starts leaves no due item being written: %s fails",
    },
  },
  {
    name: "the platform client does not read the clock before the first byte",
    file: "shared/platforms/api/http.ts",
    search: "const isLate = this.#isLate();",
    replacement: "const isLate = false;",
    killedBy: {
      file: "test/platforms/api/send.test.ts",
      title: "a message that is late does not leave on a new connection",
    },
  },
  {
    name: "a refusal overrides the outcome that the sweep published",
    file: "shared/features/sending/store/send-records.ts",
    search: `allOf(hasNoMessageId, isOneOf(A.state, ["sending", "failed"]))`,
    replacement: "allOf(itemExists, hasNoMessageId)",
    killedBy: {
      file: "test/features/sending/store/send-records.test.ts",
      title: "settling by the platform's response does not make a send failed that the sweep abandoned",
    },
  },
  {
    name: "a send with a known id starts again",
    file: "shared/features/sending/store/send-records.ts",
    search: "put(record, itemDoesNotExist)",
    replacement: "put(record)",
    killedBy: {
      file: "test/features/sending/flows/internal-faults.test.ts",
      title: "a later try with the same id leaves no text that an erasure misses",
    },
  },
  {
    name: "settling a send creates its erased record",
    file: "shared/features/sending/store/send-records.ts",
    search: `[A.messageIdSource]: "answer" } }, itemExists]`,
    replacement: `[A.messageIdSource]: "answer" } }, anyOf(itemExists, isAbsent("PK"))]`,
    killedBy: {
      file: "test/features/sending/store/send-records.test.ts",
      title: "settling by the platform's response of an erased record is no error and creates none",
    },
  },
  {
    name: "an unknown outcome overrides an echo",
    file: "shared/features/sending/store/send-records.ts",
    search: ": allOf(itemExists, hasNoMessageId)",
    replacement: ": itemExists",
    killedBy: {
      file: "test/features/sending/store/send-records.test.ts",
      title:
        "settling by the platform's response does not override an echo with an unknown outcome, but with the response's message id",
    },
  },
  {
    name: "an echo takes a send that has another message",
    file: "shared/features/sending/store/send-records.ts",
    search: "allOf(itemExists, anyOf(equals(A.messageId, messageId), isClaimable(record))),",
    replacement: "itemExists,",
    killedBy: {
      file: "test/features/sending/store/send-records.test.ts",
      title: "a claim by an echo belongs to one message: another message is refused, the same one claims it again",
    },
  },
  {
    name: "a full window allows one more send",
    file: "shared/features/sending/store/budgets.ts",
    search: "conditions.push(equals(window, start), below(count, limit));",
    replacement: "conditions.push(equals(window, start));",
    killedBy: {
      file: "test/features/sending/store/budgets.test.ts",
      title: "a budget counts a send if and only if every window allows it",
    },
  },
  {
    name: "a send starts a window that another send has started",
    file: "shared/features/sending/store/budgets.ts",
    search: "conditions.push(absentOr(below, window, start));",
    replacement: "void window;",
    killedBy: {
      file: "test/features/sending/store/budgets.test.ts",
      title:
        "a budget returns the stored state to a send that starts with an outdated one, and starts it with that state",
    },
  },
  {
    name: "a send that was planned before a pause leaves",
    file: "shared/features/sending/store/budgets.ts",
    search: "pauseAttribute ? [absentOr(atMost, pauseAttribute, now)] : [];",
    replacement: "[];",
    killedBy: {
      file: "test/features/sending/flows/budgets.test.ts",
      title:
        "while the platform asks for a pause, a send that was planned just before the pause is refused and leaves nothing",
    },
  },
  {
    name: "a shorter pause ends a longer one",
    file: "shared/features/sending/store/budgets.ts",
    search: "update(key, { set }, absentOr(below, attribute, until))",
    replacement: "update(key, { set })",
    killedBy: {
      file: "test/features/sending/flows/budgets.test.ts",
      title: "while the platform asks for a pause, a shorter pause never ends a longer one",
    },
  },
  {
    name: "the due item of a send is written after its record",
    file: "shared/features/sending/perform.ts",
    search: `    ports.dueSends.put(due),
  ]);`,
    replacement: "  ]);",
    killedBy: {
      file: "test/features/sending/flows/crash.test.ts",
      title: "an accepted message or its unknown outcome is published within a minute, and the echo settles it",
    },
  },
  {
    name: "a send leaves after its window has ended",
    file: "shared/features/sending/rules/sends.ts",
    search: `    windowEndsAt - 1,
`,
    replacement: `    windowEndsAt + SEND_LEAVES_WITHIN,
`,
    killedBy: {
      file: "test/features/sending/flows/frozen-sender.test.ts",
      title:
        "a sender that is frozen right after it wrote its record past the end of the window fails its send, and nothing leaves",
    },
  },
  {
    name: "a sweep of sends moves past a send that it could not settle",
    file: "shared/features/sending/flows/settle-due.ts",
    search: "if (failures.length === 0) await",
    replacement: "await",
    killedBy: {
      file: "test/features/sending/flows/settle-progress.test.ts",
      title: "a send that cannot be settled keeps the checkpoint before its page, and is retried until it can be",
    },
  },
  {
    name: "an unknown outcome is never settled",
    file: "shared/features/sending/perform.ts",
    search: `if (outcome.kind !== "unknown") await removeDueSend(ports, due);`,
    replacement: "await removeDueSend(ports, due);",
    killedBy: {
      file: "test/features/sending/flows/outcomes.test.ts",
      title: "a send whose outcome is unknown is published as failed after a minute without an echo, and not before",
    },
  },
  {
    name: "a message is stored before its send is settled",
    file: "shared/features/sending/flows/settle.ts",
    search: `  const settling = await ports.sendRecords.settleSend(head.id, send.id, { state: "sent", messageId });
  // Without a record the conversation was erased, and the message must not be stored.
  if (settling === "gone") return markErasedSend(ports, tenant, message);
  const record = await ports.outboundMessages.record(tenant, message, startedAt, shards);`,
    replacement: `  const record = await ports.outboundMessages.record(tenant, message, startedAt, shards);
  const settling = await ports.sendRecords.settleSend(head.id, send.id, { state: "sent", messageId });
  if (settling === "gone") return markErasedSend(ports, tenant, message);`,
    killedBy: {
      file: "test/features/inbox/flows/reconcile-echo.test.ts",
      title: "a send is not stored, without an error, when its record was erased during the platform call",
    },
  },
];
