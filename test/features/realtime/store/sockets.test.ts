import { expect, it } from "vitest";
import { newUlid } from "#base/kernel/ids.ts";
import { SOCKETS_PER_TENANT_MAX } from "#base/kernel/limits.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { HOUR, MINUTE } from "#base/kernel/time.ts";
import { openTable } from "#base/table/client.ts";
import { apiKeyItemKey, membershipKey, operatorKeyItemKey, tenantKey, userKey } from "#features/access/store/items.ts";
import { type Grant, hasSockets, type Socket } from "#features/realtime/rules/sockets.ts";
import { presenceKey } from "#features/realtime/store/items.ts";
import { startTestTable } from "../../../support/dynamodb.ts";
import { type Fault, injectFaults } from "../../../support/faults.ts";
import { openedOnce } from "../../../support/opened.ts";
import { deleteItem, writeItem } from "../../../support/stores/items.ts";
import { openStores } from "../../../support/stores/open-stores.ts";
import { ACCOUNT, NOW, newTenant, sampleNewAccount } from "../../../support/stores/samples.ts";

const testTable = openedOnce(startTestTable);
const table = openedOnce(() => openTable(testTable.tableName, testTable.client));
const stores = openedOnce(() => openStores(table));

const KEY_GRANT: Grant = { kind: "tenant_key", keyId: "key-1" };

async function plant(item: object): Promise<void> {
  await writeItem(table, item);
}

/** A tenant with an active key. */
async function keyedTenant(): Promise<TenantId> {
  const tenant = newTenant();
  await plant({ ...apiKeyItemKey(tenant, "key-1"), st: "active" });
  return tenant;
}

function socketOf(connectionId: string, rest: Partial<Socket> = {}): Socket {
  return { connectionId, grant: KEY_GRANT, connectedAt: NOW, expiresAt: NOW + 2 * HOUR, ...rest };
}

async function setCount(tenant: TenantId, n: number): Promise<void> {
  await plant({ ...presenceKey(tenant), n, un: NOW + HOUR, o: newUlid(NOW) });
}

it("a socket is listed, found by its connection and counted until it is removed", async () => {
  const tenant = await keyedTenant();
  expect(await stores.sockets.presence(tenant)).toBeNull();
  const socket = socketOf(`a-${tenant}`);
  expect(await stores.sockets.connect(tenant, socket)).toBe("connected");
  expect(await stores.sockets.list(tenant, NOW)).toEqual({
    sockets: [{ ...socket, endedAt: null, greetedAt: null }],
    erasedAt: null,
  });
  expect(await stores.sockets.tenantOf(socket.connectionId)).toBe(tenant);
  expect(await stores.sockets.presence(tenant)).toEqual({ count: 1, socketsUntil: NOW + 2 * HOUR + 5 * MINUTE });

  await stores.sockets.remove(tenant, [socket.connectionId, "unknown"]);
  await stores.sockets.remove(tenant, [socket.connectionId]);
  expect(await stores.sockets.presence(tenant)).toEqual({ count: 0, socketsUntil: null });
  expect(await stores.sockets.listAll(tenant)).toEqual([]);
  expect(await stores.sockets.tenantOf(socket.connectionId)).toBeNull();
});

it("the query of a tenant's endpoints says whether it has sockets, and shows no further endpoint", async () => {
  const tenant = await keyedTenant();
  expect(await stores.endpoints.listWithSockets(tenant)).toEqual({ endpoints: [], socketsUntil: null });
  await stores.sockets.connect(tenant, socketOf(`b-${tenant}`));
  const listed = await stores.endpoints.listWithSockets(tenant, { consistent: true });
  expect(listed.endpoints).toEqual([]);
  expect([NOW, NOW + 3 * HOUR].map((at) => hasSockets(listed, at))).toEqual([true, false]);
  expect(await stores.endpoints.list(tenant)).toEqual([]);
  await stores.sockets.remove(tenant, [`b-${tenant}`]);
  expect(hasSockets(await stores.endpoints.listWithSockets(tenant), NOW)).toBe(false);
});

