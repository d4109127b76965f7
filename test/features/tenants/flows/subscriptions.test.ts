import { beforeEach, describe, expect, it } from "vitest";
import { refuse } from "#base/kernel/refusals.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { MINUTE } from "#base/kernel/time.ts";
import { type Fault, injectFaults } from "../../../support/faults.ts";
import { openTestEnv } from "../../../support/flows/test-env.ts";
import { openedEach, openedOnce } from "../../../support/opened.ts";
import { openConnectionFixture, refusedCall, unknownCall } from "../../accounts/flows/support/connection-fixture.ts";
import { runDeletion } from "./support/doomed-tenant.ts";

// The platforms' webhooks of a tenant that is deleted.

let tenant: TenantId;
const testEnv = openedOnce(openTestEnv);
const fixture = openedEach(() => openConnectionFixture(testEnv));
beforeEach(async () => {
  tenant = await fixture.team.newTenant();
});

const unsubscribeCalls = () => fixture.calls.filter(({ name }) => name === "unsubscribe");
const deleteIt = (ports: object = fixture.ports()) => runDeletion(testEnv, tenant, () => {}, ports);

it("deleting a tenant ends the subscriptions of its accounts, also of two on one page, before their tokens go", async () => {
  await fixture.connect(tenant, fixture.messenger());
  await fixture.connect(tenant, fixture.instagram());
  const login = { platform: "instagram", externalId: `other-${fixture.pageId}` } as const;
  await fixture.connect(tenant, login, { connection: "instagram_login" } as object);
  expect(fixture.subscribed.size).toBe(2);
  expect(await deleteIt()).toMatchObject({ isNew: true });
  expect([...fixture.subscribed]).toEqual([]);
  expect(await fixture.uses()).toEqual([]);
  expect(await fixture.stores.accounts.list(tenant)).toEqual([]);
});

it("deleting a tenant leaves a page to the account of another tenant", async () => {
  const other = await fixture.team.newTenant();
  await fixture.connect(tenant, fixture.messenger());
  await fixture.connect(other, fixture.instagram());
  await deleteIt();
  expect(unsubscribeCalls()).toEqual([]);
  expect([...fixture.subscribed]).toEqual([fixture.pageId]);
  expect(await fixture.uses()).toEqual([`${other} instagram`]);
});

it("deleting a tenant has a page subscribed again that another tenant connected during the call, with that tenant's token", async () => {
  const other = await fixture.team.newTenant();
  await fixture.connect(tenant, fixture.messenger());
  fixture.setScript(async ({ name }) => {
    if (name === "unsubscribe") await fixture.connect(other, fixture.instagram());
    return undefined;
  });
  await deleteIt();
  await fixture.drain();
  expect([...fixture.subscribed]).toEqual([fixture.pageId]);
  expect(fixture.calls.at(-1)).toEqual({ name: "subscribe", node: fixture.pageId, token: `token-${other}` });
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
] as const)("deleting a tenant goes on where the platform %s, after one try for each account", async (_, answer) => {
  await fixture.connect(tenant, fixture.messenger());
  fixture.setScript(answer);
  expect(await deleteIt()).toMatchObject({ isNew: true });
  expect(unsubscribeCalls()).toHaveLength(1);
  expect(await fixture.get(tenant, fixture.messenger())).toBeNull();
});

it("deleting a tenant that is killed after the call is completed by the next run, which calls again", async () => {
  await fixture.connect(tenant, fixture.messenger());
  const ports = fixture.ports();
  const removeAccess = async () => Promise.reject(new Error("died"));
  const dying = { ...ports, tenantDeletions: { ...fixture.stores.tenantDeletions, removeAccess } };
  await expect(deleteIt(dying)).rejects.toThrow("died");
  expect(await deleteIt()).toMatchObject({ isNew: true });
  expect(unsubscribeCalls()).toHaveLength(2);
  expect([...fixture.subscribed]).toEqual([]);
});

describe("another tenant connects an account of a tenant that is deleted", () => {
  let other: TenantId;
  beforeEach(async () => {
    other = await fixture.team.newTenant();
  });
  const inUse = refuse("account_in_use");
  const login = { connection: "instagram_login", token: "login" } as object;

  it("an account of a deleted tenant connects to another after two minutes, so that no worker stores its message for the deleted one", async () => {
    await fixture.connect(tenant, fixture.messenger());
    const { tenantRows } = fixture.stores;
    const outcomes: unknown[] = [];
    const removePage: typeof tenantRows.removePage = async (...args) => {
      if (outcomes.length === 0) {
        outcomes.push(await fixture.connect(other, fixture.messenger()));
        testEnv.advance(2 * MINUTE);
        outcomes.push(await fixture.connect(other, fixture.messenger()));
      }
      return tenantRows.removePage(...args);
    };
    await deleteIt({ ...fixture.ports(), tenantRows: { removePage } });
    expect(outcomes).toMatchObject([inUse, { platform: "messenger" }]);
    expect(await fixture.uses()).toEqual([`${other} messenger`]);
    expect((await fixture.stores.accounts.getRoute(fixture.messenger()))?.tenant).toBe(other);
    expect([...fixture.subscribed]).toEqual([fixture.pageId]);
  });

  it("an account of a deleted tenant that another connects keeps the use of its page, also when the scan read it as the deleted one's", async () => {
    await fixture.connect(tenant, fixture.messenger());
    let isConnected = false;
    const end = injectFaults(testEnv.client, async ({ command, input }): Promise<Fault> => {
      if (isConnected || !/^(BatchWrite|Delete)/.test(command) || !JSON.stringify(input).includes("PAGE#"))
        return "pass";
      isConnected = true;
      testEnv.advance(2 * MINUTE);
      await fixture.connect(other, fixture.messenger());
      return "pass";
    });
    await deleteIt();
    end();
    expect(isConnected).toBe(true);
    expect(await fixture.uses()).toEqual([`${other} messenger`]);
  });

  it("an account of a deleted tenant that another connects keeps its route, also when the deletion read it as the deleted one's", async () => {
    await fixture.connect(tenant, fixture.messenger());
    const route = `ACC#messenger#${fixture.pageId}`;
    let isConnected = false;
    const end = injectFaults(testEnv.client, async ({ command, input }): Promise<Fault> => {
      if (isConnected || command !== "DeleteItem" || !JSON.stringify(input).includes(route)) return "pass";
      isConnected = true;
      testEnv.advance(2 * MINUTE);
      expect(await fixture.connect(other, fixture.messenger())).toMatchObject({ platform: "messenger" });
      return "pass";
    });
    await deleteIt();
    end();
    expect(isConnected).toBe(true);
    expect((await fixture.stores.accounts.getRoute(fixture.messenger()))?.tenant).toBe(other);
  });

  it("an account that another tenant connects by its login keeps its subscription when a deletion that was killed continues", async () => {
    await fixture.connect(tenant, fixture.instagram(), login);
    const end = injectFaults(testEnv.client, ({ command, input }) =>
      command.startsWith("BatchWrite") && JSON.stringify(input).includes("ACC#") ? "crash" : "pass",
    );
    await expect(deleteIt()).rejects.toThrow("crashed");
    end();
    testEnv.advance(2 * MINUTE);
    await fixture.connect(other, fixture.instagram(), login);
    await deleteIt();
    expect([...fixture.subscribed]).toEqual([fixture.instagram().externalId]);
    expect(await fixture.get(other, fixture.instagram())).not.toBeNull();
  });
});
