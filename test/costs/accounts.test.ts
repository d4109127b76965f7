import { beforeEach, expect, test } from "vitest";
import { newUlid } from "#base/kernel/ids.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { DAY } from "#base/kernel/time.ts";
import { changeAuthor } from "#features/access/rules/callers.ts";
import { renderAccountEvent } from "#features/accounts/events.ts";
import { linkAccount, type NewLink } from "#features/accounts/flows/connect.ts";
import { openTeamEnv } from "../features/access/flows/team/support/team.ts";
import { openConnectionFixture } from "../features/accounts/flows/support/connection-fixture.ts";
import { collectPages } from "../support/collect-pages.ts";
import { openTestEnv } from "../support/flows/test-env.ts";
import { attachMeter } from "../support/meter.ts";
import { openedOnce } from "../support/opened.ts";
import { openStores } from "../support/stores/open-stores.ts";

// The exact costs of connecting accounts and disconnecting them, as in docs/design/table-costs.md.

/** Ids have 17 digits, and the longer tokens 250 characters. */
const ID = "17841400000000001";
const TOKEN = "EAAG".padEnd(250, "k");

let tenant: TenantId;
let admin: string;
const testEnv = openedOnce(openTestEnv);
const team = openedOnce(() => openTeamEnv(testEnv));
const meter = openedOnce(() => attachMeter(testEnv.client, testEnv.table.name));
const stores = openedOnce(() => openStores(testEnv.table));
let accounts = 0;
let account: NewLink["account"];
beforeEach(async () => {
  tenant = await team.newTenant();
  admin = await team.newMember(tenant, "admin");
  const externalId = String(Number(ID.slice(0, 15)) + ++accounts).padEnd(17, "0");
  account = {
    platform: "instagram",
    externalId,
    connection: "instagram_login",
    handle: "a.shoe.shop",
    displayName: "A shoe shop",
    pageId: null,
  };
});

async function cost(work: () => Promise<unknown>): Promise<{ wcu: number; rcu: number }> {
  const { wcu, rcu } = await meter.measure("work", work);
  return { wcu, rcu };
}
const link = async (rest: Partial<NewLink> = {}, of = tenant, userId = admin) => {
  const ports = { ...stores, vault: testEnv.newVault() };
  const now = testEnv.now();
  const connection = {
    connectionId: newUlid(now),
    tokenExpiresAt: now + 60 * DAY,
    authorizedBy: [ID, "7000000000000001"],
  };
  const author = await team.author(userId);
  const request = { tenant: of, account, token: TOKEN, now, ...connection, ...rest, author } as NewLink;
  return () => linkAccount(ports, request);
};
const disconnection = async () => {
  const stored = await stores.accounts.get(tenant, account);
  if (!stored) throw new Error("The account is not connected.");
  const now = testEnv.now();
  const change = { action: "account.disconnect", resource: `account:instagram#${ID}`, detail: {}, at: now } as const;
  const author = changeAuthor(await team.author(admin), "admin", change);
  const { connectionId } = stored;
  const type = "account.disconnected" as const;
  const event = renderAccountEvent(tenant, { eventUlid: newUlid(now), type, account: stored, reason: "user" });
  return () => stores.accounts.disconnect({ tenant, ref: account, connectionId, author, event, now });
};
const pageOf = (pageId: string) => ({
  account: { ...account, connection: "instagram_page", pageId } as const,
  authorizedBy: [ID],
});

test("connecting costs 15 units, and again the same", async () => {
  // The transaction: account, route, two logins, audit row, acting member, its check with 1 of the index.
  expect(await cost(await link())).toEqual({ wcu: 15, rcu: 3 });
  expect(await cost(await link())).toEqual({ wcu: 15, rcu: 3 });
  expect(await stores.accounts.get(tenant, account)).not.toBeNull();
});

test("connecting by a page costs the same, from another page and by another login more", async () => {
  expect(await cost(await link(pageOf("100000000000001")))).toEqual({ wcu: 15, rcu: 3 });
  expect(await cost(await link(pageOf("100000000000001")))).toEqual({ wcu: 15, rcu: 3 });
  expect(await cost(await link(pageOf("100000000000002")))).toEqual({ wcu: 17, rcu: 3 });
  expect(await cost(await link({ ...pageOf("100000000000002"), authorizedBy: ["7000000000000002"] }))).toEqual({
    wcu: 18,
    rcu: 3,
  });
});

