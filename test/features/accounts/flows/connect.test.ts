import { beforeEach, describe, expect, it } from "vitest";
import { isRefusal, refuse } from "#base/kernel/refusals.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { DAY, HOUR, MINUTE } from "#base/kernel/time.ts";
import { openTestEnv } from "../../../support/flows/test-env.ts";
import { openedEach, openedOnce } from "../../../support/opened.ts";
import {
  type ConnectionFixture,
  openConnectionFixture,
  refusedCall,
  unknownCall,
} from "./support/connection-fixture.ts";

let tenant: TenantId;
const testEnv = openedOnce(openTestEnv);
const fixture = openedEach(() => openConnectionFixture(testEnv));
beforeEach(async () => {
  tenant = await fixture.team.newTenant();
});

const connected = async (...args: Parameters<ConnectionFixture["connect"]>) => {
  const account = await fixture.connect(...args);
  if (isRefusal(account)) throw new Error(`The account is not connected: ${JSON.stringify(account)}`);
  return account;
};
const page = () => fixture.messenger();

describe("connecting an account", () => {
  it("connecting an account stores it, subscribes the app to its page, and publishes one event, however often its task runs", async () => {
    const account = await connected(tenant, page());
    expect([...fixture.subscribed]).toEqual([fixture.pageId]);
    expect(await fixture.get(tenant, page())).toEqual(account);
    await fixture.run({ op: "finish_connect", tenant, account: page(), connectionId: account.connectionId });
    await fixture.drain();
    const [event, ...others] = await fixture.events();
    expect(others).toEqual([]);
    const shown = { account_key: `messenger#${fixture.pageId}`, status: "active", page_id: fixture.pageId };
    expect(event).toMatchObject({ type: "account.connected", data: { reason: "user", account: shown } });
    expect(fixture.calls).toHaveLength(1);
    expect(await fixture.actions(tenant)).toContain("account.connect");
  });

  it("connecting an account again replaces the token, publishes its own event, and keeps the platform's decision", async () => {
    await connected(tenant, page());
    const block = {
      action: "block",
      at: testEnv.now(),
      reason: "spam",
      eventUlid: "01M7ZAN532DXZZ1TKP6RZ0YEPG",
    } as const;
    await fixture.stores.accounts.setPolicy(tenant, page(), block);
    testEnv.advance(1);
    const account = await connected(tenant, page(), { token: "new" });
    expect(account.status).toBe("restricted");
    expect(fixture.calls.at(-1)).toEqual({ name: "subscribe", node: fixture.pageId, token: "new" });
    expect(await fixture.eventTypes()).toEqual(["account.connected", "account.reconnected"]);
    expect((await fixture.actions(tenant)).sort().slice(0, 2)).toEqual(["account.connect", "account.reconnect"]);
  });

  it("connecting an account again has the messages fetched that came while the subscription was lost, from the last check that saw it", async () => {
    await connected(tenant, page());
    testEnv.advance(DAY);
    await fixture.drain();
    const seenAt = testEnv.now();
    const check = await fixture.stores.accountChecks.get(tenant, page());
    if (!check) throw new Error("The account has no check.");
    await fixture.stores.accountChecks.reschedule(check, { dueAt: check.dueAt, subscribedAt: seenAt });
    testEnv.advance(20 * HOUR);
    fixture.subscribed.clear();
    const { connectionId } = await connected(tenant, page());
    const run = () => fixture.run({ op: "finish_connect", tenant, account: page(), connectionId });
    const runNow = async () => {
      await run();
      await fixture.work();
      return (await fixture.delayedTasks()).filter(({ op }) => op === "backfill");
    };
    const backfill = {
      op: "backfill",
      account: page(),
      connectionId,
      since: seenAt - 2 * HOUR,
      until: testEnv.now() + MINUTE,
    };
    expect(await runNow()).toEqual([expect.objectContaining(backfill)]);
    const newCheck = await fixture.stores.accountChecks.get(tenant, page());
    if (!newCheck) throw new Error("The account has no check.");
    await fixture.stores.accountChecks.reschedule(newCheck, { dueAt: check.dueAt, subscribedAt: testEnv.now() });
    const later = (await runNow()).filter((task) => task.op === "backfill" && task.until > backfill.until);
    expect(later).toEqual([]);
  });

  it("connecting an account after it was disconnected fetches nothing from before", async () => {
    await connected(tenant, page());
    const check = await fixture.stores.accountChecks.get(tenant, page());
    if (!check) throw new Error("The account has no check.");
    await fixture.stores.accountChecks.reschedule(check, { dueAt: check.dueAt, subscribedAt: testEnv.now() });
    await fixture.disconnect(tenant, page());
    testEnv.advance(3 * MINUTE);
    const { connectionId } = await connected(tenant, page());
    await fixture.run({ op: "finish_connect", tenant, account: page(), connectionId });
    await fixture.work();
    expect((await fixture.delayedTasks()).filter(({ op }) => op === "backfill")).toEqual([]);
    expect(await fixture.stores.accountChecks.get(tenant, page())).toMatchObject({ connectionId, subscribedAt: null });
  });

  it("connecting an account is refused to a tenant that has the most accounts, until it disconnects one; one that it has is connected again", async () => {
    const ports = { ...fixture.ports(), accountsMax: 2 };
    const [first, second] = [page(), fixture.instagram()];
    const third = { ...fixture.instagram(), externalId: `third-${fixture.pageId}` };
    await connected(tenant, first);
    await connected(tenant, second);
    const before = await fixture.actions(tenant);
    const calls = fixture.calls.length;
    expect(await fixture.connect(tenant, third, {}, ports)).toEqual(refuse("account_limit"));
    await fixture.drain();
    expect(await fixture.get(tenant, third)).toBeNull();
    expect(await fixture.stores.accountChecks.get(tenant, third)).toBeNull();
    expect([await fixture.actions(tenant), fixture.calls.length]).toEqual([before, calls]);
    expect(await fixture.connect(tenant, second, { token: "new" }, ports)).toMatchObject({
      externalId: second.externalId,
    });
    const over = { ...ports, accountsMax: 1 };
    expect(await fixture.connect(tenant, second, {}, over)).toMatchObject({ externalId: second.externalId });
    await fixture.disconnect(tenant, first);
    expect(await fixture.connect(tenant, third, {}, over)).toEqual(refuse("account_limit"));
    expect(await fixture.connect(tenant, third, {}, ports)).toMatchObject({ externalId: third.externalId });
  });

  it("connecting an account is refused by the accounts of its own tenant alone", async () => {
    const other = await fixture.team.newTenant();
    const ports = { ...fixture.ports(), accountsMax: 1 };
    await connected(other, fixture.instagram());
    expect(await fixture.connect(tenant, page(), {}, ports)).toMatchObject({ externalId: fixture.pageId });
  });

  it("connecting an account is refused while another tenant has it, and while it had it two minutes ago; the former tenant may at once", async () => {
    const other = await fixture.team.newTenant();
    await connected(tenant, page());
    expect(await fixture.connect(other, page())).toEqual(refuse("account_in_use"));
    await fixture.disconnect(tenant, page());
    testEnv.advance(2 * MINUTE - 1);
    expect(await fixture.connect(other, page())).toEqual(refuse("account_in_use"));
    await connected(tenant, page());
    await fixture.disconnect(tenant, page());
    testEnv.advance(2 * MINUTE);
    await connected(other, page());
    expect(await fixture.stores.accounts.getRoute(page())).toMatchObject({ tenant: other });
    expect(fixture.calls.map(({ token }) => token)).toEqual([
      ...Array.from({ length: 4 }, () => `token-${tenant}`),
      `token-${other}`,
    ]);
  });

  it("connecting an account is refused a person who is no longer an admin, and nothing is called", async () => {
    const author = await fixture.team.author(await fixture.team.newMember(tenant, "agent"));
    expect(await fixture.connect(tenant, page(), { author })).toEqual(refuse("role_forbidden"));
    await fixture.drain();
    expect([fixture.calls, await fixture.get(tenant, page()), await fixture.eventTypes()]).toEqual([[], null, []]);
  });

  it.each([
    ["refused", refusedCall, "no"],
    ["not answered", unknownCall, "the platform did not answer as expected"],
  ])(
    "connecting an account for the first time is undone where the subscription is %s: no account, no token, no event",
    async (_, outcome, reason) => {
      fixture.setScript(({ name }) => (name === "subscribe" ? outcome : undefined));
      expect(await fixture.connect(tenant, page())).toEqual(refuse("oauth_failed", reason));
      expect(await fixture.get(tenant, page())).toBeNull();
      expect(await fixture.uses()).toEqual([]);
      await fixture.drain();
      expect(await fixture.eventTypes()).toEqual([]);
      // Without an answer, the app may be subscribed.
      expect(fixture.calls.map(({ name }) => name)).toEqual(
        outcome === unknownCall ? ["subscribe", "unsubscribe"] : ["subscribe"],
      );
    },
  );

  it("connecting an account again stays where the subscription is not answered, and its task subscribes and publishes it", async () => {
    await connected(tenant, page());
    await fixture.drain();
    fixture.setScript(({ name }) => (name === "subscribe" && fixture.calls.length < 5 ? unknownCall : undefined));
    const account = await connected(tenant, page(), { token: "new" });
    expect(await fixture.get(tenant, page())).toEqual(account);
    expect(await fixture.eventTypes()).toEqual(["account.connected"]);
    await fixture.drain();
    expect(fixture.calls.slice(1).map(({ token }) => token)).toEqual(["new", "new", "new", "new"]);
    expect(await fixture.eventTypes()).toContain("account.reconnected");
  });

  it("connecting an account again stays where the subscription is refused for good: its event is published, and its check is requested", async () => {
    await connected(tenant, page());
    await fixture.drain();
    fixture.setScript(() => refusedCall);
    const { connectionId } = await connected(tenant, page());
    testEnv.advance(MINUTE);
    await fixture.run({ op: "finish_connect", tenant, account: page(), connectionId });
    await fixture.drain();
    expect(await fixture.eventTypes()).toContain("account.reconnected");
    expect(await fixture.get(tenant, page())).not.toBeNull();
  });

  it("connecting an account whose process died is abandoned after ten minutes without an answer, and disconnected", async () => {
    fixture.setScript(({ name }) => (name === "subscribe" ? unknownCall : undefined));
    const ports = fixture.ports();
    const dying = { ...ports, accountPlatformFor: async () => Promise.reject(new Error("died")) };
    await expect(fixture.connect(tenant, page(), {}, dying)).rejects.toThrow("died");
    expect(await fixture.get(tenant, page())).not.toBeNull();
    await fixture.drain();
    expect(await fixture.get(tenant, page())).toBeNull();
    expect(await fixture.eventTypes()).toEqual([]);
    expect([...fixture.subscribed]).toEqual([]);
  });

  it("connecting an account whose process died, and whose check was lost, gets one", async () => {
    const ports = fixture.ports();
    const dying = { ...ports, accountPlatformFor: async () => Promise.reject(new Error("died")) };
    await expect(fixture.connect(tenant, page(), {}, dying)).rejects.toThrow("died");
    const lost = await fixture.stores.accountChecks.get(tenant, page());
    expect(lost && (await fixture.stores.accountChecks.remove(lost))).toBe(true);
    await fixture.drain();
    const { connectionId } = (await fixture.get(tenant, page())) ?? {};
    expect(await fixture.stores.accountChecks.get(tenant, page())).toMatchObject({ connectionId });
    expect([...fixture.subscribed]).toEqual([fixture.pageId]);
    expect(await fixture.eventTypes()).toEqual(["account.connected"]);
  });

  it("connecting an account that is disconnected while the app is subscribed ends that subscription, and publishes nothing", async () => {
    fixture.setScript(async ({ name }) => {
      if (name === "subscribe") await fixture.disconnect(tenant, page());
      return undefined;
    });
    expect(await fixture.connect(tenant, page())).toMatchObject({ refused: "oauth_failed" });
    expect([...fixture.subscribed]).toEqual([]);
    expect(await fixture.eventTypes()).toEqual(["account.disconnected"]);
  });
});

