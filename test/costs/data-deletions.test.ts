import { afterAll, beforeAll, expect, test } from "vitest";
import { deauthorize } from "../../shared/flows/accounts/duties/deauthorize.ts";
import { deleteData } from "../../shared/flows/accounts/duties/delete-data.ts";
import { readDataDeletion } from "../../shared/flows/accounts/duties/read-deletion.ts";
import { openLoginFixture } from "../shared/flows/accounts/duties/support/login-fixture.ts";
import { openTestEnv, type TestEnv } from "../shared/flows/support/test-env.ts";
import { attachMeter, type Meter } from "../support/meter.ts";

// The exact costs of the platforms' requests about a person, as in docs/design/table-costs.md.

const LOGIN = ["17841400000000001", "7000000000000001"];

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

async function cost(work: () => Promise<unknown>) {
  const { wcu, rcu } = await meter.measure("work", work);
  return [wcu, rcu];
}

test("a request about a person costs two reads, and a data deletion seven writes for each account", async () => {
  const fixture = await openLoginFixture(testEnv);
  const ports = fixture.ports();
  const user = LOGIN[0] ?? "";
  const request = () => deleteData(ports, { platformUserId: user, now: testEnv.now() });
  expect(await cost(request)).toEqual([1, 2]);
  expect(await cost(() => deauthorize(ports, { platformUserId: user, now: testEnv.now() }))).toEqual([0, 1]);
  const account = await fixture.connect("one", LOGIN);
  await fixture.receive(account, "100");
  expect(await cost(() => deauthorize(ports, { platformUserId: user, now: testEnv.now() }))).toEqual([0, 2]);
  expect(await cost(request)).toEqual([7, 3]);
  expect(await cost(async () => readDataDeletion(ports, await request()))).toEqual([0, 3]);
});
