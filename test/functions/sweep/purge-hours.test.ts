import { QueryCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, expect, it } from "vitest";
import { sweepWorker } from "../../../functions/sweep/worker.ts";
import { openFiles } from "../../../shared/aws/files.ts";
import { largeWebhookKey } from "../../../shared/domain/inbox/raw-webhooks.ts";
import { RETENTION } from "../../../shared/domain/limits.ts";
import { quarantineDeadLetter } from "../../../shared/flows/dead-letters/quarantine.ts";
import { storeRawCopies } from "../../../shared/flows/inbox/inbound-webhooks.ts";
import { newUlid, ulidTime } from "../../../shared/kernel/ids.ts";
import { DAY, HOUR, MINUTE, type Millis, SECOND } from "../../../shared/kernel/time.ts";
import { openBucket } from "../../histories/cloud/bucket.ts";
import { faultPoints, injectFaultAt } from "../../shared/flows/support/fault-injection.ts";
import { inboundBody } from "../../shared/flows/support/inbound-webhooks.ts";
import { openTestEnv, type TestEnv, type TestQueues } from "../../shared/flows/support/test-env.ts";
import { openStores } from "../../shared/stores/support/open-stores.ts";

let testEnv: TestEnv;
let queues: TestQueues;
beforeAll(async () => {
  testEnv = await openTestEnv();
  queues = await testEnv.newQueues();
});
afterAll(() => testEnv.close());

/** How late a schedule may start a run. */
const LATE_MAX: Millis = 30 * SECOND;
/** Lambda repeats a failed run after one minute, and again after two. */
const REPETITIONS: readonly Millis[] = [0, MINUTE, 2 * MINUTE];
const HOURS = 3 * 24;
/** What arrives in an hour, at these times after its start. */
const ARRIVALS: readonly Millis[] = [0, 4 * MINUTE, 27 * MINUTE, HOUR - 1];
/** A run needs no more calls than this. */
const CALLS = 9;

interface Storage {
  readonly bucket: ReturnType<typeof openBucket>;
  /** When the file of each key arrived. */
  readonly arrivals: Map<string, Millis>;
}

function openStorage(): Storage {
  return { bucket: openBucket(testEnv.now), arrivals: new Map() };
}

/** Stores a webhook as the functions do: a raw copy, a large body and a dead letter. */
async function storeWebhook({ bucket, arrivals }: Storage, arrivedAt: Millis): Promise<void> {
  const stored = bucket.objects.length;
  const files = openFiles("raw", bucket.client);
  const copy = { receivedAt: arrivedAt, raw: Buffer.from("{}") };
  await storeRawCopies({ ...testEnv.ingestPorts(queues), files }, newUlid(arrivedAt), [copy], arrivedAt);
  await files.put(largeWebhookKey(arrivedAt, newUlid(arrivedAt)), Buffer.from("{}"));
  for (const { key } of bucket.objects.slice(stored)) arrivals.set(key, arrivedAt);
  const letter = {
    queue: "Inbound",
    messageId: newUlid(arrivedAt),
    sentAt: arrivedAt,
    body: inboundBody("{}", arrivedAt),
    group: null,
    receives: 11,
  } as const;
  const ports = { ...openStores(testEnv.table), findSourceQueue: () => null, log: () => {} };
  await quarantineDeadLetter(ports, letter, new Map(), arrivedAt);
}

/** The arrival of the oldest dead letter that is stored. */
async function oldestDeadLetter(): Promise<Millis> {
  const { Items = [] } = await testEnv.client.send(
    new QueryCommand({
      TableName: testEnv.table.name,
      KeyConditionExpression: "PK = :q",
      ExpressionAttributeValues: { ":q": "QUAR#Inbound" },
      Limit: 1,
      ConsistentRead: true,
    }),
  );
  return ulidTime(String(Items[0]?.SK));
}

/**
 * The runs of the hourly schedule of one hour: the process dies at one call of the first run, and of the next one.
 * @returns how many died
 */
async function runPurge({ bucket }: Storage, hour: number): Promise<number> {
  const clients = [testEnv.client, bucket.client];
  const ports = { ...testEnv.sweepPorts(queues), files: openFiles("raw", bucket.client) };
  for (const [repetition, wait] of REPETITIONS.entries()) {
    testEnv.advance(wait);
    if (hour < HOURS) expect(testEnv.now() - (await oldestDeadLetter())).toBeLessThanOrEqual(RETENTION);
    const call = repetition < REPETITIONS.length - 1 ? (hour + 4 * repetition) % CALLS : CALLS;
    const injection = injectFaultAt(clients, faultPoints[hour % 2] ?? "before", call);
    const run = sweepWorker(ports as never, testEnv.now)({ task: "purge" }, { getRemainingTimeInMillis: () => 50_000 });
    await run.catch(() => {});
    injection.remove();
    if (!injection.reached()) return repetition;
  }
  throw new Error("The last run needed more calls.");
}

it.each([0, HOUR - LATE_MAX])(
  "stores nothing longer than its retention in any hour of three days, although runs die at each call (%i ms after the hour)",
  async (phase) => {
    const storage = openStorage();
    testEnv.advance(30 * DAY - (testEnv.now() % HOUR));
    await runPurge(storage, HOURS);
    const startedAt = testEnv.now();
    for (let hour = 0; hour < HOURS; hour++)
      for (const after of ARRIVALS) await storeWebhook(storage, startedAt - RETENTION + 2 * HOUR + hour * HOUR + after);
    let deaths = 0;
    for (let hour = 0; hour < HOURS; hour++) {
      const runsAt = startedAt + hour * HOUR + phase + (hour % 2) * LATE_MAX;
      testEnv.advance(runsAt - testEnv.now());
      deaths += await runPurge(storage, hour);
    }
    expect(deaths).toBeGreaterThan(HOURS);
    const ages = storage.bucket.objects.map(({ key, removedAt }) => [
      key,
      (removedAt ?? testEnv.now()) - (storage.arrivals.get(key) ?? 0),
    ]);
    expect(ages.filter(([, age]) => Number(age) > RETENTION)).toEqual([]);
  },
);
