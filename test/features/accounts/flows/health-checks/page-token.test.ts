import { expect, it } from "vitest";
import { DAY, iso } from "#base/kernel/time.ts";
import { accountKey } from "#features/accounts/rules/accounts.ts";
import { openTestEnv } from "../../../../support/flows/test-env.ts";
import { openedEach, openedOnce } from "../../../../support/opened.ts";
import { openCheckFixture, refusedCall } from "./support/check-fixture.ts";

// The token of a page has no end and dies without notice, so that each check asks about it.

const testEnv = openedOnce(openTestEnv);
const fixture = openedEach(() => openCheckFixture(testEnv, "messenger"));

const good = { kind: "inspected", isValid: true, detail: null, hasRights: true, dataAccessExpiresAt: null } as const;
const dead = { ...good, isValid: false, hasRights: false, detail: "(#190) The password was changed." };

it("a dead page token is needs_reauth with one event and one mail, and alive again it is active", async () => {
  await fixture.passToCheck();
  expect(fixture.takeCalls()).toEqual(["inspect", "readSubscription", "listThreads"]);
  fixture.answers.inspect = dead;
  await fixture.passToCheck();
  await fixture.passToCheck();
  expect(await fixture.read()).toMatchObject({ status: "needs_reauth", statusDetail: dead.detail, refreshError: null });
  expect(await fixture.events()).toEqual(["account.needs_reauth"]);
  expect(await fixture.mails()).toHaveLength(1);
  expect((await fixture.mails())[0]?.text).toContain(`messenger#${fixture.account.externalId}`);
  fixture.answers.inspect = good;
  await fixture.passToCheck();
  expect(await fixture.read()).toMatchObject({ status: "active", statusDetail: null });
  expect(await fixture.events()).toEqual(["account.needs_reauth", "account.recovered"]);
  expect(await fixture.mails()).toHaveLength(1);
});

it("a page token without the permission to send messages is needs_reauth", async () => {
  fixture.answers.inspect = { ...good, hasRights: false };
  await fixture.passToCheck();
  expect(await fixture.read()).toMatchObject({
    status: "needs_reauth",
    statusDetail: "The permission to read and send messages is missing.",
  });
  expect(await fixture.events()).toEqual(["account.needs_reauth"]);
});

it.each([
  ["conversations", "listThreads"],
  ["subscription", "readSubscription"],
] as const)(
  "a page token that is valid for an account whose %s the platform refuses stays needs_reauth",
  async (_name, call) => {
    fixture.answers.inspect = dead;
    await fixture.passToCheck();
    fixture.answers.inspect = good;
    fixture.answers[call] = refusedCall({
      class: "permission",
      code: 100,
      subcode: 2534013,
      accountStatus: "needs_reauth",
    });
    await fixture.passToCheck();
    await fixture.passToCheck();
    expect(await fixture.read()).toMatchObject({ status: "needs_reauth", statusDetail: dead.detail });
    expect(await fixture.events()).toEqual(["account.needs_reauth"]);
    expect(await fixture.mails()).toHaveLength(1);
    fixture.answers[call] = { kind: "unknown" };
    await fixture.passToCheck();
    expect(await fixture.read()).toMatchObject({ status: "needs_reauth" });
    delete fixture.answers[call];
    await fixture.passHour();
    expect(await fixture.read()).toMatchObject({ status: "active", statusDetail: null });
    expect(await fixture.events()).toEqual(["account.needs_reauth", "account.recovered"]);
  },
);

it("a page token names the end of the platform's data access from 14 days before it, without an event", async () => {
  const endsAt = testEnv.now() + 20 * DAY;
  fixture.answers.inspect = { ...good, dataAccessExpiresAt: endsAt };
  await fixture.passToCheck();
  expect((await fixture.read()).statusDetail).toBeNull();
  testEnv.advance(7 * DAY);
  await fixture.passToCheck();
  expect(await fixture.read()).toMatchObject({
    status: "active",
    statusDetail: `The platform's data access ends on ${iso(endsAt).slice(0, 10)}. Connect the account again to extend it.`,
  });
  fixture.answers.inspect = { ...good, dataAccessExpiresAt: endsAt + 60 * DAY };
  await fixture.passToCheck();
  expect((await fixture.read()).statusDetail).toBeNull();
  expect(await fixture.events()).toEqual([]);
});

it("a page token of an app that may not ask is judged by its own reads", async () => {
  const wrongApp = refusedCall({ class: "token", code: 190, accountStatus: "needs_reauth" });
  fixture.answers.inspect = wrongApp;
  await fixture.passToCheck();
  expect(fixture.takeCalls()).toEqual(["inspect", "readSubscription", "listThreads"]);
  expect(await fixture.read()).toMatchObject({ status: "active", statusDetail: null });
  fixture.answers.readSubscription = refusedCall({ class: "token", code: 190, accountStatus: "needs_reauth" });
  await fixture.passToCheck();
  expect(await fixture.read()).toMatchObject({ status: "needs_reauth" });
  delete fixture.answers.readSubscription;
  fixture.takeCalls();
  await fixture.passToCheck();
  expect(fixture.takeCalls()).toEqual(["inspect", "listThreads", "readSubscription", "listThreads"]);
  expect(await fixture.read()).toMatchObject({ status: "active" });
  expect(testEnv.lines).toContainEqual({
    event: "account.inspection_refused",
    tenant: fixture.tenant,
    account: accountKey(fixture.account),
    code: 190,
  });
});

it.each([
  ["no answer", { kind: "unknown" }],
  ["too many calls", refusedCall({ class: "rate", code: 4 })],
  ["an error that passes", refusedCall({ transient: true })],
] as const)("a page token keeps its status after %s, and is asked about the next hour", async (_name, answer) => {
  fixture.answers.inspect = answer;
  await fixture.passToCheck();
  await fixture.passHour();
  expect(fixture.takeCalls()).toEqual(["inspect", "inspect"]);
  delete fixture.answers.inspect;
  await fixture.passHour();
  await fixture.passHour();
  expect(fixture.takeCalls()).toEqual(["inspect", "readSubscription", "listThreads"]);
  expect(await fixture.read()).toMatchObject({ status: "active", statusDetail: null, refreshError: null });
  expect(await fixture.events()).toEqual([]);
});
