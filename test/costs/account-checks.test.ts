import { expect, test } from "vitest";
import { newUlid } from "#base/kernel/ids.ts";
import { PICTURE_URL_CHARS_MAX } from "#base/kernel/limits.ts";
import { DAY, HOUR } from "#base/kernel/time.ts";
import { type CheckFixture, openCheckFixture } from "../features/accounts/flows/health-checks/support/check-fixture.ts";
import { openTestEnv } from "../support/flows/test-env.ts";
import { attachMeter } from "../support/meter.ts";
import { openedOnce } from "../support/opened.ts";

const testEnv = openedOnce(openTestEnv);
const meter = openedOnce(() => attachMeter(testEnv.client, testEnv.table.name));

async function cost(work: () => Promise<unknown>): Promise<{ wcu: number; rcu: number }> {
  const { wcu, rcu } = await meter.measure("check", work);
  return { wcu, rcu };
}

async function passToDueHour(fixture: CheckFixture): Promise<void> {
  const { dueAt = 0 } = (await fixture.readCheck()) ?? {};
  testEnv.advance(Math.max(0, dueAt - testEnv.now()) + HOUR);
  await fixture.enqueue();
  testEnv.advance(HOUR);
}

test.each([
  ["instagram_login", ["readSubscription", "listThreads"]],
  ["messenger", ["inspect", "readSubscription", "listThreads"]],
] as const)(
  "a check without news of %s is three writes, two reads and at most three calls",
  async (connection, calls) => {
    const fixture = await openCheckFixture(testEnv, connection);
    expect(await cost(() => fixture.enqueue())).toEqual({ wcu: 0, rcu: 0.5 });
    await passToDueHour(fixture);
    expect(await cost(() => fixture.work())).toEqual({ wcu: 3, rcu: 2 });
    expect(fixture.takeCalls()).toEqual(calls);
  },
);

test("a check that reads the picture again costs one more call, and no write", async () => {
  const fixture = await openCheckFixture(testEnv);
  const longest = "https://pictures.example/?oe=F4865700&x=".padEnd(PICTURE_URL_CHARS_MAX, "x");
  await fixture.link({ pictureUrl: "https://pictures.example/shop.jpg?oe=00000001" });
  fixture.answers.readPicture = { kind: "read", url: longest };
  await passToDueHour(fixture);
  expect(await cost(() => fixture.work())).toEqual({ wcu: 3, rcu: 2 });
  expect(fixture.takeCalls()).toEqual(["readSubscription", "listThreads", "readPicture"]);
  expect((await fixture.readCheck())?.picture?.url).toBe(longest);
  await passToDueHour(fixture);
  expect(await cost(() => fixture.work())).toEqual({ wcu: 3, rcu: 2 });
  expect(fixture.takeCalls()).toEqual(["readSubscription", "listThreads"]);
});

test("a check that refreshes the token writes the account, too", async () => {
  const fixture = await openCheckFixture(testEnv);
  testEnv.advance(31 * DAY);
  await passToDueHour(fixture);
  expect(await cost(() => fixture.work())).toEqual({ wcu: 4, rcu: 2 });
  expect(fixture.takeCalls()).toEqual(["refresh", "readSubscription", "listThreads"]);
});

test("a check that changes the status stores and publishes it, and queues the mail", async () => {
  const fixture = await openCheckFixture(testEnv, "messenger");
  const dead = { isValid: false, hasRights: false, detail: "(#190)", dataAccessExpiresAt: null } as const;
  fixture.answers.inspect = { kind: "inspected", ...dead };
  await passToDueHour(fixture);
  expect(await cost(() => fixture.work())).toEqual({ wcu: 7, rcu: 3 });
  expect(fixture.takeCalls()).toEqual(["inspect"]);
  expect(await fixture.mails()).toHaveLength(1);
  // It stays: nothing new is stored.
  await passToDueHour(fixture);
  expect(await cost(() => fixture.work())).toEqual({ wcu: 3, rcu: 2 });
  expect(fixture.takeCalls()).toEqual(["inspect"]);
  delete fixture.answers.inspect;
  await passToDueHour(fixture);
  expect(await cost(() => fixture.work())).toEqual({ wcu: 6, rcu: 3 });
  expect(fixture.takeCalls()).toEqual(["inspect", "listThreads", "readSubscription", "listThreads"]);
});

test("a restriction is read while its wait lasts, and its check moves", async () => {
  const fixture = await openCheckFixture(testEnv);
  const at = testEnv.now();
  const change = { status: "restricted", detail: "(#368)", asOf: at, at, eventUlid: newUlid(at) } as const;
  await fixture.stores.accounts.setStatus(fixture.tenant, fixture.account, change);
  await fixture.checkNow();
  expect(await cost(() => fixture.checkNow())).toEqual({ wcu: 0, rcu: 2 });
  expect(fixture.takeCalls()).toEqual([]);
  const refusal = { kind: "refused", class: "restricted", code: 368, subcode: null, transient: false } as const;
  fixture.answers.listThreads = { ...refusal, accountStatus: "restricted", detail: "(#368)" };
  await passToDueHour(fixture);
  expect(await cost(() => fixture.work())).toEqual({ wcu: 4, rcu: 4 });
  expect(fixture.takeCalls()).toEqual(["listThreads"]);
});

test("a new subscription writes the account, and notes and queues a backfill for each account that uses it", async () => {
  const fixture = await openCheckFixture(testEnv);
  fixture.answers.readSubscription = { kind: "read", isComplete: false };
  await passToDueHour(fixture);
  expect(await cost(() => fixture.work())).toEqual({ wcu: 6, rcu: 5 });
  expect(fixture.takeCalls()).toEqual(["readSubscription", "subscribe"]);
  expect(await fixture.takeTasks()).toHaveLength(1);
});

test("the check of an account that is gone removes itself and lets its login expire", async () => {
  const fixture = await openCheckFixture(testEnv);
  await fixture.disconnect();
  await passToDueHour(fixture);
  expect(await cost(() => fixture.work())).toEqual({ wcu: 3, rcu: 2 });
});
