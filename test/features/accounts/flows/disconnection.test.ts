import { beforeEach, describe, expect, it } from "vitest";
import { isRefusal, refuse } from "#base/kernel/refusals.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { MINUTE } from "#base/kernel/time.ts";
import { completeDisconnection } from "#features/accounts/flows/disconnection.ts";
import { checkAccountHealth } from "#features/accounts/flows/health-checks/check.ts";
import { openTestEnv } from "../../../support/flows/test-env.ts";
import { openedEach, openedOnce } from "../../../support/opened.ts";
import { openConnectionFixture, refusedCall, unknownCall } from "./support/connection-fixture.ts";

let tenant: TenantId;
const testEnv = openedOnce(openTestEnv);
const fixture = openedEach(() => openConnectionFixture(testEnv));
beforeEach(async () => {
  tenant = await fixture.team.newTenant();
});

const page = () => fixture.messenger();
const instagram = () => fixture.instagram();
const unsubscribeCalls = () => fixture.calls.filter(({ name }) => name === "unsubscribe");

describe("disconnecting an account", () => {
  it("disconnecting an account ends the subscription, removes account, token, route and page use, and publishes one event", async () => {
    await fixture.connect(tenant, page());
    expect(await fixture.disconnect(tenant, page())).toMatchObject({ externalId: fixture.pageId });
    expect([...fixture.subscribed]).toEqual([]);
    expect(await fixture.get(tenant, page())).toBeNull();
    expect(await fixture.stores.accounts.getRoute(page())).toBeNull();
    expect(await fixture.uses()).toEqual([]);
    expect(await fixture.actions(tenant)).toContain("account.disconnect");
    await fixture.drain();
    const events = await fixture.events();
    expect(events.map(({ type }) => type)).toEqual(["account.connected", "account.disconnected"]);
    const shown = { account_key: `messenger#${fixture.pageId}`, display_name: "Shop" };
    expect(events[1]?.data).toMatchObject({ reason: "user", account: shown });
    expect(fixture.calls).toHaveLength(2);
  });

  it("disconnecting an account that is not connected, or no more, is 404", async () => {
    expect(await fixture.disconnect(tenant, page())).toEqual(refuse("account_not_found"));
    await fixture.connect(tenant, page());
    expect(await fixture.disconnect(await fixture.team.newTenant(), page())).toEqual(refuse("account_not_found"));
    await fixture.disconnect(tenant, page());
    expect(await fixture.disconnect(tenant, page())).toEqual(refuse("account_not_found"));
    expect(unsubscribeCalls()).toHaveLength(1);
  });

  it.each([
    ["refuses", () => refusedCall],
    ["does not answer", () => unknownCall],
    [
      "breaks off",
      () => {
        throw new Error("broken");
      },
    ],
  ] as const)("disconnecting an account goes on where the platform %s, after one try", async (_, answer) => {
    await fixture.connect(tenant, page());
    fixture.setScript(answer);
    await fixture.disconnect(tenant, page());
    expect(await fixture.get(tenant, page())).toBeNull();
    await fixture.drain();
    expect(unsubscribeCalls()).toHaveLength(1);
    expect(await fixture.eventTypes()).toContain("account.disconnected");
    const line = { event: "account.unsubscribe_failed", tenant, account: `messenger#${fixture.pageId}` };
    expect(testEnv.lines).toContainEqual(expect.objectContaining(line));
  });

  it("disconnecting an account goes on where the key service does not open the token, and calls nothing", async () => {
    await fixture.connect(tenant, page());
    const vault = { ...testEnv.newVault(), open: async () => Promise.reject(new Error("throttled")) };
    await fixture.disconnect(tenant, page(), {}, { ...fixture.ports(), vault });
    expect([await fixture.get(tenant, page()), unsubscribeCalls()]).toEqual([null, []]);
  });

  it("disconnecting an account ends a subscription that a check makes again between its end and the disconnection", async () => {
    await fixture.connect(tenant, page());
    fixture.subscribed.clear();
    const ports = fixture.ports();
    let isChecked = false;
    const disconnect: typeof ports.accounts.disconnect = async (request) => {
      if (!isChecked) await checkAccountHealth(fixture.ports(), { tenant, account: page() }, testEnv.now());
      isChecked = true;
      return ports.accounts.disconnect(request);
    };
    await fixture.disconnect(tenant, page(), {}, { ...ports, accounts: { ...ports.accounts, disconnect } });
    expect(await fixture.get(tenant, page())).toBeNull();
    // At once: no other process has to end it.
    expect([...fixture.subscribed]).toEqual([]);
  });

  it("disconnecting an account by a platform's request has its own reason and audit action", async () => {
    await fixture.connect(tenant, page());
    await fixture.disconnect(tenant, page(), { reason: "platform_deauthorized" });
    expect((await fixture.events()).at(-1)?.data).toMatchObject({ reason: "platform_deauthorized" });
    expect(await fixture.actions(tenant)).toContain("platform.deauthorize");
  });

  it("disconnecting an account by a person who is no longer an admin leaves the account, also by its task, and has its subscription checked", async () => {
    await fixture.connect(tenant, page());
    const userId = await fixture.team.newMember(tenant, "agent");
    const author = await fixture.team.author(userId);
    expect(await fixture.disconnect(tenant, page(), { author })).toEqual(refuse("role_forbidden"));
    expect((await fixture.tasks()).map(({ op }) => op)).toEqual(["reconcile_subscription"]);
    await fixture.drain();
    expect([...fixture.subscribed]).toEqual([fixture.pageId]);
    expect(await fixture.get(tenant, page())).not.toBeNull();
    expect(await fixture.eventTypes()).toEqual(["account.connected"]);
  });

  it("disconnecting an account ends the subscription of a connection that was replaced, too", async () => {
    await fixture.connect(tenant, instagram());
    fixture.setScript(({ name }) => (name === "unsubscribe" && fixture.calls.length < 4 ? unknownCall : undefined));
    await fixture.connect(tenant, instagram(), { connection: "instagram_login" } as object);
    expect(fixture.subscribed.size).toBe(2);
    await fixture.disconnect(tenant, instagram());
    expect([...fixture.subscribed]).toEqual([]);
  });
});

