import { expect, it } from "vitest";
import { newUlid } from "#base/kernel/ids.ts";
import { DAY, HOUR, MINUTE } from "#base/kernel/time.ts";
import { openTestEnv } from "../../../../support/flows/test-env.ts";
import { openedEach, openedOnce } from "../../../../support/opened.ts";
import { type CheckFixture, openCheckFixture, refusedCall } from "./support/check-fixture.ts";

// A status that a refused call caused ends without anyone, when the platform says so.

const testEnv = openedOnce(openTestEnv);
const fixture = openedEach(() => openCheckFixture(testEnv));

const TEXT = "(#10) This account is temporarily restricted.";
const restrictedCall = refusedCall({ class: "restricted", accountStatus: "restricted", code: 10, detail: TEXT });

/** A send was refused, and its process requests a check. */
async function refuseSend(of: CheckFixture, status: "restricted" | "needs_reauth", detail = TEXT) {
  testEnv.advance(1);
  const at = testEnv.now();
  const change = { status, detail, asOf: at, at, eventUlid: newUlid(at) };
  const account = await of.stores.accounts.setStatus(of.tenant, of.account, change);
  await of.checkNow();
  return account;
}

it("a restriction by a refused send ends with the check after its hour, without anyone, and is asked about once", async () => {
  await refuseSend(fixture, "restricted");
  const { retryAt } = await fixture.read();
  expect(fixture.takeCalls()).toEqual([]);
  const { dueAt = 0 } = (await fixture.readCheck()) ?? {};
  expect(dueAt).toBeGreaterThanOrEqual(retryAt ?? 0);
  expect(dueAt).toBeLessThanOrEqual((retryAt ?? 0) + 6 * MINUTE);
  await fixture.passToCheck();
  expect(fixture.takeCalls()).toEqual(["listThreads", "readSubscription", "listThreads"]);
  expect(await fixture.read()).toMatchObject({ status: "active", statusDetail: null, retryAt: null });
  expect(await fixture.events()).toEqual(["account.restricted", "account.recovered"]);
  const [, recovered] = await fixture.eventBodies();
  expect(recovered).toMatchObject({ data: { account: { status: "active" }, reason: "policy" } });
  expect(await fixture.mails()).toEqual([]);
});

it("a restriction by a refused send that lasts is asked about after 1, 2, 4, 8 and 16 hours, with one event", async () => {
  await refuseSend(fixture, "restricted");
  fixture.answers.listThreads = restrictedCall;
  for (const hours of [2, 4, 8, 16]) {
    // The daily check of an account whose wait is not over asks nothing.
    while (fixture.calls.length === 0) await fixture.passToCheck();
    const askedAt = fixture.calls.at(-1)?.at ?? 0;
    expect(fixture.takeCalls()).toEqual(["listThreads"]);
    expect(await fixture.read()).toMatchObject({ status: "restricted", retryAt: askedAt + hours * HOUR });
  }
  expect(await fixture.events()).toEqual(["account.restricted"]);
});

it("a restriction by a refused send is doubled by a refusal within a day after a check ended it, and starts with an hour again after that", async () => {
  await refuseSend(fixture, "restricted");
  await fixture.passToCheck();
  await refuseSend(fixture, "restricted");
  expect((await fixture.read()).retryAt).toBe(testEnv.now() + 2 * HOUR);
  await fixture.passToCheck();
  expect(await fixture.read()).toMatchObject({ status: "active" });
  testEnv.advance(DAY);
  await refuseSend(fixture, "restricted");
  expect((await fixture.read()).retryAt).toBe(testEnv.now() + HOUR);
});

it("a restriction by a refused send stays while the platform does not answer, and is asked about the next hour", async () => {
  await refuseSend(fixture, "restricted");
  fixture.answers.listThreads = { kind: "unknown" };
  await fixture.passToCheck();
  expect(await fixture.read()).toMatchObject({ status: "restricted", statusDetail: TEXT });
  delete fixture.answers.listThreads;
  await fixture.passHour();
  expect(await fixture.read()).toMatchObject({ status: "active" });
});

it("a restriction by a refused send that the platform reported ends by its unblock alone", async () => {
  const decide = (action: "block" | "unblock") =>
    fixture.stores.accounts.setPolicy(fixture.tenant, fixture.account, {
      action,
      at: testEnv.now(),
      reason: "Spam",
      eventUlid: newUlid(testEnv.now()),
    });
  await refuseSend(fixture, "restricted");
  await decide("block");
  for (let day = 1; day <= 3; day++) await fixture.passToCheck();
  expect(await fixture.read()).toMatchObject({ status: "restricted", statusDetail: "Spam" });
  // Each check compares the threads, and none asks before that whether the block is over.
  const check = ["readSubscription", "listThreads"];
  expect(fixture.takeCalls()).toEqual([...check, ...check, ...check]);
  await decide("unblock");
  expect(await fixture.read()).toMatchObject({ status: "active", statusDetail: null });
});

