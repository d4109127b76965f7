import type { PlantedFault } from "../planted-fault.ts";

export const queuesAndTableFaults: readonly PlantedFault[] = [
  {
    name: "a request to AWS whose answer never comes waits until its invocation ends",
    file: "shared/base/config/request-times.ts",
    search: "throwOnRequestTimeout: true",
    replacement: "throwOnRequestTimeout: false",
    killedBy: {
      file: "test/base/aws/request-timeouts.test.ts",
      title: "%s is made three times, and is then a TimeoutError",
    },
  },
  {
    name: "an erasure whose queue message became a dead letter is not scheduled again",
    file: "shared/features/dead-letters/flows/quarantine.ts",
    search: "if (erasure) await ports.due.putErasure({ ...erasure, dueAt: now + RETRY_DELAY });",
    replacement: "",
    killedBy: {
      file: "test/features/erasure/flows/passes.test.ts",
      title: "an erasure continues half an hour after its background failed ten times",
    },
  },
  {
    name: "a disconnection whose queue message became a dead letter is not scheduled again",
    file: "shared/features/dead-letters/flows/quarantine.ts",
    search: '= ["finish_connect", "let_go"];',
    replacement: '= ["finish_connect"];',
    killedBy: {
      file: "test/features/accounts/flows/dead-tasks.test.ts",
      title:
        "a task of an account that became a dead letter disconnects the account half an hour later, as the platform requested, without an operator",
    },
  },
  {
    name: "a slower sweep moves the checkpoint back",
    file: "shared/base/table/due-queue.ts",
    search: "{ set: { [A.cursor]: cursor.key } }, isForward)",
    replacement: "{ set: { [A.cursor]: cursor.key } })",
    killedBy: {
      file: "test/features/delivery/flows/sweep.test.ts",
      title: "a sweep saves its checkpoint, and a slower sweep never moves it back",
    },
  },
  {
    name: "the next page begins with the last item of this one",
    file: "shared/base/table/due-queue.ts",
    search: `":from": \`\${after.key} \``,
    replacement: `":from": after.key`,
    killedBy: {
      file: "test/features/delivery/flows/sweep-progress.test.ts",
      title:
        "a sweep that is short of time is continued from its last page, also within one instant, and sends nothing twice",
    },
  },
  {
    name: "a sweep saves its checkpoint before it sends",
    file: "shared/features/delivery/flows/sweep/due.ts",
    search: `    await allDone([
      ports.retries`,
    replacement: `    await ports.due.saveCheckpoint(cursor);
    await allDone([
      ports.retries`,
    killedBy: {
      file: "test/features/delivery/flows/sweep.test.ts",
      title: "a sweep leaves the checkpoint unchanged when the queue refuses",
    },
  },
  {
    name: "a retry has no message group",
    file: "shared/features/delivery/schedule.ts",
    search: "body: encodeRetry(message), group: message.tenant, delay",
    replacement: "body: encodeRetry(message), delay",
    killedBy: {
      file: "test/features/delivery/flows/queue-groups.test.ts",
      title: "the group of %s is its tenant",
    },
  },
  {
    name: "a failed queue message returns after five seconds every time",
    file: "functions/worker/redelivery.ts",
    search: "FIRST_DELAY * 2 ** (receives - 1)",
    replacement: "FIRST_DELAY",
    killedBy: {
      file: "test/functions/worker/middleware.test.ts",
      title: "a worker behind a queue lets a fault come back after 5, 10, 20, … 160 seconds, each plus up to a tenth",
    },
  },
  {
    name: "two attempts of one dead letter's redrive",
    file: "shared/features/dead-letters/store/quarantine.ts",
    search: "allOf(itemExists, isAbsent(A.redrivenAt), absentOr(atMost, A.claimedUntil, now))",
    replacement: "allOf(itemExists, isAbsent(A.redrivenAt))",
    killedBy: {
      file: "test/features/dead-letters/store/quarantine.test.ts",
      title: "a redrive claim is exclusive for five minutes, and then free",
    },
  },
  {
    name: "a late redrive settles a letter that another one has claimed",
    file: "shared/features/dead-letters/store/quarantine.ts",
    search: "changes, claimIsOurs));",
    replacement: "changes));",
    killedBy: {
      file: "test/features/dead-letters/store/quarantine.test.ts",
      title: "a redrive claim is exclusive for five minutes, and then free",
    },
  },
  {
    name: "a conflict with a transaction fails at once",
    file: "shared/base/table/writes.ts",
    search: "if (!(error instanceof TransactionConflictException) || attempt === ATTEMPTS_MAX) throw error;",
    replacement: "if (!(error instanceof TransactionConflictException) || attempt > 0) throw error;",
    killedBy: {
      file: "test/base/table/repeated-requests.test.ts",
      title: "a write of an item that a transaction is writing counts once when its first answer was a conflict",
    },
  },
  {
    name: "the unprocessed part of a batch is lost",
    file: "shared/base/table/batches.ts",
    search: "if (pendingKeys.length === 0) return;",
    replacement: "if (attempt > 0 || pendingKeys.length === 0) return;",
    killedBy: {
      file: "test/base/table/repeated-requests.test.ts",
      title: "%s is requested again until it is processed",
    },
  },
  {
    name: "a write does not recognize its own result",
    file: "shared/base/table/conditional-write.ts",
    search: "return isOwnWrite(current, ownMark)",
    replacement: "return isOwnWrite(null, ownMark)",
    killedBy: {
      file: "test/base/table/repeated-requests.test.ts",
      title:
        "a write of an item that a transaction is writing recognizes its own result when its first answer was lost and its repetition met a conflict",
    },
  },
  {
    name: "a dead letter is stored twice",
    file: "shared/features/dead-letters/store/quarantine.ts",
    search: "put(item, itemDoesNotExist)",
    replacement: "put(item)",
    killedBy: {
      file: "test/features/dead-letters/store/quarantine.test.ts",
      title: "a quarantined message is stored once, as it first arrived",
    },
  },
  {
    name: "outage: a message that waited before is received five times again",
    file: "functions/worker/outage.ts",
    search: " || readFirstSentAt(record.body) !== null",
    replacement: "",
    killedBy: {
      file: "test/functions/worker/outage.test.ts",
      title: "a worker in an outage lets a message wait for three hours when %s, with five receives at most",
    },
  },
  {
    name: "outage: webhooks come back in no order",
    file: "functions/ingest/worker.ts",
    search: ", delay: (body, at) => inboundPostponement(ports, body, at)",
    replacement: "",
    killedBy: {
      file: "test/histories/outages.test.ts",
      title:
        "the outage leaves each conversation with its newest message, and stores what waited in the order of its times",
    },
  },
  {
    name: "outage: a profile that the platform did not return is not looked up again",
    file: "shared/features/inbox/flows/fetch-profile.ts",
    search: '  if (outcome.kind === "later") return waitForService("profile", outcome.coolDownMs);',
    replacement: '  if (outcome.kind === "later") return done;',
    killedBy: {
      file: "test/features/inbox/flows/fetch-profile.test.ts",
      title: "a profile lookup changes nothing %s",
    },
  },
  {
    name: "outage: a platform is asked again before the time that it names",
    file: "functions/worker/outage.ts",
    search: "const namedWait = namedWaitOf(failure);",
    replacement: "const namedWait = 0;",
    killedBy: {
      file: "test/functions/worker/outage.test.ts",
      title:
        "a worker in an outage lets a message wait at once for as long as the platform says, a quarter of an hour at most at a time",
    },
  },
  {
    name: "outage: a message for a raw copy brings its messages again",
    file: "functions/ingest/worker.ts",
    search: "      if (webhook.inbound.isCopyOnly) return { ...webhook, remaining: null };\n",
    replacement: "",
    killedBy: {
      file: "test/functions/worker/outage.test.ts",
      title:
        "webhooks while the bucket of raw copies refuses everything are in the inbox and published at once, and their copies are stored after it",
    },
  },
  {
    name: "outage: the file of a large webhook is removed without its copy",
    file: "functions/ingest/worker.ts",
    search: "  } else if (inbound.file) {\n",
    replacement: "  }\n  if (inbound.file) {\n",
    killedBy: {
      file: "test/functions/worker/outage.test.ts",
      title:
        "webhooks while the bucket of raw copies refuses everything have a large webhook's file until its copy is stored",
    },
  },
];
