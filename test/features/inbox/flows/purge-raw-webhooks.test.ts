import { randomBytes } from "node:crypto";
import { beforeEach, expect, it } from "vitest";
import { openQueue } from "#base/aws/queues.ts";
import { ulidTime } from "#base/kernel/ids.ts";
import { RAW_COPY_ROW_BYTES_MAX, RETENTION } from "#base/kernel/limits.ts";
import { forEachConcurrent } from "#base/kernel/parallel.ts";
import { DAY, HOUR, MINUTE, type Millis } from "#base/kernel/time.ts";
import { receiveWebhook, storeRawCopies } from "#features/inbox/flows/inbound-webhooks.ts";
import { purgeRawWebhooks } from "#features/inbox/flows/purge-raw-webhooks.ts";
import { rawCopiesFolder } from "#features/inbox/rules/raw-webhooks.ts";
import { faultPoints, strikeEachCall } from "../../../support/flows/fault-injection.ts";
import { openTestEnv } from "../../../support/flows/test-env.ts";
import { openedOnce } from "../../../support/opened.ts";

const testEnv = openedOnce(openTestEnv);
const queues = openedOnce(() => testEnv.newQueues());
beforeEach(async () => {
  testEnv.advance(9 * DAY);
  await purge();
  testEnv.lines.length = 0;
});

const purge = (hasTime: () => boolean = () => true) =>
  purgeRawWebhooks(testEnv.sweepPorts(queues), testEnv.now(), hasTime);

async function listKeys(): Promise<string[]> {
  const pages = await Promise.all(["raw/", "inbound/"].map((prefix) => testEnv.files.list(prefix, null)));
  return pages.flatMap(({ keys }) => keys);
}

/** Stores the copy of one webhook that is too large for a row. Its file is named by its arrival. */
const storeCopy = (receivedAt: Millis, storedAt = receivedAt) => {
  const raw = Buffer.from(randomBytes(RAW_COPY_ROW_BYTES_MAX).toString("base64"));
  return storeRawCopies(testEnv.ingestPorts(queues), `copy-${receivedAt}`, [{ receivedAt, raw }], storedAt);
};

async function storeLargeWebhook(): Promise<void> {
  const intake = { inbound: openQueue(queues.inbound, testEnv.sqs), files: testEnv.files };
  await receiveWebhook(intake as never, randomBytes(201_000), testEnv.now());
}

function arrivalOf(key: string): Millis {
  const name = key.split("/").at(-1)?.split(".")[0] ?? "";
  return key.startsWith("raw/") ? Number(name.replace("copy-", "")) : ulidTime(name);
}

it("an hourly purge ends raw copies and large webhooks within seven days of their arrival, and none two hours before that", async () => {
  for (let stored = 0; stored < 10; stored++) {
    await storeCopy(testEnv.now());
    await storeLargeWebhook();
    testEnv.advance(20 * MINUTE);
  }
  const storedKeys = await listKeys();
  expect(storedKeys).toHaveLength(20);
  const arrivals = storedKeys.map(arrivalOf);
  testEnv.advance(Math.min(...arrivals) + RETENTION - 4 * HOUR - testEnv.now());
  const purgedAges: Millis[] = [];
  for (let run = 0; run < 9; run++) {
    const before = await listKeys();
    for (const key of before) expect(testEnv.now() - arrivalOf(key)).toBeLessThanOrEqual(RETENTION);
    await purge();
    const left = new Set(await listKeys());
    purgedAges.push(...before.filter((key) => !left.has(key)).map((key) => testEnv.now() - arrivalOf(key)));
    testEnv.advance(HOUR);
  }
  expect(purgedAges).toHaveLength(20);
  expect(Math.min(...purgedAges)).toBeGreaterThan(RETENTION - 2 * HOUR - 10 * MINUTE);
  expect(testEnv.lines).toContainEqual({ event: "raw_webhooks.purged", files: 2 * 3, complete: true });
});

it("an hourly purge counts from the arrival of a webhook that was processed days later", async () => {
  await storeCopy(testEnv.now() - 3 * DAY, testEnv.now());
  testEnv.advance(4 * DAY - HOUR);
  await purge();
  expect(await listKeys()).toEqual([]);
});

