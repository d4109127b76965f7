import { beforeEach, expect, it } from "vitest";
import { isRefusal } from "#base/kernel/refusals.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { DAY, HOUR, MINUTE } from "#base/kernel/time.ts";
import { readCheckStates } from "#features/accounts/flows/check-states.ts";
import { toAccountResponse } from "#features/accounts/routes/account-response.ts";
import type { AccountRef } from "#features/accounts/rules/accounts.ts";
import { openTestEnv } from "../../../../support/flows/test-env.ts";
import { openedEach, openedOnce } from "../../../../support/opened.ts";
import { openConnectionFixture, refusedCall } from "../support/connection-fixture.ts";

// A subscription belongs to a page, which may have several accounts. Each of them misses what no webhook brought.

let tenant: TenantId;
const seenBackfills = new Set<string>();
const testEnv = openedOnce(openTestEnv);
const fixture = openedEach(() => openConnectionFixture(testEnv));
beforeEach(async () => {
  tenant = await fixture.team.newTenant();
  seenBackfills.clear();
});

const messenger = () => fixture.messenger();
const instagram = () => fixture.instagram();
const storedBackfill = async (ref: AccountRef) =>
  (await fixture.stores.accountChecks.get(tenant, ref))?.backfill ?? null;

async function connect(ref: AccountRef, of: TenantId = tenant): Promise<void> {
  const account = await fixture.connect(of, ref);
  if (isRefusal(account)) throw new Error("The account is not connected.");
}

/** Runs a check of the account at once. */
async function check(ref: AccountRef): Promise<void> {
  await fixture.run({ op: "check", tenant, account: ref });
  await fixture.work();
}

/** The backfills that were queued since the last time. Advances the clock by two minutes. */
async function queuedBackfills() {
  const backfills = (await fixture.delayedTasks()).flatMap((task) => (task.op === "backfill" ? [task] : []));
  const isNew = ({ account, since, until }: (typeof backfills)[number]) => {
    const id = JSON.stringify([account, since, until]);
    return !seenBackfills.has(id) && seenBackfills.add(id);
  };
  return backfills.filter(isNew);
}

/** Both accounts of a page are connected and were checked a day later. @returns when */
async function connectBoth(): Promise<number> {
  await connect(messenger());
  await connect(instagram());
  await queuedBackfills();
  testEnv.advance(DAY);
  for (const ref of [messenger(), instagram()]) {
    await fixture.stores.accountChecks.endBackfill(tenant, ref, { since: 0, until: testEnv.now() });
    await check(ref);
  }
  expect(await queuedBackfills()).toEqual([]);
  return testEnv.now() - 2 * MINUTE;
}

it.each(["messenger", "instagram"] as const)(
  "a lost subscription that the check of the %s account restores is backfilled for both accounts of the page",
  async (checked) => {
    const seenAt = await connectBoth();
    fixture.subscribed.clear();
    testEnv.advance(DAY);
    await check(fixture[checked]());
    const restoredAt = testEnv.now();
    await check(fixture[checked === "messenger" ? "instagram" : "messenger"]());
    const backfill = { tenant, since: seenAt - 2 * HOUR, until: restoredAt + MINUTE };
    const backfills = await queuedBackfills();
    expect(backfills).toHaveLength(2);
    for (const account of [messenger(), instagram()]) {
      expect(backfills).toContainEqual(expect.objectContaining({ ...backfill, account }));
      expect(await storedBackfill(account)).toEqual({ since: backfill.since, until: backfill.until });
    }
  },
);

it("a lost subscription that connecting one account again restores is backfilled for both accounts of the page", async () => {
  const seenAt = await connectBoth();
  fixture.subscribed.clear();
  testEnv.advance(DAY);
  await connect(instagram());
  const backfills = await queuedBackfills();
  expect(backfills.map(({ account, since }) => [account.platform, since]).sort()).toEqual([
    ["instagram", seenAt - 2 * HOUR],
    ["messenger", seenAt - 2 * HOUR],
  ]);
});

it("a lost subscription that the account of another workspace restores is backfilled for this one, too", async () => {
  const seenAt = await connectBoth();
  const other = await fixture.team.newTenant();
  await fixture.disconnect(tenant, instagram());
  testEnv.advance(2 * MINUTE);
  fixture.subscribed.clear();
  await connect(instagram(), other);
  const backfills = await queuedBackfills();
  expect(backfills).toMatchObject([{ tenant, account: messenger(), since: seenAt - 2 * HOUR }]);
});

it("a subscription lost before the first check of a new account is backfilled from its connection on, when it is connected again", async () => {
  const connectedAt = testEnv.now();
  await connect(messenger());
  testEnv.advance(10 * HOUR);
  fixture.subscribed.clear();
  await connect(messenger());
  expect(await queuedBackfills()).toMatchObject([{ since: connectedAt, until: testEnv.now() - 2 * MINUTE + MINUTE }]);
});

