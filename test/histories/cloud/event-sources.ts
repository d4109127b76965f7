import { queueReaders } from "#base/config/function-times.ts";
import { ulidTime } from "#base/kernel/ids.ts";
import { OVERDUE_AFTER, RETENTION } from "#base/kernel/limits.ts";
import { DAY, HOUR, MINUTE, type Millis, SECOND } from "#base/kernel/time.ts";
import { openTable } from "#base/table/client.ts";
import { cursorAfter } from "#base/table/due-queue.ts";
import { DUE_CHECKS, DUE_DELETIONS } from "#features/accounts/store/items.ts";
import { dueStore } from "#features/delivery/store/due-attempts.ts";
import { dueSendStore } from "#features/sending/store/send-records.ts";
import { succeededMessages, toQueueEvent } from "#local-aws/lambda/batch.ts";
import { primaryKey } from "../../support/world/table/schema.ts";
import type { Item } from "../../support/world/table/values.ts";
import type { Engine } from "../engine/engine.ts";
import { type Aws, type QueueId, queueIds } from "./aws.ts";
import { type FunctionName, functionIds, functionNames } from "./functions.ts";
import type { Lambda } from "./lambda.ts";
import type { Queue } from "./queues.ts";

/** The function that reads a queue. */
const readerOf = (id: QueueId) => functionNames.find((name) => functionIds[name] === queueReaders[id]) as FunctionName;

interface Options {
  readonly engine: Engine;
  readonly aws: Aws;
  readonly lambda: Lambda;
  /** A number in [0, 1): the size of each batch. */
  readonly random: () => number;
  /** Whether the daily checks of healthy accounts run. They find nothing, and cost as much as the rest of a history. */
  readonly checksHealthyAccounts: boolean;
}

