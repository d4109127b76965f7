import { expect, test } from "vitest";
import { HOUR, MINUTE } from "#base/kernel/time.ts";
import { deauthorize } from "#features/accounts/flows/platform-callbacks/deauthorize.ts";
import { deleteData } from "#features/accounts/flows/platform-callbacks/delete-data.ts";
import { readDataDeletion } from "#features/accounts/flows/platform-callbacks/read-deletion.ts";
import { openLoginFixture } from "../features/accounts/flows/platform-callbacks/support/login-fixture.ts";
import { invokeWorker, queueDepth } from "../support/flows/queue-worker.ts";
import { openTestEnv } from "../support/flows/test-env.ts";
import { attachMeter } from "../support/meter.ts";
import { openedOnce } from "../support/opened.ts";

// The exact costs of the platforms' requests about a person, as in docs/design/table-costs.md.

const LOGIN = ["17841400000000001", "7000000000000001"];

const testEnv = openedOnce(openTestEnv);
const meter = openedOnce(() => attachMeter(testEnv.client, testEnv.table.name));

async function cost(work: () => Promise<unknown>) {
  const { wcu, rcu } = await meter.measure("work", work);
  return [wcu, rcu];
}

test("a request about a person costs two reads, and a data deletion nine writes for each account", async () => {
  const fixture = await openLoginFixture(testEnv);
  const ports = fixture.ports();
  const user = LOGIN[0] ?? "";
  const request = () => deleteData(ports, { platformUserId: user, now: testEnv.now() });
  expect(await cost(request)).toEqual([1, 2]);
  expect(await cost(() => deauthorize(ports, { platformUserId: user, now: testEnv.now() }))).toEqual([0, 1]);
  testEnv.advance(1);
  const account = await fixture.connect("one", LOGIN);
  await fixture.receive(account, "100");
  expect(await cost(() => deauthorize(ports, { platformUserId: user, now: testEnv.now() }))).toEqual([0, 2]);
  expect(await cost(request)).toEqual([9, 3]);
  expect(await cost(async () => readDataDeletion(ports, await request(), testEnv.now()))).toEqual([1, 3]);
  testEnv.advance(1);
  expect(await cost(request)).toEqual([3, 2]);
  await fixture.settle();
});

test("a sweep costs half a read, and three writes for each account that is due; the erasing begins and ends with few", async () => {
  const fixture = await openLoginFixture(testEnv);
  const [user = ""] = LOGIN;
  expect(await cost(fixture.sweep)).toEqual([0, 0.5]);
  const account = await fixture.connect("one", LOGIN);
  await fixture.receive(account, "100");
  await deleteData(fixture.ports(), { platformUserId: user, now: testEnv.now() });
  const step = async () => {
    const worker = fixture.newWorker();
    return cost(() => invokeWorker(testEnv.eventSource, fixture.queues.accounts, worker));
  };
  await step();
  testEnv.advance(MINUTE);
  expect(await cost(fixture.sweep)).toEqual([3, 0.5]);
  const steps: number[][] = [];
  while ((await queueDepth(testEnv.eventSource, fixture.queues.accounts)) > 0) {
    steps.push(await step());
    testEnv.advance(3 * MINUTE);
  }
  expect([steps.length, steps.at(0), steps.at(-1)]).toEqual([3, [7, 5], [4, 5.5]]);
});

test("the inbox of a tenant is read once, however many passes there are", async () => {
  const fixture = await openLoginFixture(testEnv);
  const other = await fixture.connect("other", ["7000000000000009"]);
  // Ids of one length, so that the size of a page does not depend on the clock's last digits.
  for (let person = 0; person < 450; person++) await fixture.receive(other, `1${String(person).padStart(9, "0")}`);
  testEnv.advance(HOUR);
  const account = await fixture.connect("one", LOGIN);
  await fixture.receive(account, "100");
  await deleteData(fixture.ports(), { platformUserId: LOGIN[0] ?? "", now: testEnv.now() });
  const reads: number[] = [];
  for (let round = 0; round < 20; round++) {
    testEnv.advance(3 * MINUTE);
    await fixture.sweep();
    const worker = fixture.newWorker();
    const [, rcu = 0] = await cost(() => invokeWorker(testEnv.eventSource, fixture.queues.accounts, worker));
    reads.push(rcu);
  }
  const [disconnection, wait, firstPass, secondPass, ...rest] = reads;
  expect([disconnection, wait]).toEqual([9, 7]);
  // All pages in the first pass, and the newest page of 200 conversations in the second.
  expect(firstPass).toBe(21.5);
  expect(secondPass).toBe(10.5);
  expect(rest.every((rcu) => rcu === 0)).toBe(true);
  expect(await fixture.inbox()).not.toContain(fixture.conversation(account, "100"));
});
