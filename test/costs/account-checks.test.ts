import { afterAll, beforeAll, expect, test } from "vitest";
import { HOUR } from "../../shared/kernel/time.ts";
import { type CheckFixture, openCheckFixture } from "../shared/flows/accounts/keep-alive/support/check-fixture.ts";
import { openTestEnv, type TestEnv } from "../shared/flows/support/test-env.ts";
import { attachMeter, type Meter } from "../support/meter.ts";

let testEnv: TestEnv;
let meter: Meter;
beforeAll(async () => {
  testEnv = await openTestEnv();
  meter = attachMeter(testEnv.client, testEnv.table.name);
});
afterAll(async () => {
  meter.close();
  await testEnv.close();
});

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
  ["instagram_login", ["readSubscription"]],
  ["messenger", ["inspect", "readSubscription"]],
] as const)(
  "a check without news of %s is three writes, two reads and at most two calls",
  async (connection, calls) => {
    const fixture = await openCheckFixture(testEnv, connection);
    expect(await cost(() => fixture.enqueue())).toEqual({ wcu: 0, rcu: 0.5 });
    await passToDueHour(fixture);
    expect(await cost(() => fixture.work())).toEqual({ wcu: 3, rcu: 2 });
    expect(fixture.takeCalls()).toEqual(calls);
  },
);