it("an hourly purge leaves nothing behind: no worker stores a copy that it would have removed", async () => {
  const receivedAt = testEnv.now() - RETENTION + HOUR;
  await purge();
  await storeCopy(receivedAt, testEnv.now());
  expect(await listKeys()).toEqual([]);
  await storeCopy(receivedAt + 5 * MINUTE, testEnv.now());
  expect(await listKeys()).toHaveLength(1);
});

it.each(faultPoints)(
  "an hourly purge is completed by the next one, despite a fault (%s) at any call",
  async (faultPoint) => {
    await strikeEachCall(testEnv, faultPoint, async (strike) => {
      const at = testEnv.now();
      await Promise.all([storeCopy(at), storeCopy(at + 1), storeLargeWebhook()]);
      testEnv.advance(RETENTION - 3 * HOUR);
      await storeCopy(testEnv.now());
      testEnv.advance(2 * HOUR);
      await strike.during(() => purge().catch(() => {}));
      await purge();
      expect((await listKeys()).map(arrivalOf)).toEqual([testEnv.now() - 2 * HOUR]);
      testEnv.advance(RETENTION);
      await purge();
    });
  },
);

it("an hourly purge reads and deletes a thousand files per request, and two requests when nothing ends", async () => {
  const at = testEnv.now();
  const keys = Array.from({ length: 1_003 }, (_, file) => `${rawCopiesFolder(at)}${file}.ndjson.gz`);
  await forEachConcurrent(keys, 20, (key) => testEnv.files.put(key, Buffer.from("")));
  const requests = await countRequests(() => purge());
  expect(requests).toEqual({ ListObjectsV2Command: 2 });
  testEnv.advance(RETENTION);
  expect(await countRequests(() => purge())).toEqual({ ListObjectsV2Command: 3, DeleteObjectsCommand: 2 });
  expect(await listKeys()).toEqual([]);
});

it("an hourly purge lists further pages until the first file that stays", async () => {
  const dueKeys = Array.from({ length: 11 }, (_, hour) => `${rawCopiesFolder(hour * HOUR)}x`);
  const bucket = [...dueKeys, `${rawCopiesFolder(testEnv.now())}x`, `${rawCopiesFolder(testEnv.now() + HOUR)}x`];
  const removed: string[] = [];
  let lists = 0;
  const files = {
    list: async (prefix: string, after: string | null) => {
      lists++;
      const index = prefix === "raw/" ? Number(after ?? 0) : bucket.length;
      return { keys: bucket.slice(index, index + 1), next: index + 1 < bucket.length ? `${index + 1}` : null };
    },
    removeAll: async (keys: readonly string[]) => void removed.push(...keys),
  };
  await purgeRawWebhooks({ ...testEnv.sweepPorts(queues), files }, testEnv.now(), () => true);
  expect(removed).toEqual(dueKeys);
  expect(lists).toBe(dueKeys.length + 1 + 1);
});

it("an hourly purge starts no page without time, and the next one continues", async () => {
  await storeCopy(testEnv.now());
  testEnv.advance(RETENTION);
  await purge(() => false);
  expect(await listKeys()).toHaveLength(1);
  expect(testEnv.lines).toEqual([{ event: "raw_webhooks.purged", files: 0, complete: false }]);
  await purge();
  expect(await listKeys()).toEqual([]);
});

it("an hourly purge fails when S3 refuses to delete a file", async () => {
  await storeCopy(testEnv.now());
  testEnv.advance(RETENTION);
  const stack = testEnv.s3.middlewareStack;
  const refuse =
    (next: (args: never) => Promise<{ output: object }>, context: { commandName?: string }) => async (args: never) => {
      const result = await next(args);
      const refused = { Errors: [{ Key: "raw/", Code: "AccessDenied" }] };
      return context.commandName === "DeleteObjectsCommand" ? { ...result, output: refused } : result;
    };
  stack.add(refuse as never, { step: "initialize", name: "refuse" });
  await expect(purge()).rejects.toThrow("1 objects could not be deleted.");
  stack.remove("refuse");
});

/** The requests of the bucket's client by command. */
async function countRequests(work: () => Promise<void>): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  const count = (next: (args: never) => unknown, context: { commandName?: string }) => (args: never) => {
    counts[context.commandName ?? ""] = (counts[context.commandName ?? ""] ?? 0) + 1;
    return next(args);
  };
  testEnv.s3.middlewareStack.add(count as never, { step: "initialize", name: "count" });
  await work();
  testEnv.s3.middlewareStack.remove("count");
  return counts;
}