describe("a second way of connecting an Instagram account", () => {
  const login = { connection: "instagram_login" } as const;

  it("a second way of connecting an Instagram account replaces the first, whose page use and subscription end", async () => {
    const ref = fixture.instagram();
    await connected(tenant, ref);
    await connected(tenant, ref, { ...login, token: "login" });
    expect([...fixture.subscribed]).toEqual([ref.externalId]);
    expect(fixture.calls.at(-1)).toEqual({ name: "unsubscribe", node: fixture.pageId, token: `token-${tenant}` });
    expect(await fixture.uses()).toEqual([]);
    expect((await fixture.get(tenant, ref))?.replaced).toEqual([]);
    await connected(tenant, ref);
    expect([...fixture.subscribed]).toEqual([fixture.pageId]);
    await fixture.drain();
    expect(fixture.calls).toHaveLength(5);
  });

  it("a second way of connecting an Instagram account leaves the page's subscription to another account that uses the page", async () => {
    await connected(tenant, page());
    await connected(tenant, fixture.instagram());
    await connected(tenant, fixture.instagram(), login);
    expect([...fixture.subscribed].sort()).toEqual([fixture.instagram().externalId, fixture.pageId].sort());
    expect((await fixture.get(tenant, fixture.instagram()))?.replaced).toEqual([]);
  });

  it("a second way of connecting an Instagram account ends the first subscription later, where the platform does not answer; after ten minutes it drops the old token", async () => {
    await connected(tenant, fixture.instagram());
    await fixture.drain();
    fixture.setScript(({ name }) => (name === "unsubscribe" && fixture.calls.length < 5 ? unknownCall : undefined));
    await connected(tenant, fixture.instagram(), login);
    expect((await fixture.get(tenant, fixture.instagram()))?.replaced).not.toEqual([]);
    await fixture.drain();
    expect([...fixture.subscribed]).toEqual([fixture.instagram().externalId]);
    expect((await fixture.get(tenant, fixture.instagram()))?.replaced).toEqual([]);
    fixture.setScript(({ name }) => (name === "unsubscribe" ? unknownCall : undefined));
    await connected(tenant, fixture.instagram());
    await fixture.drain();
    expect((await fixture.get(tenant, fixture.instagram()))?.replaced).toEqual([]);
  });
});