describe("two accounts on one page", () => {
  const other = async (isSame: boolean) => (isSame ? tenant : fixture.team.newTenant());

  it.each([
    ["one tenant", true],
    ["two tenants", false],
  ])("two accounts on one page of %s: the subscription ends with the last", async (_, isSame) => {
    const second = await other(isSame);
    await fixture.connect(tenant, page());
    await fixture.connect(second, instagram());
    expect(await fixture.uses()).toHaveLength(2);
    await fixture.disconnect(tenant, page());
    expect(unsubscribeCalls()).toEqual([]);
    expect(await fixture.uses()).toEqual([`${second} instagram`]);
    await fixture.disconnect(second, instagram());
    await fixture.drain();
    expect(unsubscribeCalls()).toHaveLength(1);
    expect([...fixture.subscribed]).toEqual([]);
    expect(await fixture.uses()).toEqual([]);
  });

  it("two accounts on one page that are disconnected at once end the subscription, though each saw the other", async () => {
    const second = await other(false);
    await fixture.connect(tenant, page());
    await fixture.connect(second, instagram());
    let meet = () => {};
    const met = new Promise<void>((resolve) => {
      meet = resolve;
    });
    let waiting = 0;
    const ports = fixture.ports();
    const disconnect: typeof ports.accounts.disconnect = async (disconnection) => {
      waiting += 1;
      if (waiting === 2) meet();
      await met;
      return ports.accounts.disconnect(disconnection);
    };
    const together = { ...ports, accounts: { ...ports.accounts, disconnect } };
    await Promise.all([
      fixture.disconnect(tenant, page(), {}, together),
      fixture.disconnect(second, instagram(), {}, together),
    ]);
    expect([...fixture.subscribed]).toEqual([]);
    expect(await fixture.uses()).toEqual([]);
  });

  it("an account that is disconnected while the other is connected has that one's subscription checked", async () => {
    const second = await other(false);
    await fixture.connect(tenant, page());
    fixture.setScript(async ({ name }) => {
      if (name === "unsubscribe") await fixture.connect(second, instagram());
      return undefined;
    });
    await fixture.disconnect(tenant, page());
    // The platform processed the older request last.
    expect([...fixture.subscribed]).toEqual([]);
    expect(await fixture.tasks()).toContainEqual(
      expect.objectContaining({ op: "reconcile_subscription", tenant: second, account: instagram() }),
    );
    await fixture.drain();
    expect([...fixture.subscribed]).toEqual([fixture.pageId]);
  });
});

