import { beforeAll, expect, test } from "vitest";
import { isRefusal } from "#base/kernel/refusals.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { MINUTE } from "#base/kernel/time.ts";
import { createKey } from "#features/access/flows/keys.ts";
import { removeMember } from "#features/access/flows/team/members.ts";
import type { Caller } from "#features/access/rules/callers.ts";
import { closeSockets, verifySocket } from "#features/realtime/flows/close.ts";
import { disconnectSocket } from "#features/realtime/flows/connect.ts";
import { receiveFrame } from "#features/realtime/flows/frames.ts";
import { processHello } from "#features/realtime/flows/push/greet.ts";
import { openStreamFixture } from "../features/realtime/flows/support/stream-fixture.ts";
import { openTestEnv } from "../support/flows/test-env.ts";
import { attachMeter } from "../support/meter.ts";
import { openedOnce } from "../support/opened.ts";
import { openStores } from "../support/stores/open-stores.ts";
import { sampleConversationId } from "../support/stores/samples.ts";

let tenant: TenantId;
// The units of "Realtime stream" in docs/design/table-costs.md.

const testEnv = openedOnce(openTestEnv);
const stream = openedOnce(() => openStreamFixture(testEnv));
const meter = openedOnce(() => attachMeter(testEnv.client, testEnv.table.name));
beforeAll(async () => {
  tenant = await stream.team.newTenant();
});

async function cost<T>(work: () => Promise<T>): Promise<{ wcu: number; rcu: number }> {
  const { wcu, rcu } = await meter.measure("work", work);
  return { wcu, rcu };
}

async function newKey(): Promise<Caller> {
  const key = await createKey(
    stream.ports,
    tenant,
    { scope: "live", label: "", author: { actor: "cli" } },
    testEnv.now(),
  );
  if (isRefusal(key)) throw new Error("The key was not created.");
  return { kind: "tenant_key", keyId: key.id, tenant, scope: "live" };
}

test("a ticket, a socket, its frames and its end", async () => {
  const [key, member] = [await newKey(), await stream.newMember(tenant, "owner")];
  let ticket = "";
  const create = (caller: Caller) => async () => {
    ticket = await stream.newTicket(caller, tenant);
  };
  let connectionId = "";
  const connect = async () => {
    ({ connectionId } = await stream.connect(ticket));
  };
  const verify = () => verifySocket(stream.ports, { tenant, connectionId, now: testEnv.now() });

  expect(await cost(create(key))).toEqual({ wcu: 1, rcu: 0 });
  expect(await cost(connect)).toEqual({ wcu: 11, rcu: 0 });
  expect(await cost(verify)).toEqual({ wcu: 4, rcu: 1 });
  const pushPorts = { ...openStores(testEnv.table), ...stream.ports };
  const greet = () => processHello(pushPorts, { tenant, connectionId }, testEnv.now());
  expect(await cost(greet)).toEqual({ wcu: 6, rcu: 1.5 });
  const used = connectionId;
  expect(await cost(connect)).toEqual({ wcu: 1, rcu: 0 });
  expect(await cost(() => stream.connect("no ticket"))).toEqual({ wcu: 0, rcu: 0 });
  const ping = { connectionId: used, text: '{"type":"ping"}', now: testEnv.now() };
  expect(await cost(() => receiveFrame(stream.ports, ping))).toEqual({ wcu: 1, rcu: 0 });
  // The row has a count for each minute of two hours, and stays below a unit.
  for (let minute = 1; minute <= 120; minute++) {
    const now = ping.now + minute * MINUTE;
    expect(await cost(() => receiveFrame(stream.ports, { ...ping, now }))).toEqual({ wcu: 1, rcu: 0 });
  }
  expect(await cost(() => disconnectSocket(stream.ports, used))).toEqual({ wcu: 6, rcu: 1 });

  expect(await cost(create(member))).toEqual({ wcu: 1, rcu: 1 });
  expect(await cost(connect)).toEqual({ wcu: 13, rcu: 0 });
  expect(await cost(verify)).toEqual({ wcu: 6, rcu: 1 });
  const close = () => closeSockets(stream.ports, { tenant, connectionIds: [connectionId], now: testEnv.now() });
  expect(await cost(close)).toEqual({ wcu: 7, rcu: 1 });
});

test.each([
  [2, 0.5],
  [20, 0.5],
  [50, 1],
  [51, 1],
  [200, 1],
])("a report of what a person does, of a tenant with %i sockets", async (sockets, rcu) => {
  const team = await stream.team.newTenant();
  const member = await stream.newMember(team);
  const connectionIds: string[] = [];
  for (let i = 0; i < sockets; i++) connectionIds.push(await stream.open(member, team));
  const [connectionId = ""] = connectionIds;
  const pushPorts = { ...openStores(testEnv.table), ...stream.ports };
  await processHello(pushPorts, { tenant: team, connectionId }, testEnv.now());
  const text = JSON.stringify({
    type: "presence",
    conversation_id: sampleConversationId(team),
    state: "reading",
  });
  const report = () => receiveFrame(stream.ports, { connectionId, text, now: testEnv.now() });
  expect(await cost(report)).toEqual({ wcu: 1, rcu });
});

test("the end of an access whose tenant has sockets", async () => {
  const [owner, member] = [await stream.newMember(tenant, "owner"), await stream.newMember(tenant)];
  await stream.open(member, tenant);
  const request = { tenant, userId: member.userId, author: { caller: owner, ip: null }, now: testEnv.now() };
  // The member 1; twice the number of sockets and the sockets.
  expect(await cost(() => removeMember(stream.ports, request))).toEqual({ wcu: 8, rcu: 5 });
});
