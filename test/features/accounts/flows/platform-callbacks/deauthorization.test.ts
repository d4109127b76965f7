import { expect, it } from "vitest";
import { MINUTE, SECOND } from "#base/kernel/time.ts";
import { deauthorize } from "#features/accounts/flows/platform-callbacks/deauthorize.ts";
import { deleteData } from "#features/accounts/flows/platform-callbacks/delete-data.ts";
import type { TestEnv } from "../../../../support/flows/test-env.ts";
import type { LoginFixture } from "./support/login-fixture.ts";
import { useLogins } from "./support/use-logins.ts";

// The request of a platform after a person removed the app.

let testEnv: TestEnv;
let fixture: LoginFixture;
/** The id of a person who logs in with Instagram. */
let user = "";
useLogins((opened) => {
  ({ testEnv, fixture, user } = opened);
});

const request = (platformUserId = user) => deleteData(fixture.ports(), { platformUserId, now: testEnv.now() });

it.each([
  ["before", -1, true],
  ["at", 0, false],
  ["after", 1, false],
])(
  "the removal of the app on the platform that was issued %s the account was connected again",
  async (_name, difference, stays) => {
    const account = await fixture.connect("one", [user]);
    testEnv.advance(MINUTE);
    await fixture.connect("one", [user]);
    const issuedAt = testEnv.now() + difference;
    testEnv.advance(MINUTE);
    for (let times = 0; times < 2; times++) {
      await deauthorize(fixture.ports(), { platformUserId: user, now: testEnv.now(), issuedAt });
    }
    await fixture.settle();
    expect((await fixture.stores.accounts.get(fixture.tenant, account)) !== null).toBe(stays);
    // A replay does not end a later connection.
    testEnv.advance(3 * MINUTE);
    await fixture.connect("one", [user]);
    await deauthorize(fixture.ports(), { platformUserId: user, now: testEnv.now(), issuedAt });
    await fixture.settle();
    expect(await fixture.stores.accounts.get(fixture.tenant, account)).not.toBeNull();
  },
);

it("the removal of the app on the platform disconnects the accounts that the login connects, and no other; its conversations stay", async () => {
  const own = await fixture.connect("own", [user]);
  const other = await fixture.connect("other", ["55"]);
  await fixture.connect("taken", [user]);
  testEnv.advance(SECOND);
  const taken = await fixture.connect("taken", ["55"]);
  await fixture.receive(own, "100");
  await deauthorize(fixture.ports(), { platformUserId: user, now: testEnv.now() });
  await deauthorize(fixture.ports(), { platformUserId: user, now: testEnv.now() });
  await fixture.settle();
  const accounts = [own, other, taken].map((account) => fixture.stores.accounts.get(fixture.tenant, account));
  expect((await Promise.all(accounts)).map((account) => account !== null)).toEqual([false, true, true]);
  expect(await fixture.inbox()).toHaveLength(1);
  expect((await fixture.auditActions()).filter((action) => action === "platform.deauthorize")).toHaveLength(1);
});

it("the removal of the app on the platform before a data deletion leaves its data to be found", async () => {
  const account = await fixture.connect("one", [user]);
  await fixture.receive(account, "100");
  await deauthorize(fixture.ports(), { platformUserId: user, now: testEnv.now() });
  await fixture.settle();
  await request();
  await fixture.settle();
  expect(await fixture.rowsNaming(user)).toEqual([]);
});

it("the removal of the app on the platform of an unknown person does nothing", async () => {
  await deauthorize(fixture.ports(), { platformUserId: "1", now: testEnv.now() });
  await fixture.settle();
});