/** Lets the engine deliver messages to the functions, and run the sweep in each minute in which something is due. */
export function connectEventSources({ engine, aws, lambda, random, checksHealthyAccounts }: Options): void {
  const sources = queueIds.map((id) => ({ queue: aws.queues[id], name: readerOf(id) }));
  let nextSweep = 0;
  const table = openTable(aws.table.tableName, aws.table.newClient());
  /** Sweeps in which nothing was due are not run. Each would have moved the checkpoints. */
  const sweepIdleMinutes = (until: Millis) =>
    Promise.all([dueStore(table), dueSendStore(table)].map((store) => store.saveCheckpoint(cursorAfter(until))));

  async function deliver(queue: Queue, name: FunctionName): Promise<void> {
    const messages = queue.toReceived(queue.receive(1 + Math.floor(random() * 3)));
    if (messages.length === 0) return;
    const end = await lambda.invoke(name, toQueueEvent(messages, queue.arn));
    if (end.kind !== "returned") return;
    for (const { MessageId = "" } of succeededMessages(messages, end.result)) queue.delete(MessageId);
  }

  const scheduled = new Map<string, Item>();
  let due = { writes: -1, at: 0, lettersAt: 0, overdueAt: 0, accountsAt: 0 };
  /** The due items, the dead letters, the waiting deliveries and the checks of accounts change only with a write. */
  const dueNow = () => {
    const changes = aws.table.changes();
    if (changes.length === due.writes) return due;
    for (const { before, after } of changes.slice(Math.max(0, due.writes))) {
      if (before) scheduled.delete(primaryKey(before));
      if (after && isScheduled(after)) scheduled.set(primaryKey(after), after);
    }
    const items = [...scheduled.values()];
    due = {
      writes: changes.length,
      at: nextDue(items),
      lettersAt: nextExpiredLetter(items),
      overdueAt: nextOverdue(items),
      accountsAt: nextAccountCheck(checksHealthyAccounts ? items : items.filter(isNotOfHealthy(scheduled))),
    };
    return due;
  };
  const nextDueNow = () => dueNow().at;
  const sweepIsDue = () => engine.now() >= nextSweep && lambda.hasRoom("sweep") && engine.now() >= nextDueNow();
  const sweep = async () => {
    await sweepIdleMinutes(Math.min(engine.now(), nextDueNow()) - IDLE_MARGIN);
    nextSweep = (Math.floor(engine.now() / MINUTE) + 1) * MINUTE;
    await lambda.invoke("sweep", {});
  };

  let nextPurge = 0;
  const nextExpiredCopy = expiryOfCopies(aws);
  const nextPurgeNow = () => Math.max(nextPurge, Math.min(nextExpiredCopy(), dueNow().lettersAt));
  const purgeIsDue = () => engine.now() >= nextPurgeNow();
  /** Lambda repeats a scheduled invocation that failed, after one minute and after two. */
  const runTask = async (task: string) => {
    for (const wait of [0, MINUTE, 2 * MINUTE]) {
      if (wait > 0) await engine.until(engine.now() + wait);
      const end = await lambda.invoke("sweep", { task });
      if (end.kind === "returned") return;
    }
  };
  const purge = () => {
    nextPurge = purgeTimeAfter(engine.now());
    return runTask("purge");
  };

  let nextCheck = 0;
  const nextCheckNow = () => Math.max(nextCheck, dueNow().overdueAt);
  const checkIsDue = () => engine.now() >= nextCheckNow();
  const check = () => {
    nextCheck = checkTimeAfter(engine.now());
    return runTask("reschedule_overdue");
  };

  let nextWatch = 0;
  const nextWatchNow = () =>
    Math.max(nextWatch, watchTimeFrom(Math.min(...aws.deadLetters.map((queue) => queue.nextVisible()))));
  const watchIsDue = () => engine.now() >= nextWatchNow();
  const watch = () => {
    nextWatch = watchTimeFrom(engine.now() + 1);
    return runTask("watch");
  };

  let nextHealth = 0;
  const nextHealthNow = () => Math.max(nextHealth, dueNow().accountsAt);
  const healthIsDue = () => engine.now() >= nextHealthNow();
  const checkAccounts = () => {
    nextHealth = healthTimeAfter(engine.now());
    return runTask("check_accounts");
  };

  engine.opportunities = () => [
    ...sources
      .filter(({ queue, name }) => queue.hasVisible() && lambda.hasRoom(name))
      .map(
        ({ queue, name }) =>
          () =>
            void deliver(queue, name),
      ),
    ...(sweepIsDue() ? [() => void sweep()] : []),
    ...(purgeIsDue() ? [() => void purge()] : []),
    ...(checkIsDue() ? [() => void check()] : []),
    ...(watchIsDue() ? [() => void watch()] : []),
    ...(healthIsDue() ? [() => void checkAccounts()] : []),
  ];
  engine.nextOpportunity = () => {
    const visible = sources.filter(({ name }) => lambda.hasRoom(name)).map(({ queue }) => queue.nextVisible());
    const schedules = [
      Math.max(nextSweep, nextDueNow()),
      nextPurgeNow(),
      nextCheckNow(),
      nextWatchNow(),
      nextHealthNow(),
    ];
    return Math.min(...visible, ...schedules);
  };
}

/** Behind every item that a process with a late clock may still write. */
const IDLE_MARGIN: Millis = 10 * MINUTE;

const SWEEP_AHEAD: Millis = 2 * MINUTE;

/** Whether a sweep, a purge or a check reads the item. */
function isScheduled(item: Item): boolean {
  const { PK, SK, F } = item;
  const isInIndex = F?.S === "QH" || F?.S === DUE_CHECKS || F?.S === DUE_DELETIONS;
  const isAccount = PK?.S?.startsWith("T#") === true && SK?.S?.startsWith("ACC#") === true;
  return /^(Q|QS|QUAR)#/.test(PK?.S ?? "") || SK?.S === "SWEPT" || isInIndex || isAccount || isWaiting(item);
}

/** Whether the item is a delivery that waits for an attempt. */
const isWaiting = ({ PK, st }: Item) =>
  PK?.S?.startsWith("D#") === true && (st?.S === "pending" || st?.S === "retrying");