describe("disconnecting an account while it is connected again", () => {
  it("disconnecting an account while it is connected again ends the new connection", async () => {
    await fixture.connect(tenant, page());
    let isFirst = true;
    fixture.setScript(async ({ name }) => {
      if (name !== "unsubscribe" || !isFirst) return undefined;
      isFirst = false;
      testEnv.advance(1);
      await fixture.connect(tenant, page(), { token: "new" } as object);
      return undefined;
    });
    expect(isRefusal(await fixture.disconnect(tenant, page()))).toBe(false);
    expect(await fixture.get(tenant, page())).toBeNull();
    expect([...fixture.subscribed]).toEqual([]);
    await fixture.drain();
    expect(await fixture.eventTypes()).toEqual(["account.connected", "account.reconnected", "account.disconnected"]);
  });

  it("a task that was left of it does not end the new connection, and asks for its check", async () => {
    await fixture.connect(tenant, page());
    const ports = fixture.ports();
    const dying = { ...ports, pageUses: { list: async () => Promise.reject(new Error("died")) } };
    await expect(fixture.disconnect(tenant, page(), {}, dying)).rejects.toThrow("died");
    await fixture.connect(tenant, page(), { token: "new" } as object);
    await fixture.drain();
    expect(await fixture.get(tenant, page())).not.toBeNull();
    expect([...fixture.subscribed]).toEqual([fixture.pageId]);
    expect(await fixture.eventTypes()).toEqual(["account.connected", "account.reconnected"]);
  });
});

it("a disconnection whose process died is completed by its task", async () => {
  await fixture.connect(tenant, page());
  const ports = fixture.ports();
  const dying = { ...ports, pageUses: { list: async () => Promise.reject(new Error("died")) } };
  await expect(fixture.disconnect(tenant, page(), {}, dying)).rejects.toThrow("died");
  expect(await fixture.get(tenant, page())).not.toBeNull();
  testEnv.advance(MINUTE);
  await fixture.drain();
  expect(await fixture.get(tenant, page())).toBeNull();
  expect([...fixture.subscribed]).toEqual([]);
  expect(await fixture.eventTypes()).toEqual(["account.connected", "account.disconnected"]);
});

it("the task of a disconnection that meets a new subscription on each attempt is repeated, and disconnects", async () => {
  await fixture.connect(tenant, page());
  const ports = fixture.ports();
  const dying = { ...ports, pageUses: { list: async () => Promise.reject(new Error("died")) } };
  await expect(fixture.disconnect(tenant, page(), {}, dying)).rejects.toThrow("died");
  const disconnect: typeof ports.accounts.disconnect = async (request) => {
    const { connectionId } = request;
    await ports.accounts.recordResubscription({ tenant, ref: page(), connectionId });
    return ports.accounts.disconnect(request);
  };
  const task = (await fixture.delayedTasks()).find(({ op }) => op === "disconnect");
  if (task?.op !== "disconnect") throw new Error("The disconnection has no task.");
  const raced = { ...ports, accounts: { ...ports.accounts, disconnect } };
  expect(await completeDisconnection(raced, task, fixture.time())).toMatchObject({ end: "retry" });
  expect(await fixture.get(tenant, page())).not.toBeNull();
  expect(await completeDisconnection(ports, task, fixture.time())).toMatchObject({ end: "done" });
  expect(await fixture.get(tenant, page())).toBeNull();
});

it("a disconnection whose process died before it sent the event has it sent by its task, once", async () => {
  await fixture.connect(tenant, page());
  const ports = fixture.ports();
  const dying = { ...ports, events: { ...ports.events, send: async () => Promise.reject(new Error("died")) } };
  await expect(fixture.disconnect(tenant, page(), {}, dying)).rejects.toThrow("died");
  expect(await fixture.get(tenant, page())).toBeNull();
  await fixture.drain();
  expect(await fixture.eventTypes()).toEqual(["account.connected", "account.disconnected"]);
});

it("of two requests at once, one disconnects the account, and one event is published", async () => {
  await fixture.connect(tenant, page());
  testEnv.advance(1);
  const results = await Promise.all([fixture.disconnect(tenant, page()), fixture.disconnect(tenant, page())]);
  expect(results.filter(isRefusal).length).toBeLessThan(2);
  await fixture.drain();
  expect((await fixture.eventTypes()).filter((type) => type === "account.disconnected")).toHaveLength(1);
  expect((await fixture.actions(tenant)).filter((action) => action === "account.disconnect")).toHaveLength(1);
});
