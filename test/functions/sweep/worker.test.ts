import { beforeEach, describe, expect, it } from "vitest";
import { newUlid } from "#base/kernel/ids.ts";
import { HOUR, MINUTE, SECOND } from "#base/kernel/time.ts";
import { decodeAccountTask } from "#features/accounts/queue.ts";
import { dataDeletionStore } from "#features/accounts/store/data-deletions.ts";
import { conversationId } from "#features/inbox/rules/messages.ts";
import { sweepWorker } from "../../../functions/sweep/worker.ts";
import { queueDepth, receiveAllMessages } from "../../support/flows/queue-worker.ts";
import { openTestEnv, type TestQueues } from "../../support/flows/test-env.ts";
import { openedOnce } from "../../support/opened.ts";
import { ACCOUNT, newTenant, PERSON } from "../../support/stores/samples.ts";

let queues: TestQueues;
const testEnv = openedOnce(openTestEnv);
beforeEach(async () => {
  testEnv.advance(HOUR);
  queues = await testEnv.newQueues();
  // Sends what the previous test left to queues of its own.
  await sweepWorker(ports(), testEnv.now)(null, invocation(50 * SECOND));
  queues = await testEnv.newQueues();
  const [tenant, at] = [newTenant(), testEnv.now()];
  const dueAt = at + 5 * MINUTE;
  await ports().due.put({ tenant, endpointId: newUlid(at), eventUlid: newUlid(at), attempt: 4, dueAt });
  await ports().dueSends.put({
    conversationId: conversationId({ tenant, account: ACCOUNT, participantId: PERSON }),
    sendId: newUlid(at),
    startedAt: at,
    content: { kind: "text", text: "hi" },
  });
  testEnv.advance(5 * MINUTE);
  testEnv.lines.length = 0;
});

const ports = () => ({ ...testEnv.apiPorts(queues), ...testEnv.sweepPorts(queues) });
const invocation = (remaining: number) => ({ getRemainingTimeInMillis: () => remaining });
const settledSends = () => testEnv.lines.flatMap((line) => (line.event === "sends.settled" ? [line.sends] : []));
const queuedRetries = () => queueDepth(testEnv.eventSource, queues.deliveries);

it("the sweep starts no page in its last fifteen seconds, and leaves the rest to the next sweep", async () => {
  const sweep = sweepWorker(ports(), testEnv.now);
  await sweep(null, invocation(15 * SECOND));
  expect([await queuedRetries(), settledSends()]).toEqual([0, []]);
  await sweep(null, invocation(15 * SECOND + 1));
  expect([await queuedRetries(), settledSends()]).toEqual([1, [1]]);
});

it.each(["due", "dueSends", "holds"] as const)(
  "the sweep fails when one of its tasks fails (%s), and completes the others",
  async (failingStore) => {
    const [checkpoint, listOverdue] = [
      () => Promise.reject(new Error("store failed")),
      () => [Promise.reject(new Error("store failed"))],
    ];
    const sweep = sweepWorker(
      { ...ports(), [failingStore]: { ...ports()[failingStore], checkpoint, listOverdue } } as never,
      testEnv.now,
    );
    await expect(sweep(null, invocation(50 * SECOND))).rejects.toThrow("store failed");
    expect([await queuedRetries(), settledSends()]).toEqual([
      failingStore === "due" ? 0 : 1,
      failingStore === "dueSends" ? [] : [1],
    ]);
  },
);

it("the sweep continues the data deletions that are due", async () => {
  const dataDeletions = dataDeletionStore(testEnv.table);
  const [code, tenant, now] = ["c".repeat(32), newTenant(), testEnv.now()];
  const audit = {
    action: "platform.data_deletion",
    resource: "account",
    actor: "system",
    ip: null,
    detail: {},
    at: now,
  } as const;
  await dataDeletions.addAccount(
    { code, tenant, account: ACCOUNT, keepsNewer: false },
    { now, issuedAt: now, dueAt: now },
    audit,
  );
  await sweepWorker(ports(), testEnv.now)(null, invocation(50 * SECOND));
  const [task] = await receiveAllMessages(testEnv.eventSource, queues.accounts);
  expect(decodeAccountTask(task?.body ?? "")).toMatchObject({
    op: "erase_conversations",
    code,
    tenant,
    account: ACCOUNT,
  });
});

it.each(["constructor", "toString", "__proto__", "unknown"])(
  "an input with the task %s runs the sweep of the minute",
  async (task) => {
    await sweepWorker(ports(), testEnv.now)({ task }, invocation(50 * SECOND));
    expect([await queuedRetries(), settledSends()]).toEqual([1, [1]]);
  },
);

describe("the hourly schedule", () => {
  const task = { task: "purge" };
  const purgedAt = () => testEnv.lines.flatMap(({ event }) => (event.endsWith(".purged") ? [event] : []));

  it("the hourly schedule purges raw webhooks, their dead letters and uploads, and leaves the rest to the sweep of the minute", async () => {
    await sweepWorker(ports(), testEnv.now)(task, invocation(50 * SECOND));
    expect(purgedAt().toSorted()).toEqual(["dead_letters.purged", "raw_webhooks.purged", "uploads.purged"]);
    expect([await queuedRetries(), settledSends()]).toEqual([0, []]);
    await sweepWorker(ports(), testEnv.now)({ source: "aws.events" }, invocation(50 * SECOND));
    expect(purgedAt()).toHaveLength(3);
  });

  it("the hourly schedule completes the other purges when one fails", async () => {
    const files = { ...ports().files, list: () => Promise.reject(new Error("bucket failed")) };
    const sweep = sweepWorker({ ...ports(), files }, testEnv.now);
    await expect(sweep(task, invocation(50 * SECOND))).rejects.toThrow("bucket failed");
    expect(purgedAt().toSorted()).toEqual(["dead_letters.purged", "uploads.purged"]);
  });
});