it("a restriction by a refused send of ten accounts at once is not asked about in step", async () => {
  const fixtures = [fixture];
  for (let account = 2; account <= 10; account++) fixtures.push(await openCheckFixture(testEnv));
  for (const each of fixtures) await refuseSend(each, "restricted");
  const checks = [];
  for (const each of fixtures) checks.push(await each.readCheck());
  expect(new Set(checks.map((check) => check?.dueAt)).size).toBe(10);
  // The messages of one hour are delivered over a quarter of an hour.
  testEnv.advance(2 * HOUR);
  for (const each of fixtures) await each.enqueue();
  for (let minute = 0; minute <= 15; minute++) {
    for (const each of fixtures) await each.work();
    testEnv.advance(MINUTE);
  }
  const times = fixtures.map(({ calls }) => calls[0]?.at ?? 0);
  expect(Math.min(...times)).toBeGreaterThan(0);
  expect(new Set(times).size).toBeGreaterThanOrEqual(5);
  for (const each of fixtures) expect(await each.read()).toMatchObject({ status: "active" });
});

const RIGHTS = "(#200) Requires the permission instagram_business_manage_messages.";

it("needs_reauth by a refused send is asked about at once, and taken back where token and permission are good, without a mail", async () => {
  await refuseSend(fixture, "needs_reauth", RIGHTS);
  expect(fixture.takeCalls()).toEqual(["inspect", "readSubscription", "listThreads"]);
  expect(await fixture.read()).toMatchObject({ status: "active", statusDetail: null });
  expect(await fixture.events()).toEqual(["account.needs_reauth", "account.recovered"]);
  expect(await fixture.mails()).toEqual([]);
});

it("needs_reauth by a refused send stays where the permission is missing, with one mail, and ends the day it is back", async () => {
  const lost = { isValid: true, hasRights: false, detail: RIGHTS, dataAccessExpiresAt: null } as const;
  fixture.answers.inspect = { kind: "inspected", ...lost };
  await refuseSend(fixture, "needs_reauth", RIGHTS);
  await fixture.passToCheck();
  expect(await fixture.read()).toMatchObject({ status: "needs_reauth", statusDetail: RIGHTS, refreshError: null });
  expect(await fixture.events()).toEqual(["account.needs_reauth"]);
  expect(await fixture.mails()).toHaveLength(1);
  delete fixture.answers.inspect;
  await fixture.passToCheck();
  expect(await fixture.read()).toMatchObject({ status: "active", statusDetail: null });
  expect(await fixture.events()).toEqual(["account.needs_reauth", "account.recovered"]);
});

it("needs_reauth by a refused send is taken back once a day at most, if the platform says yes to checks and no to sends", async () => {
  await refuseSend(fixture, "needs_reauth", RIGHTS);
  fixture.takeCalls();
  await refuseSend(fixture, "needs_reauth", RIGHTS);
  const recoveredAt = testEnv.now();
  expect(fixture.takeCalls()).toEqual([]);
  expect(await fixture.read()).toMatchObject({ status: "needs_reauth" });
  expect(await fixture.mails()).toHaveLength(1);
  for (let hour = 1; hour <= 23; hour++) await fixture.passHour();
  expect(fixture.takeCalls()).toEqual([]);
  for (let hour = 24; hour <= 26; hour++) await fixture.passHour();
  expect(fixture.takeCalls()).toEqual(["inspect", "readSubscription", "listThreads"]);
  expect(await fixture.read()).toMatchObject({ status: "active" });
  expect(testEnv.now() - recoveredAt).toBeLessThan(27 * HOUR);
});

it("needs_reauth by a refused send whose check had no answer is asked about the next hour, and its owners are mailed once", async () => {
  fixture.answers.inspect = { kind: "unknown" };
  await refuseSend(fixture, "needs_reauth", RIGHTS);
  expect(await fixture.mails()).toHaveLength(1);
  delete fixture.answers.inspect;
  await fixture.passHour();
  expect(await fixture.read()).toMatchObject({ status: "active" });
  expect(await fixture.mails()).toHaveLength(1);
});
