import { randomUUID } from "node:crypto";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import {
  CreateBucketCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
} from "@aws-sdk/client-s3";
import { DeleteMessageBatchCommand, SendMessageBatchCommand } from "@aws-sdk/client-sqs";
import { expect, test } from "vitest";
import { clientsFor, startBench } from "./support/bench.ts";
import { spawnEmulators } from "./support/crash.ts";
import { makeQueue, type TestQueue } from "./support/queue.ts";

const ROUNDS = 3;
const CALLERS = 4;
const CALLS_PER_ROUND = 50;
const Bucket = "crash-files";

/** What the callers know: which calls they began, and which were answered. */
class Ledger {
  readonly begun = new Set<string>();
  readonly added = new Set<string>();
  readonly removing = new Set<string>();
  readonly removed = new Set<string>();

  /** What must be there: added for sure, and nobody tried to remove it. */
  expected(): string[] {
    return [...this.added].filter((name) => !this.removing.has(name));
  }
}

type Clients = ReturnType<typeof clientsFor>;

async function produce(sqs: Clients["sqs"], queue: TestQueue, ledger: Ledger): Promise<never> {
  for (;;) {
    const names = Array.from({ length: 5 }, () => randomUUID());
    for (const name of names) ledger.begun.add(name);
    const Entries = names.map((name, index) => ({
      Id: `e${index}`,
      MessageBody: name,
      DelaySeconds: index === 0 ? 1 : 0,
    }));
    const { Successful } = await sqs.send(new SendMessageBatchCommand({ QueueUrl: queue.url, Entries }));
    expect(Successful).toHaveLength(names.length);
    for (const name of names) ledger.added.add(name);
  }
}

async function consume(sqs: Clients["sqs"], queue: TestQueue, ledger: Ledger): Promise<never> {
  for (;;) {
    const messages = await queue.receive({ WaitTimeSeconds: 1 });
    // Half of what comes is left in flight, to be there after the crash.
    const done = messages.filter((_, index) => index % 2 === 0);
    if (done.length === 0) continue;
    for (const message of done) ledger.removing.add(message.Body ?? "");
    const Entries = done.map((message, index) => ({ Id: `d${index}`, ReceiptHandle: message.ReceiptHandle }));
    const { Successful } = await sqs.send(new DeleteMessageBatchCommand({ QueueUrl: queue.url, Entries }));
    expect(Successful).toHaveLength(done.length);
    for (const message of done) ledger.removed.add(message.Body ?? "");
  }
}

async function store(s3: Clients["s3"], ledger: Ledger): Promise<never> {
  for (let count = 0; ; count++) {
    const Key = randomUUID();
    ledger.begun.add(Key);
    await s3.send(new PutObjectCommand({ Bucket, Key, Body: Key.repeat(100) }));
    ledger.added.add(Key);
    if (count % 3 !== 0) continue;
    ledger.removing.add(Key);
    await s3.send(new DeleteObjectCommand({ Bucket, Key }));
    ledger.removed.add(Key);
  }
}

/** Checks what is there against what the callers know. */
function compare(found: readonly string[], ledger: Ledger): void {
  const there = new Set(found);
  expect(there.size, "nothing is there twice").toBe(found.length);
  expect(
    ledger.expected().filter((name) => !there.has(name)),
    "lost",
  ).toEqual([]);
  expect(
    found.filter((name) => ledger.removed.has(name)),
    "back from deletion",
  ).toEqual([]);
  expect(
    found.filter((name) => !ledger.begun.has(name)),
    "never sent",
  ).toEqual([]);
}

/** Keeps every kind of call going, kills the process while they run, and waits until every caller has noticed. */
async function trafficUntilKilled(
  clients: Clients,
  kill: () => Promise<void>,
  messages: Ledger,
  objects: Ledger,
): Promise<void> {
  const queue = await makeQueue(clients.sqs, "traffic", { VisibilityTimeout: "600" });
  if (objects.begun.size === 0) await clients.s3.send(new CreateBucketCommand({ Bucket }));
  const enough = { removed: messages.removed.size + CALLS_PER_ROUND, stored: objects.added.size + CALLS_PER_ROUND };
  const outcomes = Promise.allSettled(
    Array.from({ length: CALLERS }, () => [
      produce(clients.sqs, queue, messages),
      consume(clients.sqs, queue, messages),
      store(clients.s3, objects),
    ]).flat(),
  );
  while (messages.removed.size < enough.removed || objects.added.size < enough.stored) await pause(1);
  await pause(Math.random() * 20);
  await kill();
  for (const outcome of await outcomes) {
    // Every caller ended because the process was gone, not because of an answer it got.
    if (outcome.status === "rejected" && outcome.reason.$metadata?.httpStatusCode !== undefined) throw outcome.reason;
    if (outcome.status === "rejected" && outcome.reason.matcherResult) throw outcome.reason;
  }
}

test("a process killed in mid-traffic loses nothing that it answered, and brings back nothing that was deleted", async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "emulators-crash-"));
  const [messages, objects] = [new Ledger(), new Ledger()];
  for (let round = 0; round < ROUNDS; round++) {
    const child = await spawnEmulators(dataDir);
    const clients = clientsFor(child.url);
    try {
      await trafficUntilKilled(clients, child.kill, messages, objects);
    } finally {
      await child.kill();
      for (const client of Object.values(clients)) client.destroy();
    }
  }

  const bench = await startBench(dataDir, Date.now() + 10_000);
  try {
    const queue = await makeQueue(bench.sqs, "traffic", { VisibilityTimeout: "600" });
    const found: string[] = [];
    for (let got = await queue.receive(); got.length > 0; got = await queue.receive()) {
      found.push(...got.map((message) => message.Body ?? ""));
    }
    compare(found, messages);
    expect(messages.removed.size).toBeGreaterThanOrEqual(ROUNDS * CALLS_PER_ROUND);

    const keys: string[] = [];
    for (let token: string | undefined, more = true; more; more = token !== undefined) {
      const page = await bench.s3.send(new ListObjectsV2Command({ Bucket, ContinuationToken: token }));
      keys.push(...(page.Contents ?? []).map((one) => one.Key ?? ""));
      token = page.NextContinuationToken;
    }
    compare(keys, objects);
    for (const Key of keys) {
      const { Body } = await bench.s3.send(new GetObjectCommand({ Bucket, Key }));
      expect(await Body?.transformToString()).toBe(Key.repeat(100));
    }
  } finally {
    await bench.close();
  }
});
