import { UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { beforeEach, expect, it } from "vitest";
import { newUlid } from "#base/kernel/ids.ts";
import { DAY, HOUR, MINUTE, SECOND } from "#base/kernel/time.ts";
import { accountStore } from "#features/accounts/store/accounts.ts";
import { accountItemKey } from "#features/accounts/store/items.ts";
import { eventSchema } from "#features/webhooks/event-catalog.ts";
import { refusedWith, replyFixtures } from "../../../support/flows/reply-fixture.ts";

// An account that a refused send restricted is tried again, at first after an hour.

const { testEnv, fixture } = replyFixtures();
beforeEach(() => {
  fixture.setPlatformResponse(refused);
  testEnv.advance(SECOND);
});

const TEXT = "(#10) This account is temporarily restricted from sending messages.";
const refused = refusedWith({ class: "restricted", accountStatus: "restricted", detail: TEXT });
const accept = () => fixture.setPlatformResponse((send) => ({ kind: "accepted", messageId: `m-${send.metadata}` }));
/** The person writes, so that the window is open, and an agent replies. @returns whether the platform was called */
async function tryReply(): Promise<boolean> {
  await fixture.take({ messageId: `${fixture.tenant}-${testEnv.now()}` });
  testEnv.advance(1);
  const before = fixture.platformCalls.length;
  await fixture.sendReply();
  return fixture.platformCalls.length > before;
}
const accountEvents = async () => (await fixture.events()).filter(({ type }) => type.startsWith("account."));
const accountEventTypes = async () => (await accountEvents()).map(({ type }) => type);

it("a restricted account is tried after 1, 2, 4, 8, 16 and then every 24 hours", async () => {
  expect(await tryReply()).toBe(true);
  for (const wait of [1, 2, 4, 8, 16, 24, 24].map((hours) => hours * HOUR)) {
    testEnv.advance(wait - SECOND);
    expect(await tryReply()).toBe(false);
    testEnv.advance(SECOND);
    expect(await tryReply()).toBe(true);
  }
  // One event, however often it is tried.
  expect(await accountEventTypes()).toEqual(["account.restricted"]);
  expect(await fixture.account()).toMatchObject({ status: "restricted", statusDetail: TEXT, refreshError: null });
});

it("a restricted account says when to try again, without a call to the platform, and an idempotency key can be used again then", async () => {
  await tryReply();
  testEnv.advance(10 * MINUTE);
  const reply = () => fixture.sendReply({ idempotencyKey: "k-1" });
  expect(await reply()).toEqual({ refused: "account_restricted", detail: "restricted", retryAfter: 50 * 60 });
  testEnv.advance(50 * MINUTE);
  accept();
  expect(await reply()).toHaveProperty("messageId");
});

it("a restriction is published by the sweep if its process died, although a later refusal restricted the account again", async () => {
  await fixture.sendAndDie("accounts.setStatus");
  const unblock = { action: "unblock", at: testEnv.now(), reason: null, eventUlid: newUlid(testEnv.now()) } as const;
  await accountStore(testEnv.table).setPolicy(fixture.tenant, fixture.accountRef, unblock);
  testEnv.advance(SECOND);
  expect(await tryReply()).toBe(true);
  expect(await accountEventTypes()).toEqual(["account.restricted"]);
  testEnv.advance(MINUTE);
  await fixture.sweepSends();
  const restricted = await accountEvents();
  expect(restricted.map(({ data }) => data.account.status)).toEqual(["restricted", "restricted"]);
});

it("a restricted account recovers with the first accepted send, which is published once", async () => {
  await tryReply();
  testEnv.advance(HOUR);
  accept();
  expect(await tryReply()).toBe(true);
  expect(await fixture.account()).toMatchObject({ status: "active", statusDetail: null, retryAt: null });
  expect(await tryReply()).toBe(true);
  const [restricted, recovered, ...more] = await accountEvents();
  expect(more).toEqual([]);
  expect(restricted?.type).toBe("account.restricted");
  expect(recovered).toMatchObject({
    type: "account.recovered",
    data: { account: { status: "active" }, reason: "policy" },
  });
  expect(eventSchema("account.recovered").parse(recovered)).toEqual(recovered);
  // A later restriction starts with an hour again.
  fixture.setPlatformResponse(refused);
  await tryReply();
  testEnv.advance(HOUR);
  expect(await tryReply()).toBe(true);
});

it("the wait of a restricted account is not doubled by sends that started before the next try", async () => {
  await tryReply();
  testEnv.advance(HOUR);
  const full = Promise.withResolvers<void>();
  const before = fixture.platformCalls.length;
  fixture.setPlatformResponse(async () => {
    if (fixture.platformCalls.length === before + 3) full.resolve();
    await full.promise;
    return refused;
  });
  await Promise.all([fixture.sendReply(), fixture.sendReply(), fixture.sendReply()]);
  expect((await fixture.account())?.retryAt).toBe(testEnv.now() + 2 * HOUR);
});

it("a restricted account recovers if the process that sent died before it could publish that, with one event", async () => {
  await tryReply();
  testEnv.advance(HOUR);
  accept();
  const ports = fixture.ports();
  const failing = {
    ...ports,
    accounts: { ...ports.accounts, endRestriction: () => Promise.reject(new Error("injected")) },
  };
  await fixture.sendReply({}, "live", failing);
  expect(await fixture.account()).toMatchObject({ status: "restricted" });
  testEnv.advance(2 * MINUTE);
  await fixture.sweepSends();
  expect(await fixture.account()).toMatchObject({ status: "active" });
  await fixture.sweepSends();
  expect(await accountEventTypes()).toEqual(["account.restricted", "account.recovered"]);
});

it("a restricted account does not recover by a test send", async () => {
  await tryReply();
  testEnv.advance(HOUR);
  expect(await fixture.sendReply({}, "test")).toHaveProperty("messageId");
  expect(await fixture.account()).toMatchObject({ status: "restricted" });
  expect(await accountEventTypes()).toEqual(["account.restricted"]);
});

it("a restricted account waits for the platform's unblock if the platform blocks the account, and says why", async () => {
  await tryReply();
  const setPolicy = (action: "block" | "unblock", reason: string | null) =>
    accountStore(testEnv.table).setPolicy(fixture.tenant, fixture.accountRef, {
      action,
      reason,
      at: testEnv.now(),
      eventUlid: `${action}-event`,
    });
  await setPolicy("block", "Spam");
  expect(await fixture.account()).toMatchObject({ status: "restricted", statusDetail: "Spam", retryAt: null });
  testEnv.advance(2 * DAY);
  expect(await tryReply()).toBe(false);
  await setPolicy("unblock", null);
  expect(await fixture.account()).toMatchObject({ status: "active", statusDetail: null });
  expect(await tryReply()).toBe(true);
});

it("a restricted account that a release without retries had stored is tried at once", async () => {
  const table = testEnv.table;
  await tryReply();
  const Key = accountItemKey(fixture.tenant, fixture.accountRef);
  await table.client.send(new UpdateCommand({ TableName: table.name, Key, UpdateExpression: "REMOVE ra, rw" }));
  accept();
  expect(await tryReply()).toBe(true);
  expect(await fixture.account()).toMatchObject({ status: "active" });
});
