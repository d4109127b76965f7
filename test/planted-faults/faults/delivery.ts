import type { PlantedFault } from "../planted-fault.ts";

export const deliveryFaults: readonly PlantedFault[] = [
  {
    name: "a claim ignores another worker's lease",
    file: "shared/features/delivery/store/deliveries.ts",
    search: `const isFree = allOf(allows("claim"), isDue(now));`,
    replacement: "const isFree = isDue(now);",
    killedBy: {
      file: "test/features/delivery/store/deliveries.test.ts",
      title: "a claim is refused until the last millisecond of another lease",
    },
  },
  {
    name: "settling an attempt ignores that the row was replayed",
    file: "shared/features/delivery/store/deliveries.ts",
    search: `return op === null ? [] : [equals(A.op, op)];`,
    replacement: `return op === null ? [] : [];`,
    killedBy: {
      file: "test/features/delivery/store/replays.test.ts",
      title: "a reset of a delivery prevents an earlier worker from settling an attempt with the same number",
    },
  },
  {
    name: "the outcome of a first attempt overwrites a stored row",
    file: "shared/features/delivery/store/deliveries.ts",
    search: `put(item, itemDoesNotExist), {`,
    replacement: `put(item), {`,
    killedBy: {
      file: "test/features/delivery/store/deliveries.test.ts",
      title: "the first attempt writes the row with its outcome once; a later writer gets the stored row",
    },
  },
  {
    name: "a worker uses the endpoints that it read for an earlier event",
    file: "functions/deliver/worker.ts",
    search: "ports.endpoints.listWithSockets(tenant)",
    replacement: `((globalThis as any)["endpoints of " + tenant] ??= ports.endpoints.listWithSockets(tenant))`,
    killedBy: {
      file: "test/features/webhooks/flows/update.test.ts",
      title:
        "a second after the response, a worker that has sent the tenant's events before sends events to a new endpoint",
    },
  },
  {
    name: "a claim makes an attempt before it is due",
    file: "shared/features/delivery/store/deliveries.ts",
    search: `const isFree = allOf(allows("claim"), isDue(now));`,
    replacement: `const isFree = allows("claim");`,
    killedBy: {
      file: "test/features/delivery/flows/replay.test.ts",
      title: "a replay ignores messages of the delivery's earlier attempts until its own time",
    },
  },
  {
    name: "a claim ignores the number of the attempt",
    file: "shared/features/delivery/store/deliveries.ts",
    search: "allOf(isCurrentAttempt(attempt), anyOf(isFree, ...continues))",
    replacement: "anyOf(isFree, ...continues)",
    killedBy: {
      file: "test/features/delivery/store/deliveries.test.ts",
      title: "the repeated message of an earlier or a later attempt claims nothing",
    },
  },
  {
    name: "abandoning a delivery ignores the attempt",
    file: "shared/features/delivery/store/deliveries.ts",
    search: `allOf(allows("abandon"), anyOf(isCurrentAttempt(attempt), isSettledAttempt)),`,
    replacement: `allows("abandon"),`,
    killedBy: {
      file: "test/features/delivery/store/replays.test.ts",
      title: "abandoning a delivery marks a row whose attempt could not be processed, and leaves one that moved on",
    },
  },
  {
    name: "abandoning a delivery ignores an attempt in progress",
    file: "shared/features/delivery/store/deliveries.ts",
    search: "allOf(equals(A.settledAttempts, attempt), isAbsent(A.leaseUntil))",
    replacement: "equals(A.settledAttempts, attempt)",
    killedBy: {
      file: "test/features/delivery/store/replays.test.ts",
      title: "abandoning a delivery leaves a row that was replayed since, and one whose next attempt is in progress",
    },
  },
  {
    name: "a reset ignores the delivery's status",
    file: "shared/features/delivery/store/delivery-starts.ts",
    search: "{ set }, allows(trigger));",
    replacement: "{ set });",
    killedBy: {
      file: "test/features/delivery/flows/replay.test.ts",
      title: "a replay happens once when ten are requested at once",
    },
  },
  {
    name: "a delivery whose event is gone fails during its attempt",
    file: "shared/features/delivery/store/deliveries.ts",
    search: `remove: [A.nextAttemptAt] }, allows("event_gone")),`,
    replacement: "remove: [A.nextAttemptAt] }),",
    killedBy: {
      file: "test/features/delivery/store/deliveries.test.ts",
      title: "a delivery whose event is gone does not fail while an attempt is in progress",
    },
  },
  {
    name: "an eleventh attempt",
    file: "shared/features/delivery/rules/deliveries.ts",
    search: `const delay = RETRY_DELAYS[attempt - 1];
  if (attempt >= ATTEMPTS_MAX || delay === undefined)`,
    replacement: `const delay = RETRY_DELAYS[attempt - 1] ?? RETRY_DELAYS.at(-1);
  if (attempt > ATTEMPTS_MAX || delay === undefined)`,
    killedBy: {
      file: "test/features/delivery/rules/deliveries.test.ts",
      title: "the waits between the ten attempts follow the schedule, 75.6 hours in all",
    },
  },
  {
    name: "a retry is scheduled after its event has expired",
    file: "shared/features/delivery/rules/deliveries.ts",
    search: `nextRetryAt >= createdAt + RETENTION ? { status: "dlq" } : { status`,
    replacement: "{ status",
    killedBy: {
      file: "test/features/delivery/rules/deliveries.test.ts",
      title: "a retry that would come after the body's seven days becomes a dead letter at once, to the millisecond",
    },
  },
  {
    name: "an expired event is attempted",
    file: "shared/features/delivery/flows/attempt.ts",
    search: "if (now() >= row.createdAt + RETENTION)",
    replacement: "if (now() > row.createdAt + 2 * RETENTION)",
    killedBy: {
      file: "test/features/delivery/flows/circuit-open.test.ts",
      title: "while the circuit is open, a delivery whose event has expired becomes dlq when it is probed, and counts",
    },
  },
  {
    name: "a row that waits for a closed circuit is not scheduled",
    file: "shared/features/delivery/flows/finish-attempt.ts",
    search: "now() - startedAt > CIRCUIT_READ_MAX_AGE",
    replacement: "now() < startedAt",
    killedBy: {
      file: "test/features/delivery/flows/circuit-closes.test.ts",
      title:
        "a delivery that is stored as waiting after the circuit has closed and both drains have run is scheduled at once when its worker was frozen in between",
    },
  },
  {
    name: "a repeated event leaves a waiting row alone",
    file: "shared/features/delivery/flows/finish-attempt.ts",
    search: "if (dueAt === null) return scheduleUnlessOpen(ports, retry, now);",
    replacement: "if (dueAt === null) return false;",
    killedBy: {
      file: "test/features/delivery/flows/circuit-closes.test.ts",
      title:
        "a delivery that is stored as waiting after the circuit has closed and both drains have run is scheduled when its event comes again, because its worker died",
    },
  },
  {
    name: "a claim that could not be given back is not continued",
    file: "shared/features/delivery/store/deliveries.ts",
    search: "anyOf(isFree, ...continues)",
    replacement: "isFree",
    killedBy: {
      file: "test/functions/deliver/outage.test.ts",
      title:
        "no attempt is spent and no lease held by a fault of a retry, when the table %s and takes no claim back: a new message continues the claim, and its copy does nothing",
    },
  },
  {
    name: "a message continues any claim of its attempt",
    file: "shared/features/delivery/store/deliveries.ts",
    search: `allOf(allows("continue"), equals(A.op, unreleasedClaim))`,
    replacement: `allows("continue")`,
    killedBy: {
      file: "test/functions/deliver/outage.test.ts",
      title:
        "no attempt is spent and no lease held by a fault of a retry, when the table %s and takes no claim back: a new message continues the claim, and its copy does nothing",
    },
  },
  {
    name: "a retry without an answer spends an attempt",
    file: "shared/features/delivery/flows/retry.ts",
    search: "if (endpoint && isUnanswered(answered, batch)) {",
    replacement: "if (endpoint && batch.slow && isUnanswered(answered, batch)) {",
    killedBy: {
      file: "test/features/delivery/flows/slow-endpoints.test.ts",
      title:
        "a retry without an answer moves to the slow queue: its claim is given back, and the attempt does not count",
    },
  },
  {
    name: "a retry of a slow endpoint holds the ordinary queue",
    file: "shared/features/delivery/flows/retry.ts",
    search: "if (!batch.slow) {",
    replacement: "if (!batch.slow && now() < 0) {",
    killedBy: {
      file: "test/features/delivery/flows/slow-endpoints.test.ts",
      title: "a retry of a slow endpoint on the ordinary queue moves to the slow one, without an attempt or a claim",
    },
  },
  {
    name: "a failed probe spends an attempt",
    file: "shared/features/delivery/rules/deliveries.ts",
    search: `verdict.status !== "blocked" && !(verdict.status === "retrying" && verdict.nextRetryAt === null)`,
    replacement: `verdict.status !== "blocked"`,
    killedBy: {
      file: "test/features/delivery/flows/circuit-open.test.ts",
      title:
        "while the circuit is open, a probe sends one delivery in turn after 1, 2, 4, 8, 16, 30 and 30 minutes, without an attempt",
    },
  },
  {
    name: "the abandoned claim of a probe spends an attempt",
    file: "shared/features/delivery/flows/probe.ts",
    search: "verdict: waitingForEndpoint, settledAt: now() };",
    replacement: 'verdict: { status: "retrying" as const, nextRetryAt: now() }, settledAt: now() };',
    killedBy: {
      file: "test/features/delivery/flows/breaker-crash.test.ts",
      title: "the next probe is scheduled and no attempt is spent when a probe fails",
    },
  },
  {
    name: "a replay resets the row before its due item is written",
    file: "shared/features/delivery/replay.ts",
    search: `  await scheduleSafetyNet(ports, tenant, row, now);
  const trigger = force ? "forced_replay" : "replay";
  const result = await ports.deliveries.reset(tenant, { ...row, ...currentTrace() }, { trigger, author, now });`,
    replacement: `  const trigger = force ? "forced_replay" : "replay";
  const result = await ports.deliveries.reset(tenant, { ...row, ...currentTrace() }, { trigger, author, now });
  await scheduleSafetyNet(ports, tenant, row, now);`,
    killedBy: {
      file: "test/features/delivery/flows/replay.test.ts",
      title: "a replay whose process dies right after the reset is attempted by a sweep",
    },
  },
  {
    name: "the replay of a window resets a row before its due item is written",
    file: "shared/features/delivery/flows/replay-window.ts",
    search: `        await scheduleSafetyNet(ports, tenant, row, restart.now);
        const result = await ports.deliveries.reset(tenant, { ...row, ...currentTrace() }, restart);`,
    replacement: `        const result = await ports.deliveries.reset(tenant, { ...row, ...currentTrace() }, restart);
        await scheduleSafetyNet(ports, tenant, row, restart.now);`,
    killedBy: {
      file: "test/features/delivery/flows/crash-retries.test.ts",
      title: "no delivery that the replay of a window reset is lost",
    },
  },
  {
    name: "the replay of a window resets deliveries before its audit row",
    file: "shared/features/delivery/flows/replay-window.ts",
    search: "  const completeAudit = await ports.audit.start(",
    replacement: `  await resetDeliveries(ports, tenant, replayable, { trigger: "replay", author: null, now });
  const completeAudit = await ports.audit.start(`,
    killedBy: {
      file: "test/features/delivery/flows/replay-window.test.ts",
      title: "a replay of a window writes its audit row before anything is sent, despite a fault (%s) at any call",
    },
  },
  {
    name: "a replay that read an older row replaces the history of its attempts",
    file: "shared/features/delivery/store/delivery-starts.ts",
    search: "storedOr(A.attempts, encodeAttempts(attempts))",
    replacement: "encodeAttempts(attempts)",
    killedBy: {
      file: "test/features/delivery/store/attempt-history.test.ts",
      title: "the history of attempts is not replaced by a replay that read an older row",
    },
  },
  {
    name: "a delivery shows the response of a receiver after its event was erased",
    file: "shared/features/delivery/flows/get-delivery.ts",
    search: "response: event ? row.response : null",
    replacement: "response: row.response",
    killedBy: {
      file: "test/features/delivery/routes/delivery-detail.test.ts",
      title: "a delivery in detail has the response of its newest attempt alone",
    },
  },
  {
    name: "a filtered list skips the matches behind a full page",
    file: "shared/features/delivery/store/delivery-pages.ts",
    search: "if (candidates.length > limit) return { rows, next: page.at(-1)?.SK ?? null };",
    replacement: "",
    killedBy: {
      file: "test/features/delivery/store/delivery-pages.test.ts",
      title: "the list of deliveries has each match of %s once, in pages that may be short",
    },
  },
  {
    name: "a list by status misses the attempts in progress",
    file: "shared/features/delivery/rules/delivery-filter.ts",
    search: 'statuses.includes(stored) || (waits && statuses.includes("attempting"))',
    replacement: "statuses.includes(stored) && (waits || !waits)",
    killedBy: {
      file: "test/features/delivery/store/delivery-pages.test.ts",
      title: "the list of deliveries has only the requested statuses, as the rows have them",
    },
  },
];