it("a socket opens while its access holds, and for no other reason", async () => {
  const tenant = newTenant();
  const [userId, memberSince] = ["usr_1", NOW - 5];
  const session: Grant = { kind: "session", userId, epoch: 3, memberSince };
  const operator: Grant = { kind: "operator_key", keyId: "op-1" };
  let sockets = 0;
  const connect = (grant: Grant) => stores.sockets.connect(tenant, socketOf(`c-${tenant}-${++sockets}`, { grant }));

  expect(await connect(session)).toBe("refused");
  await plant({ ...userKey(userId), sv: 3 });
  expect(await connect(session)).toBe("refused");
  await plant({ ...membershipKey(tenant, userId), ca: memberSince, ro: "agent" });
  expect(await connect(session)).toBe("connected");
  expect(await connect({ ...session, epoch: 2 })).toBe("refused");
  expect(await connect({ ...session, memberSince: memberSince - 1 })).toBe("refused");

  expect(await connect(KEY_GRANT)).toBe("refused");
  await plant({ ...apiKeyItemKey(tenant, "key-1"), st: "active" });
  expect(await connect(KEY_GRANT)).toBe("connected");
  await plant({ ...apiKeyItemKey(tenant, "key-1"), st: "revoked" });
  expect(await connect(KEY_GRANT)).toBe("refused");

  await plant({ ...operatorKeyItemKey("op-1"), st: "active", ts: ["another-tenant"] });
  expect(await connect(operator)).toBe("refused");
  await plant({ ...operatorKeyItemKey("op-1"), st: "active", ts: ["another-tenant", tenant] });
  expect(await connect(operator)).toBe("connected");

  await plant({ ...tenantKey(tenant), st: "suspended" });
  expect(await connect(operator)).toBe("refused");
  expect(await stores.sockets.isGranted(tenant, session)).toBe(false);
  await plant({ ...tenantKey(tenant), st: "active" });
  expect(await stores.sockets.isGranted(tenant, session)).toBe(true);
  expect(await stores.sockets.presence(tenant)).toMatchObject({ count: 3 });
});

it("of sockets that open at the same time, no more than the maximum do", async () => {
  const tenant = await keyedTenant();
  await setCount(tenant, SOCKETS_PER_TENANT_MAX - 3);
  const results = await Promise.all(
    Array.from({ length: 8 }, (_, i) => stores.sockets.connect(tenant, socketOf(`d-${tenant}-${i}`))),
  );
  expect(results.toSorted()).toEqual([...Array(3).fill("connected"), ...Array(5).fill("limit")]);
  expect(await stores.sockets.presence(tenant)).toMatchObject({ count: SOCKETS_PER_TENANT_MAX });
});

it("the number of sockets stays exact when answers are lost", async () => {
  const tenant = await keyedTenant();
  const connectionId = `e-${tenant}`;
  const end = injectFaults(testTable.client, ({ index }) => (index % 2 === 0 ? "lost" : "pass"));
  expect(await stores.sockets.connect(tenant, socketOf(connectionId))).toBe("connected");
  expect(await stores.sockets.presence(tenant)).toMatchObject({ count: 1 });
  await stores.sockets.remove(tenant, [connectionId]);
  expect(await stores.sockets.presence(tenant)).toMatchObject({ count: 0 });
  end();
});

it("more sockets than a transaction has room for are removed, also without their number", async () => {
  const tenant = await keyedTenant();
  const ids = Array.from({ length: 50 }, (_, i) => `f-${tenant}-${i}`);
  for (const id of ids) await stores.sockets.connect(tenant, socketOf(id));
  await stores.sockets.remove(tenant, [...ids.slice(1), "unknown"]);
  expect(await stores.sockets.presence(tenant)).toMatchObject({ count: 1 });
  await deleteItem(table, presenceKey(tenant));
  await stores.sockets.remove(tenant, ids);
  expect(await stores.sockets.presence(tenant)).toBeNull();
  expect(await stores.sockets.listAll(tenant)).toEqual([]);
});

