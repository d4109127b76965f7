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
import { clientsFor, startEmulatorFixture } from "./support/emulator-fixture.ts";
import { spawnEmulators } from "./support/spawn-emulators.ts";
import { createTestQueue, type TestQueue } from "./support/test-queue.ts";

const ROUNDS = 3;
const CALLERS = 4;
const CALLS_PER_ROUND = 50;
const Bucket = "crash-files";

/** The callers' record of the calls that were started and of those that were answered. */
class Ledger {
  readonly startedAdds = new Set<string>();
  readonly confirmedAdds = new Set<string>();
  readonly startedRemovals = new Set<string>();
  readonly confirmedRemovals = new Set<string>();

  /** The names that must exist: their addition was confirmed and no removal was started. */
  expected(): string[] {
    return [...this.confirmedAdds].filter((name) => !this.startedRemovals.has(name));
  }
}

type Clients = ReturnType<typeof clientsFor>;

async function produce(sqs: Clients["sqs"], queue: TestQueue, ledger: Ledger): Promise<never> {
  for (;;) {
    const names = Array.from({ length: 5 }, () => randomUUID());
    for (const name of names) ledger.startedAdds.add(name);
    const Entries = names.map((name, index) => ({
      Id: `e${index}`,
      MessageBody: name,
      DelaySeconds: index === 0 ? 1 : 0,
    }));
    const { Successful } = await sqs.send(new SendMessageBatchCommand({ QueueUrl: queue.url, Entries }));
    expect(Successful).toHaveLength(names.length);
    for (const name of names) ledger.confirmedAdds.add(name);
  }
}

async function consume(sqs: Clients["sqs"], queue: TestQueue, ledger: Ledger): Promise<never> {
  for (;;) {
    const messages = await queue.receive({ WaitTimeSeconds: 1 });
    // Leave half of the messages in flight. They must exist after the crash.
    const done = messages.filter((_, index) => index % 2 === 0);
    if (done.length === 0) continue;
    for (const message of done) ledger.startedRemovals.add(message.Body ?? "");
    const Entries = done.map((message, index) => ({ Id: `d${index}`, ReceiptHandle: message.ReceiptHandle }));
    const { Successful } = await sqs.send(new DeleteMessageBatchCommand({ QueueUrl: queue.url, Entries }));
    expect(Successful).toHaveLength(done.length);
    for (const message of done) ledger.confirmedRemovals.add(message.Body ?? "");
  }
}

async function store(s3: Clients["s3"], ledger: Ledger): Promise<never> {
  for (let count = 0; ; count++) {
    const Key = randomUUID();
    ledger.startedAdds.add(Key);
    await s3.send(new PutObjectCommand({ Bucket, Key, Body: Key.repeat(100) }));
    ledger.confirmedAdds.add(Key);
    if (count % 3 !== 0) continue;
    ledger.startedRemovals.add(Key);
    await s3.send(new DeleteObjectCommand({ Bucket, Key }));
    ledger.confirmedRemovals.add(Key);
  }
}

/** Compares the actual names with the callers' record. */
function compare(actual: readonly string[], ledger: Ledger): void {
  const actualSet = new Set(actual);
  expect(actualSet.size, "duplicates").toBe(actual.length);
  expect(
    ledger.expected().filter((name) => !actualSet.has(name)),
    "lost",
  ).toEqual([]);
  expect(
    actual.filter((name) => ledger.confirmedRemovals.has(name)),
    "back from deletion",
  ).toEqual([]);
  expect(
    actual.filter((name) => !ledger.startedAdds.has(name)),
    "never sent",
  ).toEqual([]);
}

/** Runs every kind of call, kills the process during the calls, and waits until every caller has failed. */
async function trafficUntilKilled(
  clients: Clients,
  kill: () => Promise<void>,
  messages: Ledger,
  objects: Ledger,
): Promise<void> {
  const queue = await createTestQueue(clients.sqs, "traffic", { VisibilityTimeout: "600" });
  if (objects.startedAdds.size === 0) await clients.s3.send(new CreateBucketCommand({ Bucket }));
  const enough = {
    removed: messages.confirmedRemovals.size + CALLS_PER_ROUND,
    stored: objects.confirmedAdds.size + CALLS_PER_ROUND,
  };
  const outcomes = Promise.allSettled(
    Array.from({ length: CALLERS }, () => [
      produce(clients.sqs, queue, messages),
      consume(clients.sqs, queue, messages),
      store(clients.s3, objects),
    ]).flat(),
  );
  while (messages.confirmedRemovals.size < enough.removed || objects.confirmedAdds.size < enough.stored) await pause(1);
  await pause(Math.random() * 20);
  await kill();
  for (const outcome of await outcomes) {
    // Every caller must fail because the process died, not because of a response.
    if (outcome.status === "rejected" && outcome.reason.$metadata?.httpStatusCode !== undefined) throw outcome.reason;
    if (outcome.status === "rejected" && outcome.reason.matcherResult) throw outcome.reason;
  }
}

test("a process killed during traffic loses no answered call and restores nothing that was deleted", async () => {
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

  const fixture = await startEmulatorFixture(dataDir, Date.now() + 10_000);
  try {
    const queue = await createTestQueue(fixture.sqs, "traffic", { VisibilityTimeout: "600" });
    const bodies: string[] = [];
    for (let received = await queue.receive(); received.length > 0; received = await queue.receive()) {
      bodies.push(...received.map((message) => message.Body ?? ""));
    }
    compare(bodies, messages);
    expect(messages.confirmedRemovals.size).toBeGreaterThanOrEqual(ROUNDS * CALLS_PER_ROUND);

    const keys: string[] = [];
    for (let token: string | undefined, more = true; more; more = token !== undefined) {
      const page = await fixture.s3.send(new ListObjectsV2Command({ Bucket, ContinuationToken: token }));
      keys.push(...(page.Contents ?? []).map((one) => one.Key ?? ""));
      token = page.NextContinuationToken;
    }
    compare(keys, objects);
    for (const Key of keys) {
      const { Body } = await fixture.s3.send(new GetObjectCommand({ Bucket, Key }));
      expect(await Body?.transformToString()).toBe(Key.repeat(100));
    }
  } finally {
    await fixture.close();
  }
});