/** The first minute in which a sweep has something to do. */
function nextDue(items: readonly Item[]): Millis {
  let next = Infinity;
  const checkpoint = { Q: 0, QS: 0 };
  for (const { PK, SK, p } of items) {
    if (SK?.S !== "SWEPT" || !p?.S) continue;
    checkpoint[PK?.S as "Q" | "QS"] = Number(p.S.slice(0, 13));
  }
  for (const { PK, SK, F, G } of items) {
    const partition = PK?.S ?? "";
    const at = Number(SK?.S?.slice(0, 13));
    if (partition.startsWith("Q#") && at > checkpoint.Q) next = Math.min(next, at - SWEEP_AHEAD);
    if (partition.startsWith("QS#") && at > checkpoint.QS - 5 * MINUTE) next = Math.min(next, at);
    if (F?.S === "QH" || F?.S === DUE_DELETIONS) next = Math.min(next, Number(G?.S?.slice(0, 13)));
  }
  return next === Infinity ? Infinity : Math.ceil((next + SECOND) / MINUTE) * MINUTE;
}

/** How often the dead letter queues are read. Runs without a dead letter would find nothing. */
const WATCH_PERIOD: Millis = 5 * MINUTE;
const watchTimeFrom = (at: Millis) => Math.ceil(at / WATCH_PERIOD) * WATCH_PERIOD;

/** The first daily check after an instant. */
const checkTimeAfter = (at: Millis) => (Math.floor(at / DAY) + 1) * DAY;

/** The first daily check that can find a delivery which waits too long. */
function nextOverdue(items: readonly Item[]): Millis {
  const changed = items.filter(isWaiting).map(({ ua }) => Number(ua?.N));
  return changed.length === 0 ? Infinity : checkTimeAfter(Math.min(...changed) + OVERDUE_AFTER);
}

/** The minute of each hour in which the checks of accounts are enqueued. */
const HEALTH_MINUTE: Millis = 41 * MINUTE;

/** The first run of that schedule after an instant. */
const healthTimeAfter = (at: Millis) => (Math.floor((at - HEALTH_MINUTE) / HOUR) + 1) * HOUR + HEALTH_MINUTE;

/** Whether a check is not that of an account that is active. */
function isNotOfHealthy(items: ReadonlyMap<string, Item>) {
  const isHealthy = (account: Item | undefined) => account?.st?.S === "active" && !account.nt && !account.rf;
  return ({ PK, SK }: Item) =>
    !isHealthy(items.get(primaryKey({ PK, SK: { S: String(SK?.S).replace(/^CHECK#/, "ACC#") } } as Item)));
}

/** The first run that finds a due check of an account. */
function nextAccountCheck(items: readonly Item[]): Millis {
  const dueAt = items.filter(({ F }) => F?.S === DUE_CHECKS).map(({ G }) => Number(G?.S?.slice(0, 13)));
  return dueAt.length === 0 ? Infinity : healthTimeAfter(Math.min(...dueAt));
}

/** The minute of each hour in which the purge runs. */
const PURGE_MINUTE: Millis = 17 * MINUTE;
/** A purge that runs earlier than this before the end of a webhook leaves it to the next one. */
const PURGE_AHEAD: Millis = HOUR + 10 * MINUTE;

/** The first purge after an instant, and the first one at or after it. */
const purgeTimeAfter = (at: Millis) => (Math.floor((at - PURGE_MINUTE) / HOUR) + 1) * HOUR + PURGE_MINUTE;
const purgeTimeFrom = (at: Millis) => (at === Infinity ? Infinity : purgeTimeAfter(at - 1));

/** The first purge with a raw copy to remove. The folder of a copy has the hour of its arrival. */
function expiryOfCopies({ objects }: Aws): () => Millis {
  const arrivals: Millis[] = [];
  let first = 0;
  return () => {
    for (const { key } of objects.slice(arrivals.length))
      arrivals.push(Date.parse(`${key.split("/").slice(1, 3).join("T")}:00:00Z`));
    while (objects[first] && objects[first]?.removedAt !== null) first++;
    const remaining = arrivals.slice(first).filter((_, i) => objects[first + i]?.removedAt === null);
    return purgeTimeFrom(Math.min(Infinity, ...remaining) + RETENTION - PURGE_AHEAD);
  };
}

/** The first purge with a dead letter of `Inbound` to remove. */
function nextExpiredLetter(items: readonly Item[]): Millis {
  const arrivals = items.filter(({ PK }) => PK?.S === "QUAR#Inbound").map(({ SK }) => ulidTime(SK?.S ?? ""));
  return purgeTimeFrom(Math.min(Infinity, ...arrivals) + RETENTION - PURGE_AHEAD);
}