it("a lost subscription is backfilled although a check runs before the queue completes the connection that restored it", async () => {
  const seenAt = await connectBoth();
  await fixture.disconnect(tenant, instagram());
  fixture.subscribed.clear();
  testEnv.advance(DAY);
  const ports = fixture.ports();
  const eventBodies = { ...ports.eventBodies, save: async () => Promise.reject(new Error("died")) };
  await expect(fixture.connect(tenant, messenger(), {}, { ...ports, eventBodies })).rejects.toThrow("died");
  expect([...fixture.subscribed]).toEqual([fixture.pageId]);
  await check(messenger());
  expect(await storedBackfill(messenger())).toMatchObject({ since: seenAt - 2 * HOUR });
  expect(await queuedBackfills()).toMatchObject([{ account: messenger(), since: seenAt - 2 * HOUR }]);
});

it("a lost subscription leaves its backfill noted while a person has to connect the account again, and fetches all of it then", async () => {
  const seenAt = await connectBoth();
  fixture.subscribed.clear();
  testEnv.advance(DAY);
  fixture.setScript(() => refusedCall);
  await check(messenger());
  await queuedBackfills();
  fixture.setScript(() => undefined);
  testEnv.advance(3 * DAY);
  await connect(messenger());
  const backfills = await queuedBackfills();
  expect(backfills).toContainEqual(expect.objectContaining({ account: messenger(), since: seenAt - 2 * HOUR }));
});

it("a lost subscription whose backfill is still noted an hour after its end is queued again by the next check", async () => {
  await connectBoth();
  const { accountChecks } = fixture.stores;
  const noteBackfill = async (ref: AccountRef, age: number) => {
    const stored = await accountChecks.get(tenant, ref);
    if (!stored) throw new Error("The account has no check.");
    const until = testEnv.now() - age;
    return accountChecks.noteBackfill(stored, { since: until - HOUR, until }, 0);
  };
  const backfill = await noteBackfill(messenger(), HOUR);
  await noteBackfill(instagram(), HOUR - MINUTE);
  for (const ref of [instagram(), messenger()]) await check(ref);
  expect(await queuedBackfills()).toEqual([expect.objectContaining({ account: messenger(), ...backfill })]);
});

it("an account shows how it is connected, the end of its token, and when a check last found its subscription", async () => {
  const shown = async (of: TenantId, now = 0) => {
    const checkState = await readCheckStates(fixture.stores, of);
    const accounts = await fixture.stores.accounts.list(of);
    return accounts.map((account) => toAccountResponse(account, checkState(account), now));
  };
  await connect(messenger());
  const subscription = { state: "unchecked", checked_at: null };
  const unchecked = { connection: "messenger", token_expires_at: null, subscribed_at: null, subscription };
  expect(await shown(tenant)).toEqual([expect.objectContaining(unchecked)]);
  await connectBoth();
  const subscribedAt = (await fixture.stores.accountChecks.get(tenant, messenger()))?.subscribedAt ?? 0;
  const checkedAt = new Date(subscribedAt).toISOString();
  const checked = { subscribed_at: checkedAt, subscription: { state: "complete", checked_at: checkedAt } };
  expect(await shown(tenant)).toEqual([
    expect.objectContaining({ connection: "instagram_page", subscribed_at: expect.any(String) }),
    expect.objectContaining({ connection: "messenger", ...checked }),
  ]);
  const [, stale] = await shown(tenant, subscribedAt + 2 * DAY + 1);
  expect(stale?.subscription).toEqual({ state: "stale", checked_at: checkedAt });
  expect(await shown(await fixture.team.newTenant())).toEqual([]);
});

it("a lost subscription is shown on each account until its backfill reached its end", async () => {
  const seenAt = await connectBoth();
  const shown = async () => {
    const checkState = await readCheckStates(fixture.stores, tenant);
    const accounts = await fixture.stores.accounts.list(tenant);
    return accounts.map((account) => toAccountResponse(account, checkState(account), 0).missing_since);
  };
  expect(await shown()).toEqual([null, null]);
  fixture.subscribed.clear();
  await check(messenger());
  const since = new Date(seenAt - 2 * HOUR).toISOString();
  expect(await shown()).toEqual([since, since]);
  for (const ref of [messenger(), instagram()]) {
    const backfill = await storedBackfill(ref);
    if (backfill) await fixture.stores.accountChecks.endBackfill(tenant, ref, backfill);
  }
  expect(await shown()).toEqual([null, null]);
});

it("a lost subscription of new accounts needs no backfill, also where both are connected within a minute", async () => {
  await connect(messenger());
  testEnv.advance(MINUTE);
  await connect(instagram());
  expect(await queuedBackfills()).toEqual([]);
  expect(await storedBackfill(messenger())).toBeNull();
});
