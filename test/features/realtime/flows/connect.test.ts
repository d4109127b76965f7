import { beforeEach, expect, it } from "vitest";
import { SOCKETS_PER_TENANT_MAX } from "#base/kernel/limits.ts";
import { isRefusal } from "#base/kernel/refusals.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { HOUR, MINUTE, SECOND } from "#base/kernel/time.ts";
import { sendWrite, update } from "#base/table/writes.ts";
import { listKeys } from "#features/access/flows/key-lists.ts";
import { createKey, createOperatorKey } from "#features/access/flows/keys.ts";
import type { Caller } from "#features/access/rules/callers.ts";
import { newUserId } from "#features/access/rules/team.ts";
import { disconnectSocket } from "#features/realtime/flows/connect.ts";
import { createTicket } from "#features/realtime/flows/tickets.ts";
import { presenceKey } from "#features/realtime/store/items.ts";
import { setTenantStatus } from "#features/tenants/flows/tenant-status.ts";
import { type Fault, injectFaults } from "../../../support/faults.ts";
import { openTestEnv } from "../../../support/flows/test-env.ts";
import { openedOnce } from "../../../support/opened.ts";
import { scanItems } from "../../../support/stores/items.ts";
import { CONSOLE, openStreamFixture } from "./support/stream-fixture.ts";

let tenant: TenantId;
let keyCaller: Caller;
const testEnv = openedOnce(openTestEnv);
const stream = openedOnce(() => openStreamFixture(testEnv));
beforeEach(async () => {
  tenant = await stream.team.newTenant();
  stream.queue.length = 0;
  keyCaller = await newKey("live");
});

async function newKey(scope: "live" | "test"): Promise<Caller> {
  const key = await createKey(stream.ports, tenant, { scope, label: "", author: { actor: "cli" } }, testEnv.now());
  if (isRefusal(key)) throw new Error("The key was not created.");
  return { kind: "tenant_key", keyId: key.id, tenant, scope };
}

const newTicket = () => stream.newTicket(keyCaller, tenant);
const socketIds = async () => (await stream.ports.sockets.listAll(tenant)).map(({ connectionId }) => connectionId);
const count = async () => (await stream.ports.sockets.presence(tenant))?.count ?? 0;

/** The calls of the table during some work. */
async function tableCalls(work: () => Promise<unknown>): Promise<string[]> {
  const commands: string[] = [];
  const end = injectFaults(testEnv.table.client, ({ command }) => {
    commands.push(command);
    return "pass";
  });
  await work();
  end();
  return commands;
}

it("a ticket has 32 random bytes and opens a socket for a minute, of which only a hash is stored", async () => {
  const now = testEnv.now();
  const created = await createTicket(stream.ports, { caller: keyCaller, tenant, now });
  if (isRefusal(created)) throw new Error("The ticket was refused.");
  expect(created).toEqual({
    ticket: expect.stringMatching(/^wst_[\w-]{43}$/),
    expiresAt: now + MINUTE,
    url: "wss://stream.example",
  });
  const Items = await scanItems(testEnv.table);
  expect(JSON.stringify(Items)).not.toContain(created.ticket.slice(4));
  expect(await newTicket()).not.toBe(created.ticket);
});

it("a socket remembers whether its client takes a conversation in a message's frame", async () => {
  const { sockets } = stream.ports;
  for (const includesConversation of [false, true]) {
    const { connectionId } = await stream.connect(await newTicket(), { includesConversation });
    const socket = await sockets.get(tenant, connectionId);
    expect(socket?.includesConversation ?? false).toBe(includesConversation);
    const { sockets: listed } = await sockets.list(tenant, testEnv.now());
    expect(listed).toContainEqual(socket);
  }
});

it("a ticket opens nothing 61 seconds later", async () => {
  const ticket = await newTicket();
  testEnv.advance(61 * SECOND);
  expect((await stream.connect(ticket)).result).toBe("unauthorized");
  expect(await socketIds()).toEqual([]);
});

it("a ticket opens exactly one socket when it is used twenty times at once", async () => {
  const ticket = await newTicket();
  const results = await Promise.all(Array.from({ length: 20 }, () => stream.connect(ticket)));
  expect(results.map(({ result }) => result).toSorted()).toEqual(["connected", ...Array(19).fill("unauthorized")]);
  expect(await socketIds()).toEqual(
    results.filter(({ result }) => result === "connected").map(({ connectionId }) => connectionId),
  );
  expect(await count()).toBe(1);
});

it("a ticket of a key of any scope and of an operator opens a socket without an origin", async () => {
  const operator = await createOperatorKey(
    stream.ports,
    [tenant],
    { scope: "test", label: "", author: { actor: "cli" } },
    testEnv.now(),
  );
  const callers: Caller[] = [
    keyCaller,
    await newKey("test"),
    { kind: "operator_key", keyId: operator.id, tenants: [tenant], suspendedTenants: [], scope: "test" },
  ];
  for (const caller of callers) {
    for (const origin of [null, "https://page.example"]) {
      expect((await stream.connect(await stream.newTicket(caller, tenant), { origin })).result).toBe("connected");
    }
  }
  expect(await count()).toBe(6);
});

