import { beforeEach, expect, it } from "vitest";
import { openQueue } from "#base/aws/queues.ts";
import { ulidTime } from "#base/kernel/ids.ts";
import { DAY, HOUR, MINUTE } from "#base/kernel/time.ts";
import { accountKey } from "#features/accounts/rules/accounts.ts";
import { openTestEnv } from "../../../../support/flows/test-env.ts";
import { openedEach, openedOnce } from "../../../../support/opened.ts";
import { linkTestAccount } from "../support/link-test-account.ts";
import { openCheckFixture, refusedCall } from "./support/check-fixture.ts";

// The platforms end a subscription after an hour of failed webhooks. The next check subscribes again.

const testEnv = openedOnce(openTestEnv);
const fixture = openedEach(() => openCheckFixture(testEnv));
beforeEach(async () => {
  testEnv.lines.length = 0;
});

const missing = { kind: "read", isComplete: false } as const;

it("a subscription that is missing is made again, and the messages since the last complete one are fetched", async () => {
  await fixture.passToCheck();
  const seenAt = fixture.calls.at(-1)?.at ?? 0;
  expect((await fixture.readCheck())?.subscribedAt).toBe(seenAt);
  fixture.answers.readSubscription = missing;
  await fixture.passToCheck();
  const subscribedAt = fixture.calls.at(-1)?.at ?? 0;
  expect(fixture.takeCalls()).toEqual(["readSubscription", "listThreads", "readSubscription", "subscribe"]);
  const { connectionId } = await fixture.read();
  expect(await fixture.takeTasks()).toEqual([
    {
      op: "backfill",
      tenant: fixture.tenant,
      account: fixture.account,
      connectionId,
      since: seenAt - 2 * HOUR,
      until: subscribedAt + MINUTE,
      after: null,
      done: 0,
    },
  ]);
  expect((await fixture.readCheck())?.subscribedAt).toBe(subscribedAt);
  const { tenant } = fixture;
  const account = accountKey(fixture.account);
  const line = { event: "account.resubscribed", tenant, account, connection: "instagram_login" };
  expect(testEnv.lines).toContainEqual(line);
  expect(await fixture.read()).toMatchObject({ status: "active" });
  expect(await fixture.events()).toEqual([]);
});

it("a subscription of a new connection is missing since that, and of an old one for seven days at most", async () => {
  fixture.answers.readSubscription = missing;
  await fixture.passToCheck();
  const connectedAt = ulidTime((await fixture.read()).connectionId);
  expect(await fixture.takeTasks()).toMatchObject([{ since: connectedAt }]);
  testEnv.advance(30 * DAY);
  await fixture.passToCheck();
  const checkedAt = fixture.calls.at(-1)?.at ?? 0;
  expect(await fixture.takeTasks()).toMatchObject([{ since: checkedAt - 7 * DAY }]);
});

it("a subscription is tried again the next hour if the platform does not answer", async () => {
  fixture.answers.readSubscription = missing;
  fixture.answers.subscribe = { kind: "unknown" };
  await fixture.passToCheck();
  fixture.answers.subscribe = { kind: "done" };
  await fixture.passHour();
  expect(fixture.takeCalls()).toEqual(["readSubscription", "subscribe", "readSubscription", "subscribe"]);
  expect(await fixture.takeTasks()).toHaveLength(2);
  const { length } = fixture.calls;
  await fixture.passHour();
  expect(fixture.calls).toHaveLength(length);
});

it("a subscription that the platform refuses is left to the next day, and is in the log", async () => {
  fixture.answers.readSubscription = missing;
  fixture.answers.subscribe = refusedCall();
  await fixture.passToCheck();
  await fixture.passHour();
  expect(fixture.takeCalls()).toEqual(["readSubscription", "subscribe"]);
  const { tenant } = fixture;
  const account = accountKey(fixture.account);
  expect(testEnv.lines).toContainEqual({ event: "account.subscription_refused", tenant, account, code: 100 });
  expect((await fixture.readCheck())?.subscribedAt).toBeNull();
});

it("a subscription of an account that is disconnected at the same time ends", async () => {
  fixture.answers.readSubscription = missing;
  const { connectionId } = await fixture.read();
  fixture.setOnCall(async (call) => {
    if (call !== "subscribe") return;
    const audit = {
      action: "account.disconnect",
      resource: "-",
      actor: "cli",
      ip: null,
      detail: {},
      at: testEnv.now(),
    } as const;
    const { tenant, account: ref, stores } = fixture;
    const author = { audit, actor: null };
    await stores.accounts.disconnect({ tenant, ref, connectionId, author, event: null, now: testEnv.now() });
  });
  await fixture.passToCheck();
  expect(fixture.takeCalls()).toEqual(["readSubscription", "subscribe", "unsubscribe"]);
  expect(await fixture.stores.accounts.get(fixture.tenant, fixture.account)).toBeNull();
});

it.each([
  ["in another way ends", "instagram_page", ["readSubscription", "subscribe", "unsubscribe"]],
  ["in the same way stays", "instagram_login", ["readSubscription", "subscribe"]],
] as const)(
  "a subscription of an account that is connected again at the same time %s",
  async (_, connection, calls) => {
    fixture.answers.readSubscription = missing;
    const { tenant, account, stores } = fixture;
    fixture.setOnCall(async (call) => {
      if (call !== "subscribe") return;
      const pageId = connection === "instagram_page" ? `page-${tenant}` : null;
      const link = { tenant, account: { ...account, connection, handle: "@shop", displayName: "Shop", pageId } };
      await linkTestAccount(
        { ...stores, vault: testEnv.newVault() },
        { ...link, token: "other", author: { actor: "cli" }, now: testEnv.now() },
      );
    });
    await fixture.passToCheck();
    expect(fixture.takeCalls()).toEqual(calls);
  },
);

it("a subscription is not asked about by a message of a check that was completed", async () => {
  await fixture.passToCheck();
  fixture.takeCalls();
  const { dueAt = 0 } = (await fixture.readCheck()) ?? {};
  const body = (due: number) =>
    JSON.stringify({
      v: 2,
      tenant: fixture.tenant,
      account: `instagram#${fixture.account.externalId}`,
      op: "check",
      due_at: due,
    });
  const queue = openQueue(fixture.queues.accounts, testEnv.eventSource);
  await queue.send({ body: body(dueAt - DAY) });
  await fixture.work();
  expect(fixture.takeCalls()).toEqual([]);
  await queue.send({ body: body(dueAt) });
  await fixture.work();
  expect(fixture.takeCalls()).toEqual(["readSubscription", "listThreads"]);
});
