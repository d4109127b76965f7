import { queueReaders } from "../../../shared/config/function-times.ts";
import { MINUTE, type Millis, SECOND } from "../../../shared/kernel/time.ts";
import { openTable } from "../../../shared/stores/client.ts";
import { dueStore } from "../../../shared/stores/delivery/due-attempts.ts";
import { cursorAfter } from "../../../shared/stores/due-queue.ts";
import { dueSendStore } from "../../../shared/stores/sending/due-sends.ts";
import type { Engine } from "../engine/engine.ts";
import { type Aws, type FunctionName, functionIds, functionNames, type QueueId, queueIds } from "./aws.ts";
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
}

/** Lets the engine deliver messages to the functions, and run the sweep in each minute in which something is due. */
export function connectEventSources({ engine, aws, lambda, random }: Options): void {
  const sources = [
    ...queueIds.map((id) => ({ queue: aws.queues[id], name: readerOf(id) })),
    ...aws.deadLetters.map((queue) => ({ queue, name: "deadLetters" as const })),
  ];
  let nextSweep = 0;
  const table = openTable(aws.table.tableName, aws.table.newClient());
  /** Sweeps in which nothing was due are not run. Each would have moved the checkpoints. */
  const sweepIdleMinutes = (until: Millis) =>
    Promise.all([dueStore(table), dueSendStore(table)].map((store) => store.saveCheckpoint(cursorAfter(until))));

  async function deliver(queue: Queue, name: FunctionName): Promise<void> {
    const messages = queue.receive(1 + Math.floor(random() * 3));
    if (messages.length === 0) return;
    const Records = messages.map((message) => queue.toRecord(message));
    const end = await lambda.invoke<{ batchItemFailures: { itemIdentifier: string }[] }>(name, { Records });
    if (end.kind !== "returned") return;
    const failed = new Set(end.result.batchItemFailures.map(({ itemIdentifier }) => itemIdentifier));
    for (const { id } of messages) if (!failed.has(id)) queue.delete(id);
  }

  let due = { writes: -1, at: 0 };
  /** The due items change only with a write. */
  const nextDueNow = () => {
    const writes = aws.table.changes().length;
    if (writes !== due.writes) due = { writes, at: nextDue(aws) };
    return due.at;
  };
  const sweepIsDue = () => engine.now() >= nextSweep && lambda.hasRoom("sweep") && engine.now() >= nextDueNow();
  const sweep = async () => {
    await sweepIdleMinutes(Math.min(engine.now(), nextDueNow()) - IDLE_MARGIN);
    nextSweep = (Math.floor(engine.now() / MINUTE) + 1) * MINUTE;
    await lambda.invoke("sweep", {});
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
  ];
  engine.nextOpportunity = () => {
    const visible = sources.filter(({ name }) => lambda.hasRoom(name)).map(({ queue }) => queue.nextVisible());
    return Math.min(...visible, Math.max(nextSweep, nextDueNow()));
  };
}

/** Behind every item that a process with a late clock may still write. */
const IDLE_MARGIN: Millis = 10 * MINUTE;

const SWEEP_AHEAD: Millis = 2 * MINUTE;

/** The first minute in which a sweep has something to do. */
function nextDue(aws: Aws): Millis {
  let next = Infinity;
  const checkpoint = { Q: 0, QS: 0 };
  const items = aws.table.items();
  for (const { PK, SK, p } of items) {
    if (SK?.S !== "SWEPT" || !p?.S) continue;
    checkpoint[PK?.S as "Q" | "QS"] = Number(p.S.slice(0, 13));
  }
  for (const { PK, SK, F, G } of items) {
    const partition = PK?.S ?? "";
    const at = Number(SK?.S?.slice(0, 13));
    if (partition.startsWith("Q#") && at > checkpoint.Q) next = Math.min(next, at - SWEEP_AHEAD);
    if (partition.startsWith("QS#") && at > checkpoint.QS - 5 * MINUTE) next = Math.min(next, at);
    if (F?.S === "QH") next = Math.min(next, Number(G?.S?.slice(0, 13)));
  }
  return next === Infinity ? Infinity : Math.ceil((next + SECOND) / MINUTE) * MINUTE;
}