it("a count repairs the number after the time to live removed rows, and removes what is over", async () => {
  const tenant = await keyedTenant();
  await stores.sockets.connect(tenant, socketOf(`g-${tenant}-1`));
  await stores.sockets.connect(tenant, socketOf(`g-${tenant}-2`, { expiresAt: NOW }));
  await setCount(tenant, 7);
  await stores.sockets.repair(tenant, NOW);
  expect(await stores.sockets.presence(tenant)).toMatchObject({ count: 1 });
  expect((await stores.sockets.listAll(tenant)).map(({ connectionId }) => connectionId)).toEqual([`g-${tenant}-1`]);
});

it("a repair loses no socket that comes or goes during its count", async () => {
  for (const change of ["connect", "remove"] as const) {
    const tenant = await keyedTenant();
    await stores.sockets.connect(tenant, socketOf(`h-${tenant}-1`));
    await setCount(tenant, 7);
    let queries = 0;
    const end = injectFaults(testTable.client, async ({ command }): Promise<Fault> => {
      if (command !== "Query" || ++queries !== 2) return "pass";
      // The first count is done, and its result is not written.
      if (change === "connect") await stores.sockets.connect(tenant, socketOf(`h-${tenant}-2`));
      else await stores.sockets.remove(tenant, [`h-${tenant}-1`]);
      return "pass";
    });
    await stores.sockets.repair(tenant, NOW);
    end();
    const { count = 0 } = (await stores.sockets.presence(tenant)) ?? {};
    expect(count).toBe(change === "connect" ? 8 : 6);
    await stores.sockets.repair(tenant, NOW);
    expect(await stores.sockets.presence(tenant)).toMatchObject({
      count: (await stores.sockets.listAll(tenant)).length,
    });
  }
});

it("an ended socket receives nothing, and stays until it is removed", async () => {
  const tenant = await keyedTenant();
  const connectionId = `i-${tenant}`;
  await stores.sockets.connect(tenant, socketOf(connectionId));
  await stores.sockets.markEnded(tenant, [connectionId, "unknown"], NOW + 1);
  await stores.sockets.markEnded(tenant, [connectionId], NOW + 2);
  expect((await stores.sockets.list(tenant, NOW)).sockets).toEqual([]);
  expect(await stores.sockets.get(tenant, connectionId)).toMatchObject({ endedAt: NOW + 1 });
  expect(await stores.sockets.presence(tenant)).toMatchObject({ count: 1 });
});

it("the list of sockets says when a conversation was last erased", async () => {
  const tenant = await keyedTenant();
  await stores.sockets.markErasure(tenant, NOW);
  expect(await stores.sockets.list(tenant, NOW)).toEqual({ sockets: [], erasedAt: NOW });
  expect(await stores.sockets.listAll(tenant)).toEqual([]);
});

it("an account says until when its tenant may have sockets, also after it was connected again", async () => {
  const tenant = newTenant();
  const { accounts } = stores;
  const connect = () =>
    accounts.connect({
      tenant,
      account: sampleNewAccount({ connectionId: newUlid(NOW) }),
      author: {
        audit: { action: "account.connect", resource: "account", actor: "cli", ip: null, detail: {}, at: NOW },
        actor: null,
      },
      now: NOW,
    });
  await accounts.markSockets(tenant, ACCOUNT, NOW + HOUR);
  expect(await accounts.get(tenant, ACCOUNT)).toBeNull();
  await connect();
  expect(await accounts.get(tenant, ACCOUNT)).toMatchObject({ socketsUntil: null });
  await accounts.markSockets(tenant, ACCOUNT, NOW + HOUR);
  await accounts.markSockets(tenant, ACCOUNT, NOW);
  await connect();
  expect(await accounts.get(tenant, ACCOUNT)).toMatchObject({ socketsUntil: NOW + HOUR });
});
