import { beforeEach, describe, expect, it } from "vitest";
import type { TenantId } from "#base/kernel/tenant.ts";
import { DAY, MINUTE } from "#base/kernel/time.ts";
import { finishConnect } from "#features/accounts/flows/finish-connect.ts";
import type { ConnectPorts } from "#features/accounts/ports.ts";
import type { AccountRef } from "#features/accounts/rules/accounts.ts";
import { allRows } from "../../../support/flows/data-subject.ts";
import { FAULT_STEP, faultPoints, firstFault, injectFaultAt } from "../../../support/flows/fault-injection.ts";
import { openTestEnv } from "../../../support/flows/test-env.ts";
import { openedOnce } from "../../../support/opened.ts";
import { type ConnectionFixture, openConnectionFixture } from "./support/connection-fixture.ts";

// The rows that name the logins of earlier connections end, wherever the process that replaced them died.

let fixture: ConnectionFixture;
let tenant: TenantId;
let account: AccountRef;
const testEnv = openedOnce(openTestEnv);
beforeEach(open);

async function open(): Promise<void> {
  fixture = await openConnectionFixture(testEnv);
  tenant = await fixture.team.newTenant();
  account = fixture.messenger();
}

const login = (name: string) => `${name}-${tenant}`;
const connect = async (name: string, ports?: ConnectPorts) => {
  testEnv.advance(MINUTE);
  return fixture.connect(tenant, account, { authorizedBy: [login(name)] }, ports);
};
async function check(): Promise<void> {
  await fixture.run({ op: "check", tenant, account });
  await fixture.work();
}

/** Of the logins whose rows are stored: whether the row has an end. */
async function ends(): Promise<Record<string, boolean>> {
  const names = ["first", "second", "third"];
  const entries = names.map(async (name) => {
    const [row] = await fixture.stores.authorizations.list(login(name));
    return row ? [[name, row.endsAt !== null]] : [];
  });
  return Object.fromEntries((await Promise.all(entries)).flat());
}

const disconnections = [
  ["after", (): Promise<void> => fixture.drain()],
  ["before", async (): Promise<void> => {}],
] as const;

it.each(
  faultPoints.flatMap((faultPoint) => disconnections.map((disconnection) => [faultPoint, ...disconnection] as const)),
)(
  "a second login connects the account, with a fault (%s) at each call, and the account is disconnected %s its task runs: the rows of both end",
  async (faultPoint, _, beforeDisconnecting) => {
    let isReplaced = false;
    for (let k = firstFault(faultPoint); ; k += FAULT_STEP) {
      await open();
      await connect("first");
      await fixture.drain();
      const injection = injectFaultAt(testEnv.clients, faultPoint, k);
      await connect("second").catch(() => {});
      injection.remove();
      await beforeDisconnecting();
      isReplaced ||= (await fixture.get(tenant, account))?.authorizedBy.includes(login("second")) === true;
      await fixture.disconnect(tenant, account);
      await check();
      const rows = await ends();
      expect(rows, `call ${k}`).toMatchObject({ first: true });
      expect(Object.values(rows), `call ${k}`).not.toContain(false);
      await fixture.drain();
      expect(await ends(), `call ${k}`).toEqual(rows);
      if (!injection.reached()) break;
    }
    expect(isReplaced).toBe(true);
  },
);

describe("processes that die before they end the rows of former logins", () => {
  const dying = (): ConnectPorts => {
    const ports = fixture.ports();
    const expire = async () => Promise.reject(new Error("died"));
    return { ...ports, authorizations: { ...ports.authorizations, expire } };
  };
  const carried = async () =>
    (await fixture.stores.accountChecks.get(tenant, account))?.formerLogins.map(({ platformUserId }) => platformUserId);

  beforeEach(async () => {
    await connect("first");
    await expect(connect("second", dying())).rejects.toThrow("died");
    await expect(connect("third", dying())).rejects.toThrow("died");
    expect(await carried()).toEqual([login("first"), login("second")]);
    expect(await ends()).toEqual({ first: false, second: false, third: false });
  });

  it("processes that die before they end the rows of former logins leave them to the task of the last connection", async () => {
    await fixture.drain();
    expect(await ends()).toEqual({ first: true, second: true, third: false });
    expect(await carried()).toEqual([]);
  });

  it("processes that die before they end the rows of former logins leave them to any check, eight days after the connection that replaced them", async () => {
    await check();
    expect(await ends()).toEqual({ first: true, second: true, third: false });
    expect(await carried()).toEqual([]);
    const [row] = await fixture.stores.authorizations.list(login("second"));
    expect(Math.abs((row?.endsAt ?? 0) - (testEnv.now() + 8 * DAY))).toBeLessThan(MINUTE);
  });

  it("processes that die before they end the rows of former logins leave them to the check that finds the account gone", async () => {
    await fixture.disconnect(tenant, account);
    await check();
    expect(await ends()).toEqual({ first: true, second: true, third: true });
    expect(await fixture.stores.accountChecks.get(tenant, account)).toBeNull();
  });

  it("processes that die before they end the rows of former logins end no row of a login that connects the account again", async () => {
    await connect("first");
    await fixture.drain();
    expect(await ends()).toEqual({ first: false, second: true, third: true });
    expect(await carried()).toEqual([]);
  });
});

it("a connection of an earlier release whose check is another one's gets its own, and the former login's row ends", async () => {
  await connect("first");
  await fixture.drain();
  const earlier = await fixture.stores.accountChecks.get(tenant, account);
  if (!earlier) throw new Error("The account has no check.");
  const ports = fixture.ports();
  const died = async () => Promise.reject(new Error("died"));
  await expect(connect("second", { ...ports, accountPlatformFor: died })).rejects.toThrow("died");
  // The earlier release stored the check after the account.
  const own = await fixture.stores.accountChecks.get(tenant, account);
  if (!own) throw new Error("The account has no check.");
  await fixture.stores.accountChecks.remove(own);
  await fixture.stores.accountChecks.add(earlier);
  await fixture.drain();
  const { connectionId } = (await fixture.get(tenant, account)) ?? {};
  expect(await fixture.stores.accountChecks.get(tenant, account)).toMatchObject({
    connectionId,
    authorizedBy: [login("second")],
    formerLogins: [],
    heldSince: earlier.heldSince,
  });
  expect(await ends()).toEqual({ first: true, second: false });
});

it("the task of a connection does not replace the check of a later one", async () => {
  await connect("first");
  const { connectionId } = (await fixture.get(tenant, account)) ?? { connectionId: "" };
  const ports = fixture.ports();
  let isConnectedAgain = false;
  const accountChecks = {
    ...ports.accountChecks,
    get: async (...query: Parameters<typeof ports.accountChecks.get>) => {
      if (!isConnectedAgain) {
        isConnectedAgain = true;
        await connect("second");
      }
      return ports.accountChecks.get(...query);
    },
  };

  const task = { op: "finish_connect", tenant, account, connectionId } as const;
  await finishConnect({ ...ports, accountChecks }, task, fixture.time());
  expect(isConnectedAgain).toBe(true);
  const later = await fixture.get(tenant, account);
  expect(await fixture.stores.accountChecks.get(tenant, account)).toMatchObject({
    connectionId: later?.connectionId,
    authorizedBy: [login("second")],
  });
  const rows = (await allRows(testEnv)).filter(({ PK }) => PK === `AU#${login("second")}`);
  expect(rows).toHaveLength(1);
});