it("a ticket of a signed-in person opens a socket for the console's pages alone, and is consumed by any other", async () => {
  const member = await stream.newMember(tenant);
  for (const origin of [null, "https://console.example.org", "http://console.example", `${CONSOLE}/`, "null", ""]) {
    const ticket = await stream.newTicket(member, tenant);
    expect((await stream.connect(ticket, { origin })).result).toBe("forbidden");
    expect((await stream.connect(ticket)).result).toBe("unauthorized");
  }
  expect((await stream.connect(await stream.newTicket(member, tenant))).result).toBe("connected");
});

it("a ticket of a person who is no longer a member is refused", async () => {
  const member = await stream.newMember(tenant);
  const request = { caller: { ...member, userId: newUserId(testEnv.now()) }, tenant, now: testEnv.now() };
  expect(await createTicket(stream.ports, request)).toEqual({ refused: "role_forbidden" });
});

it("a ticket that is no ticket causes no read, and an unknown one a single write", async () => {
  const ticket = await newTicket();
  const texts = [
    "",
    "wst_",
    ticket.slice(0, -1),
    `${ticket}A`,
    ticket.slice(4),
    ` ${ticket}`,
    `${ticket}=`,
    "ä".repeat(5_000),
  ];
  for (const text of [null, ...texts]) {
    const calls = await tableCalls(async () => expect((await stream.connect(text)).result).toBe("unauthorized"));
    expect(calls).toEqual([]);
  }
  const unknown = `wst_${Buffer.alloc(32, 7).toString("base64url")}`;
  const calls = await tableCalls(async () => expect((await stream.connect(unknown)).result).toBe("unauthorized"));
  expect(calls).toEqual(["DeleteItem"]);
  expect(stream.queue).toEqual([]);
  expect((await stream.connect(ticket)).result).toBe("connected");
});

it("a socket has its first frame queued two seconds later, and ends two hours after it connected", async () => {
  const { connectionId } = await stream.connect(await newTicket());
  expect(stream.queue).toEqual([{ tenant, kind: "hello", connectionId, delay: 2 * SECOND, sentAt: testEnv.now() }]);
  const [socket] = await stream.ports.sockets.listAll(tenant);
  expect(socket).toMatchObject({ connectedAt: testEnv.now(), expiresAt: testEnv.now() + 2 * HOUR });
});

it("a socket does not open for a suspended tenant, nor for a key that is unknown", async () => {
  const tickets = [await newTicket(), await stream.newTicket({ ...keyCaller, keyId: "unknown" } as Caller, tenant)];
  expect((await stream.connect(tickets[1] ?? "")).result).toBe("unauthorized");
  await setTenantStatus(stream.ports, tenant, { status: "suspended", author: { actor: "cli" } }, testEnv.now());
  expect((await stream.connect(tickets[0] ?? "")).result).toBe("unauthorized");
  expect(await listKeys(stream.ports, tenant, testEnv.now())).toHaveLength(1);
  expect(await count()).toBe(0);
});

it("a socket is refused where there are 1,000, and opens where rows were removed without their number", async () => {
  const setCount = (n: number) =>
    sendWrite(testEnv.table, update(presenceKey(tenant), { set: { n, o: "1", un: testEnv.now() + HOUR } }));
  await setCount(SOCKETS_PER_TENANT_MAX);
  expect((await stream.connect(await newTicket())).result).toBe("connected");
  expect(await count()).toBe(1);
  // The number is right now.
  const full = { ...stream.ports, sockets: { ...stream.ports.sockets, repair: async () => {} } };
  await setCount(SOCKETS_PER_TENANT_MAX);
  expect((await stream.connect(await newTicket(), { openPorts: full })).result).toBe("limit");
  expect(await socketIds()).toHaveLength(1);
});

it("a socket leaves its row when the connection ends, also when its end is reported twice", async () => {
  const { connectionId } = await stream.connect(await newTicket());
  const other = await stream.connect(await newTicket());
  await disconnectSocket(stream.ports, connectionId);
  await disconnectSocket(stream.ports, connectionId);
  await disconnectSocket(stream.ports, "unknown");
  expect(await socketIds()).toEqual([other.connectionId]);
  expect(await count()).toBe(1);
});

it("a socket opens at most once, with an exact number, when a call of its handshake fails or loses its answer", async () => {
  for (const fault of ["lost", "crash", "throttle", "twice", "conflict"] as const) {
    for (let index = 0; index < 3; index++) {
      const ticket = await newTicket();
      const before = await count();
      const end = injectFaults(testEnv.table.client, (call): Fault => (call.index === index ? fault : "pass"));
      const first = await stream.connect(ticket).catch(() => ({ result: "failed" as const, connectionId: "" }));
      end();
      const second = await stream.connect(ticket);
      const opened = [first, second].filter(({ result }) => result === "connected");
      expect(opened.length).toBeLessThanOrEqual(1);
      expect(await count()).toBe(before + opened.length);
      expect(await socketIds()).toHaveLength(before + opened.length);
    }
  }
});
