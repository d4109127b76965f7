import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { isRefusal } from "#base/kernel/refusals.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { DAY, HOUR, MINUTE } from "#base/kernel/time.ts";
import { readMissingSince } from "#features/accounts/flows/missing-since.ts";
import { toAccountResponse } from "#features/accounts/routes/account-response.ts";
import type { AccountRef } from "#features/accounts/rules/accounts.ts";
import { openTestEnv, type TestEnv } from "../../../../support/flows/test-env.ts";
import { type ConnectionFixture, openConnectionFixture, refusedCall } from "../support/connection-fixture.ts";

// A subscription belongs to a page, which may have several accounts. Each of them misses what no webhook brought.

let testEnv: TestEnv;
let fixture: ConnectionFixture;
let tenant: TenantId;
const seenGaps = new Set<string>();
beforeAll(async () => {
  testEnv = await openTestEnv();
});
afterAll(() => testEnv.close());
beforeEach(async () => {
  fixture = await openConnectionFixture(testEnv);
  tenant = await fixture.team.newTenant();
  seenGaps.clear();
});

const messenger = () => fixture.messenger();
const instagram = () => fixture.instagram();
const gapOf = async (ref: AccountRef) => (await fixture.stores.accountChecks.get(tenant, ref))?.gap ?? null;

async function connect(ref: AccountRef, of: TenantId = tenant): Promise<void> {
  const account = await fixture.connect(of, ref);
  if (isRefusal(account)) throw new Error("The account is not connected.");
}

/** Runs a check of the account at once. */
async function check(ref: AccountRef): Promise<void> {
  await fixture.run({ op: "check", tenant, account: ref });
  await fixture.work();
}

/** The gaps that were queued since the last time. Advances the clock by two minutes. */
async function queuedGaps() {
  const gaps = (await fixture.delayedTasks()).flatMap((task) => (task.op === "fill_gap" ? [task] : []));
  const isNew = ({ account, since, until }: (typeof gaps)[number]) => {
    const id = JSON.stringify([account, since, until]);
    return !seenGaps.has(id) && seenGaps.add(id);
  };
  return gaps.filter(isNew);
}

/** Both accounts of a page are connected and were checked a day later. @returns when */
async function connectBoth(): Promise<number> {
  await connect(messenger());
  await connect(instagram());
  await queuedGaps();
  testEnv.advance(DAY);
  for (const ref of [messenger(), instagram()]) {
    await fixture.stores.accountChecks.endGap(tenant, ref, { since: 0, until: testEnv.now() });
    await check(ref);
  }
  expect(await queuedGaps()).toEqual([]);
  return testEnv.now() - 2 * MINUTE;
}

it.each(["messenger", "instagram"] as const)(
  "that the check of the %s account restores is a gap of both accounts of the page",
  async (checked) => {
    const seenAt = await connectBoth();
    fixture.subscribed.clear();
    testEnv.advance(DAY);
    await check(fixture[checked]());
    const restoredAt = testEnv.now();
    await check(fixture[checked === "messenger" ? "instagram" : "messenger"]());
    const gap = { tenant, since: seenAt - 2 * HOUR, until: restoredAt + MINUTE };
    const gaps = await queuedGaps();
    expect(gaps).toHaveLength(2);
    for (const account of [messenger(), instagram()]) {
      expect(gaps).toContainEqual(expect.objectContaining({ ...gap, account }));
      expect(await gapOf(account)).toEqual({ since: gap.since, until: gap.until });
    }
  },
);

it("that connecting one account again restores is a gap of both accounts of the page", async () => {
  const seenAt = await connectBoth();
  fixture.subscribed.clear();
  testEnv.advance(DAY);
  await connect(instagram());
  const gaps = await queuedGaps();
  expect(gaps.map(({ account, since }) => [account.platform, since]).sort()).toEqual([
    ["instagram", seenAt - 2 * HOUR],
    ["messenger", seenAt - 2 * HOUR],
  ]);
});