describe("ending a subscription while another account is connected that needs it: that one is checked", () => {
  let second: TenantId;
  beforeEach(async () => {
    second = await fixture.team.newTenant();
  });

  /** Connects during a call that unsubscribes. The platform processes that call last. */
  function connectDuring(call: { readonly of: string; readonly nth?: number }, connect: () => Promise<unknown>): void {
    let left = call.nth ?? 1;
    fixture.setScript(async ({ name, node }) => {
      if (name === "unsubscribe" && node === call.of && --left === 0) await connect();
      return undefined;
    });
  }
  const expectCheckOf = async (of: TenantId, account: ReturnType<typeof page>) => {
    expect([...fixture.subscribed]).not.toContain(fixture.pageId);
    const task = { op: "reconcile_subscription", tenant: of, account, pageId: fixture.pageId };
    expect(await fixture.tasks()).toContainEqual(expect.objectContaining(task));
    await fixture.drain();
    expect([...fixture.subscribed]).toContain(fixture.pageId);
  };

  it("the first way of connecting, which is used again at the same time", async () => {
    await connected(tenant, fixture.instagram());
    connectDuring({ of: fixture.pageId }, () => connected(tenant, fixture.instagram(), { token: "third" }));
    await fixture.connect(tenant, fixture.instagram(), { connection: "instagram_login" });
    expect(await fixture.get(tenant, fixture.instagram())).toMatchObject({ connection: "instagram_page" });
    await expectCheckOf(tenant, fixture.instagram());
  });

  it("the first way of an account that is disconnected", async () => {
    await connected(tenant, fixture.instagram());
    fixture.setScript(({ name }) => (name === "unsubscribe" ? unknownCall : undefined));
    await connected(tenant, fixture.instagram(), { connection: "instagram_login" });
    connectDuring({ of: fixture.pageId }, () => connected(second, page()));
    await fixture.disconnect(tenant, fixture.instagram());
    await expectCheckOf(second, page());
  });

  it("a connection whose subscription was not answered", async () => {
    let isFirst = true;
    fixture.setScript(async ({ name }) => {
      if (name === "subscribe" && isFirst) {
        isFirst = false;
        return unknownCall;
      }
      if (name === "unsubscribe") await connected(second, fixture.instagram());
      return undefined;
    });
    expect(await fixture.connect(tenant, page())).toMatchObject({ refused: "oauth_failed" });
    await expectCheckOf(second, fixture.instagram());
  });

  it("a connection that is disconnected while the app is subscribed", async () => {
    let unsubscribed = 0;
    fixture.setScript(async ({ name }) => {
      if (name === "subscribe" && unsubscribed === 0) await fixture.disconnect(tenant, page());
      if (name === "unsubscribe" && ++unsubscribed === 3) await connected(second, fixture.instagram());
      return undefined;
    });
    expect(await fixture.connect(tenant, page())).toMatchObject({ refused: "oauth_failed" });
    await expectCheckOf(second, fixture.instagram());
  });
});

it("a task of an earlier connection, of another tenant or of an account that is gone changes nothing", async () => {
  const { connectionId } = await connected(tenant, page());
  const task = { op: "finish_connect", tenant, account: page(), connectionId } as const;
  testEnv.advance(1);
  await connected(tenant, page(), { token: "new" });
  const [calls, account] = [fixture.calls.length, await fixture.get(tenant, page())];
  await fixture.run(task);
  await fixture.run({ ...task, tenant: await fixture.team.newTenant() });
  await fixture.run({ ...task, account: fixture.instagram() });
  await fixture.run({
    op: "disconnect",
    reason: "user",
    actor: "cli",
    userId: null,
    ip: null,
    at: testEnv.now(),
    ...{ tenant, account: page(), connectionId },
  });
  await fixture.drain();
  expect(fixture.calls).toHaveLength(calls);
  expect(await fixture.get(tenant, page())).toEqual(account);
  expect(await fixture.eventTypes()).toEqual(["account.connected", "account.reconnected"]);
  await fixture.disconnect(tenant, page());
  testEnv.advance(8 * DAY);
  await fixture.run(task);
  await fixture.drain();
  expect(await fixture.get(tenant, page())).toBeNull();
});
