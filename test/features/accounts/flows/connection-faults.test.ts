import { describe, expect, it } from "vitest";
import type { TenantId } from "#base/kernel/tenant.ts";
import { FAULT_STEP, faultPoints, firstFault, injectFaultAt } from "../../../support/flows/fault-injection.ts";
import { openTestEnv } from "../../../support/flows/test-env.ts";
import { openedOnce } from "../../../support/opened.ts";
import { type ConnectionFixture, openConnectionFixture, unknownCall } from "./support/connection-fixture.ts";

// A process that dies at any of its calls to AWS or to the platform, or whose call is struck, and what its task leaves.

const testEnv = openedOnce(openTestEnv);

/** Runs the flow with a fault at its k-th call to AWS. @returns whether there was such a call */
async function struck(flow: () => Promise<unknown>, faultPoint: (typeof faultPoints)[number], k: number) {
  const injection = injectFaultAt(testEnv.clients, faultPoint, k);
  await flow().catch(() => {});
  injection.remove();
  return injection.reached();
}

async function open() {
  const fixture = await openConnectionFixture(testEnv);
  return { fixture, tenant: await fixture.team.newTenant() };
}

/** The app is subscribed exactly if the account is connected, and its row, page use and route agree. */
async function expectWhole(fixture: ConnectionFixture, tenant: TenantId): Promise<boolean> {
  const account = await fixture.get(tenant, fixture.messenger());
  const isConnected = account !== null;
  expect([...fixture.subscribed]).toEqual(isConnected ? [fixture.pageId] : []);
  expect(await fixture.uses()).toEqual(isConnected ? [`${tenant} messenger`] : []);
  expect(await fixture.stores.accounts.getRoute(fixture.messenger())).toEqual(
    isConnected ? { tenant, handle: "@shop" } : null,
  );
  return isConnected;
}

describe.each(faultPoints)("a fault (%s) at each call", (faultPoint) => {
  it("a fault at each call of connecting: the account is connected once, subscribed and published, or not at all", async () => {
    let outcomes = 0;
    for (let k = firstFault(faultPoint); ; k += FAULT_STEP) {
      const { fixture, tenant } = await open();
      const isReached = await struck(() => fixture.connect(tenant, fixture.messenger()), faultPoint, k);
      await fixture.drain();
      const isConnected = await expectWhole(fixture, tenant);
      expect(await fixture.eventTypes()).toEqual(isConnected ? ["account.connected"] : []);
      if (isConnected) expect(await fixture.stores.accountChecks.get(tenant, fixture.messenger())).not.toBeNull();
      if (!isReached) break;
      outcomes++;
    }
    expect(outcomes).toBeGreaterThanOrEqual(2);
  });

  it("a fault at each call of disconnecting: the account goes, with its subscription, token, page use and one event", async () => {
    let outcomes = 0;
    for (let k = firstFault(faultPoint); ; k += FAULT_STEP) {
      const { fixture, tenant } = await open();
      await fixture.connect(tenant, fixture.messenger());
      const isReached = await struck(() => fixture.disconnect(tenant, fixture.messenger()), faultPoint, k);
      await fixture.drain();
      const isConnected = await expectWhole(fixture, tenant);
      // Nothing was accepted: the process died before it queued the task, its second call.
      if (isConnected) expect(k).toBeLessThanOrEqual(2);
      const types = ["account.connected", ...(isConnected ? [] : ["account.disconnected"])];
      expect(await fixture.eventTypes()).toEqual(types);
      if (!isReached) break;
      outcomes++;
    }
    expect(outcomes).toBeGreaterThanOrEqual(2);
  });

  it("a fault at each call of a second way of connecting: one subscription is left", async () => {
    for (let k = firstFault(faultPoint); ; k += FAULT_STEP) {
      const { fixture, tenant } = await open();
      const ref = fixture.instagram();
      await fixture.connect(tenant, ref);
      const login = { connection: "instagram_login", token: "login" } as object;
      const isReached = await struck(() => fixture.connect(tenant, ref, login), faultPoint, k);
      await fixture.drain();
      const account = await fixture.get(tenant, ref);
      const isNew = account?.connection === "instagram_login";
      expect([...fixture.subscribed]).toEqual([isNew ? ref.externalId : fixture.pageId]);
      expect(account?.replaced).toEqual([]);
      expect(await fixture.uses()).toEqual(isNew ? [] : [`${tenant} instagram`]);
      expect(await fixture.eventTypes()).toEqual(["account.connected", ...(isNew ? ["account.reconnected"] : [])]);
      if (!isReached) break;
    }
  });
});

it.each(faultPoints)(
  "a fault (%s) at each call of a third way of connecting before the subscription of the first has ended: one subscription is left",
  async (faultPoint) => {
    for (let k = firstFault(faultPoint); ; k += FAULT_STEP) {
      const { fixture, tenant } = await open();
      const ref = fixture.instagram();
      await fixture.connect(tenant, ref);
      fixture.setScript(({ name }) => (name === "unsubscribe" ? unknownCall : undefined));
      await fixture.connect(tenant, ref, { connection: "instagram_login", token: "login" } as object);
      const third = { page: `${fixture.pageId}-other`, token: "other" } as object;
      const isReached = await struck(() => fixture.connect(tenant, ref, third), faultPoint, k);
      fixture.setScript(() => undefined);
      await fixture.drain();
      const account = await fixture.get(tenant, ref);
      expect([...fixture.subscribed]).toEqual([account?.pageId ?? ref.externalId]);
      expect(account?.replaced).toEqual([]);
      if (!isReached) break;
    }
  },
);

describe("a process that dies at a call to the platform", () => {
  it.each(["before", "after"] as const)("(%s), while it connects", async (point) => {
    const { fixture, tenant } = await open();
    let isDead = false;
    fixture.setScript(({ node }) => {
      if (isDead) return undefined;
      isDead = true;
      if (point === "after") fixture.subscribed.add(node);
      throw new Error("died");
    });
    await expect(fixture.connect(tenant, fixture.messenger())).rejects.toThrow("died");
    await fixture.drain();
    expect(await expectWhole(fixture, tenant)).toBe(true);
    expect(await fixture.eventTypes()).toEqual(["account.connected"]);
  });
});