it("that the account of another workspace restores is a gap of this one, too", async () => {
  const seenAt = await connectBoth();
  const other = await fixture.team.newTenant();
  await fixture.disconnect(tenant, instagram());
  testEnv.advance(2 * MINUTE);
  fixture.subscribed.clear();
  await connect(instagram(), other);
  const gaps = await queuedGaps();
  expect(gaps).toMatchObject([{ tenant, account: messenger(), since: seenAt - 2 * HOUR }]);
});

it("before the first check of a new account is a gap from its connection on, when it is connected again", async () => {
  const connectedAt = testEnv.now();
  await connect(messenger());
  testEnv.advance(10 * HOUR);
  fixture.subscribed.clear();
  await connect(messenger());
  expect(await queuedGaps()).toMatchObject([{ since: connectedAt, until: testEnv.now() - 2 * MINUTE + MINUTE }]);
});

it("is a gap although a check runs before the queue completes the connection that restored it", async () => {
  const seenAt = await connectBoth();
  await fixture.disconnect(tenant, instagram());
  fixture.subscribed.clear();
  testEnv.advance(DAY);
  const ports = fixture.ports();
  const eventBodies = { ...ports.eventBodies, save: async () => Promise.reject(new Error("died")) };
  await expect(fixture.connect(tenant, messenger(), {}, { ...ports, eventBodies })).rejects.toThrow("died");
  expect([...fixture.subscribed]).toEqual([fixture.pageId]);
  await check(messenger());
  expect(await gapOf(messenger())).toMatchObject({ since: seenAt - 2 * HOUR });
  expect(await queuedGaps()).toMatchObject([{ account: messenger(), since: seenAt - 2 * HOUR }]);
});

it("leaves its gap noted while a person has to connect the account again, and fetches all of it then", async () => {
  const seenAt = await connectBoth();
  fixture.subscribed.clear();
  testEnv.advance(DAY);
  fixture.setScript(() => refusedCall);
  await check(messenger());
  await queuedGaps();
  fixture.setScript(() => undefined);
  testEnv.advance(3 * DAY);
  await connect(messenger());
  const gaps = await queuedGaps();
  expect(gaps).toContainEqual(expect.objectContaining({ account: messenger(), since: seenAt - 2 * HOUR }));
});

it("whose gap is still noted an hour after its end is queued again by the next check", async () => {
  await connectBoth();
  const { accountChecks } = fixture.stores;
  const noteGap = async (ref: AccountRef, age: number) => {
    const stored = await accountChecks.get(tenant, ref);
    if (!stored) throw new Error("The account has no check.");
    const until = testEnv.now() - age;
    return accountChecks.noteGap(stored, { since: until - HOUR, until }, 0);
  };
  const gap = await noteGap(messenger(), HOUR);
  await noteGap(instagram(), HOUR - MINUTE);
  for (const ref of [instagram(), messenger()]) await check(ref);
  expect(await queuedGaps()).toEqual([expect.objectContaining({ account: messenger(), ...gap })]);
});

it("is shown on each account until its gap was read to its end", async () => {
  const seenAt = await connectBoth();
  const shown = async () => {
    const missingSince = await readMissingSince(fixture.stores, tenant);
    const accounts = await fixture.stores.accounts.list(tenant);
    return accounts.map((account) => toAccountResponse(account, missingSince(account)).missing_since);
  };
  expect(await shown()).toEqual([null, null]);
  fixture.subscribed.clear();
  await check(messenger());
  const since = new Date(seenAt - 2 * HOUR).toISOString();
  expect(await shown()).toEqual([since, since]);
  for (const ref of [messenger(), instagram()]) {
    const gap = await gapOf(ref);
    if (gap) await fixture.stores.accountChecks.endGap(tenant, ref, gap);
  }
  expect(await shown()).toEqual([null, null]);
});

it("of new accounts has no gap, also where both are connected within a minute", async () => {
  await connect(messenger());
  testEnv.advance(MINUTE);
  await connect(instagram());
  expect(await queuedGaps()).toEqual([]);
  expect(await gapOf(messenger())).toBeNull();
});
