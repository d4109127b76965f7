import { QueryCommand } from "@aws-sdk/lib-dynamodb";
import { expect, it } from "vitest";
import { openFiles } from "#base/aws/files.ts";
import { randomToken } from "#base/kernel/bytes.ts";
import { newUlid, ulidTime } from "#base/kernel/ids.ts";
import { RAW_COPY_ROW_BYTES_MAX, RETENTION, UPLOAD_FINISHABLE, UPLOAD_PROCESSING_MAX } from "#base/kernel/limits.ts";
import { DAY, HOUR, MINUTE, type Millis, SECOND } from "#base/kernel/time.ts";
import { quarantineDeadLetter } from "#features/dead-letters/flows/quarantine.ts";
import { storeRawCopies } from "#features/inbox/flows/inbound-webhooks.ts";
import { largeWebhookKey } from "#features/inbox/rules/raw-webhooks.ts";
import { copyKey, newUploadId, postedKey } from "#features/uploads/rules/uploads.ts";
import { sweepWorker } from "../../../functions/sweep/worker.ts";
import { openBucket } from "../../histories/cloud/bucket.ts";
import { faultPoints, injectFaultAt } from "../../support/flows/fault-injection.ts";
import { inboundBody } from "../../support/flows/inbound-webhooks.ts";
import { openTestEnv } from "../../support/flows/test-env.ts";
import { openedOnce } from "../../support/opened.ts";
import { repetitions } from "../../support/sampling.ts";
import { openStores } from "../../support/stores/open-stores.ts";

const testEnv = openedOnce(openTestEnv);
const queues = openedOnce(() => testEnv.newQueues());

/** How late a schedule may start a run. */
const LATE_MAX: Millis = 30 * SECOND;
/** Lambda repeats a failed run after one minute, and again after two more. */
const REPETITIONS: readonly Millis[] = [0, MINUTE, 2 * MINUTE];
const HOURS = 3 * 24;
/** What arrives in an hour, at these times after its start. */
const ARRIVALS: readonly Millis[] = [0, 4 * MINUTE, 27 * MINUTE, HOUR - 1];
/** A run needs fewer calls than this, so it does not die in each hour. */
const CALLS = 20;
/** Each fault at each call. The hours of three days have all of them. */
const faults = faultPoints.flatMap((faultPoint) =>
  Array.from({ length: CALLS }, (_, call) => [faultPoint, call] as const),
);

interface Storage {
  readonly raw: ReturnType<typeof openBucket>;
  readonly uploads: ReturnType<typeof openBucket>;
  /** When the file of each key arrived. */
  readonly arrivals: Map<string, Millis>;
}

function openStorage(): Storage {
  return { raw: openBucket(testEnv.now), uploads: openBucket(testEnv.now), arrivals: new Map() };
}

/** Stores a webhook as the functions do: a raw copy, a large body and a dead letter. */
async function storeWebhook({ raw, arrivals }: Storage, arrivedAt: Millis): Promise<void> {
  const stored = raw.objects.length;
  const files = openFiles("raw", raw.client);
  const copy = { receivedAt: arrivedAt, raw: Buffer.from(randomToken(RAW_COPY_ROW_BYTES_MAX).toString("base64")) };
  await storeRawCopies({ ...testEnv.ingestPorts(queues), files }, newUlid(arrivedAt), [copy], arrivedAt);
  await files.put(largeWebhookKey(arrivedAt, newUlid(arrivedAt)), Buffer.from("{}"));
  for (const { key } of raw.objects.slice(stored)) arrivals.set(key, arrivedAt);
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

/** Stores the posted file of an upload and its copy. */
async function storeUpload({ uploads, arrivals }: Storage, createdAt: Millis): Promise<void> {
  const id = newUploadId(createdAt);
  for (const key of [postedKey(id), copyKey({ id, random: newUlid(createdAt), name: `${id}.png` })]) {
    await openFiles("uploads", uploads.client).put(key, Buffer.from("png"));
    arrivals.set(key, createdAt);
  }
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
 * The runs of the hourly schedule of one hour: one fault meets the first run, and another one the next run.
 * @returns how many died
 */
async function runPurge({ raw, uploads }: Storage, hour: number): Promise<number> {
  const clients = [testEnv.client, raw.client, uploads.client];
  const ports = {
    ...testEnv.apiPorts(queues),
    ...testEnv.sweepPorts(queues),
    files: openFiles("raw", raw.client),
    uploadFiles: openFiles("uploads", uploads.client),
  };
  for (const [repetition, wait] of REPETITIONS.entries()) {
    testEnv.advance(wait);
    if (hour < HOURS) expect(testEnv.now() - (await oldestDeadLetter())).toBeLessThanOrEqual(RETENTION);
    const [faultPoint, call] = faults[(hour + Math.floor(faults.length / 2) * repetition) % faults.length] ?? [
      "before",
      0,
    ];
    const injection = injectFaultAt(clients, faultPoint, repetition < REPETITIONS.length - 1 ? call : CALLS);
    const run = sweepWorker(ports, testEnv.now)({ task: "purge" }, { getRemainingTimeInMillis: () => 50_000 });
    const hasDied = await run.then(
      () => false,
      () => true,
    );
    injection.remove();
    if (!hasDied) return repetition;
  }
  throw new Error("The last run failed.");
}

/** When the runs start after the hour: with 5 minutes to spare, just too early for another hour, and late every other hour. */
const PHASES = [0, 31 * MINUTE, 52 * MINUTE - 1, HOUR - LATE_MAX + 1].slice(-repetitions({ whole: 4, sample: 2 }));

it.each(PHASES)(
  "nothing is stored longer than its retention in any hour of three days, although runs die at each call (%i ms after the hour)",
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
      for (const after of ARRIVALS) await storeUpload(storage, startedAt + hour * HOUR + after);
      testEnv.advance(runsAt - testEnv.now());
      deaths += await runPurge(storage, hour);
    }
    expect(deaths).toBeGreaterThan(HOURS / 2);
    const ages = [...storage.raw.objects, ...storage.uploads.objects].map(({ key, removedAt }) => {
      const arrivedAt = storage.arrivals.get(key) ?? 0;
      return { key, age: (removedAt ?? testEnv.now()) - arrivedAt, isUpload: uploadHourOfKey(key) !== null };
    });
    expect(ages.filter(({ age, isUpload }) => age > (isUpload ? DAY : RETENTION))).toEqual([]);
    // Until then an upload can be finished and handed over.
    const removed = storage.uploads.objects.filter(({ removedAt }) => removedAt !== null);
    expect(removed.length).toBeGreaterThan((HOURS - 25) * ARRIVALS.length * 2);
    const hourStart = (key: string) => Date.parse(`${uploadHourOfKey(key)}:00:00Z`);
    const tooEarly = ({ key, removedAt }: (typeof removed)[number]) =>
      Number(removedAt) - hourStart(key) < UPLOAD_FINISHABLE + UPLOAD_PROCESSING_MAX;
    expect(removed.filter(tooEarly)).toEqual([]);
  },
);

/** The hour in the key of an uploaded file; null if the key is of no upload. */
function uploadHourOfKey(key: string): string | null {
  return /^[uh]\/(\d{4}-\d\d-\d\dT\d\d)\//.exec(key)?.[1] ?? null;
}