test("an account of another tenant costs the two reads that refuse it", async () => {
  await (await link())();
  const other = await team.newTenant();
  const userId = await team.newMember(other, "admin");
  expect(await cost(await link({}, other, userId))).toEqual({ wcu: 0, rcu: 2 });
  expect(await stores.accounts.get(other, account)).toBeNull();
});

test("disconnecting costs 10 units with the body of its event, of an account on a page 12", async () => {
  await (await link())();
  expect(await cost(await disconnection())).toEqual({ wcu: 10, rcu: 2 });
  expect(await cost(() => stores.accounts.getRoute(account))).toEqual({ wcu: 0, rcu: 1.5 });
  await (await link(pageOf("100000000000003")))();
  expect(await cost(() => stores.pageUses.list("100000000000003"))).toEqual({ wcu: 0, rcu: 1 });
  expect(await cost(await disconnection())).toEqual({ wcu: 12, rcu: 2 });
});

test("a check's own calls cost 3 write and 2 read units, and nothing due half a read unit", async () => {
  expect(await cost(() => collectPages(stores.accountChecks.listDue(0)))).toEqual({ wcu: 0, rcu: 0.5 });
  await (await link())();
  const work = async () => {
    const check = await stores.accountChecks.get(tenant, account);
    const stored = await stores.accounts.get(tenant, account);
    if (!check || !stored) throw new Error("The account is not connected.");
    const moved = { dueAt: check.dueAt + DAY, subscribedAt: testEnv.now() };
    expect(await stores.accountChecks.reschedule(check, moved)).toBe(true);
  };
  expect(await cost(work)).toEqual({ wcu: 3, rcu: 2 });
});

test("a refreshed token is one write", async () => {
  await (await link())();
  const stored = await stores.accounts.get(tenant, account);
  if (!stored) throw new Error("The account is not connected.");
  const { connectionId, sealedToken: readToken } = stored;
  const sealedToken = Buffer.from(readToken).reverse();
  const refresh = {
    tenant,
    ref: account,
    connectionId,
    readToken,
    sealedToken,
    tokenExpiresAt: testEnv.now() + 60 * DAY,
  };
  expect(await cost(() => stores.accounts.replaceToken({ ...refresh, now: testEnv.now() }))).toEqual({
    wcu: 1,
    rcu: 0,
  });
  expect(await cost(() => stores.accounts.clearReplaced({ tenant, ref: account, connectionId }))).toEqual({
    wcu: 1,
    rcu: 0,
  });
});

test("the flows: connecting costs 16 units and 6 reads, its task 1 unit and 3 reads; disconnecting at most 12, its task 2 reads", async () => {
  const fixture = await openConnectionFixture(testEnv);
  const of = await fixture.team.newTenant();
  const authorizedBy = ["7000000000000003"];
  const author = await fixture.team.author(await fixture.team.newMember(of, "admin"));
  const request = { author, authorizedBy, token: TOKEN };
  expect(await cost(() => fixture.connect(of, fixture.messenger(), request))).toEqual({ wcu: 16, rcu: 6 });
  expect(await cost(() => fixture.drain())).toEqual({ wcu: 1, rcu: 3 });
  expect(await cost(() => fixture.disconnect(of, fixture.messenger(), { author }))).toEqual({ wcu: 12, rcu: 5 });
  expect(await cost(() => fixture.drain())).toEqual({ wcu: 0, rcu: 2 });

  // Another account of a page came while its subscription was ended.
  await fixture.connect(of, fixture.messenger(), request);
  await fixture.drain();
  const task = { tenant: of, account: fixture.messenger(), pageId: fixture.pageId };
  await fixture.run({ op: "reconcile_subscription", ...task });
  expect(await cost(() => fixture.work())).toEqual({ wcu: 0, rcu: 2 });

  const mailing = await openConnectionFixture(testEnv);
  mailing.sendMails();
  await mailing.team.newMember(of, "owner");
  await mailing.connect(of, mailing.messenger(), request);
  // The task, the notice with its connection and members, and the connection, the tenant for its language and the membership
  // of each of two recipients.
  expect(await cost(() => mailing.drain())).toEqual({ wcu: 1, rcu: 11 });
});
