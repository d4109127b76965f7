import { beforeEach, describe, expect, it } from "vitest";
import { isRefusal } from "#base/kernel/refusals.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { MINUTE, SECOND } from "#base/kernel/time.ts";
import { revokeKey, revokeOperatorKey } from "#features/access/flows/key-lists.ts";
import { createKey, createOperatorKey } from "#features/access/flows/keys.ts";
import { signOut } from "#features/access/flows/sign-in/sign-out.ts";
import { removeMember } from "#features/access/flows/team/members.ts";
import type { Caller, SessionCaller } from "#features/access/rules/callers.ts";
import { closeSockets, NotClosed } from "#features/realtime/flows/close.ts";
import { deleteTenant } from "#features/tenants/flows/delete-tenant.ts";
import { setTenantStatus } from "#features/tenants/flows/tenant-status.ts";
import { cutOffPorts } from "../../../../functions/admin/tenant-ports.ts";
import { Crash, injectFaults } from "../../../support/faults.ts";
import { openTestEnv } from "../../../support/flows/test-env.ts";
import { openedOnce } from "../../../support/opened.ts";
import { forEachFreezePoint, runFrozen } from "../../../support/processes/frozen-process.ts";
import { deletionPorts, runDeletion } from "../../tenants/flows/support/doomed-tenant.ts";
import { openStreamFixture } from "./support/stream-fixture.ts";

let tenant: TenantId;
let owner: SessionCaller;
const testEnv = openedOnce(openTestEnv);
const stream = openedOnce(() => openStreamFixture(testEnv));
beforeEach(async () => {
  testEnv.advance(MINUTE);
  tenant = await stream.team.newTenant();
  owner = await stream.newMember(tenant, "owner");
  stream.queue.length = 0;
});

const CLI = { actor: "cli" } as const;
const byOwner = () => ({ tenant, author: { caller: owner, ip: null }, now: testEnv.now() });
const removeFromTeam = async ({ userId }: SessionCaller, ports = stream.ports) =>
  removeMember(ports, { ...byOwner(), userId });
const kinds = () => stream.queue.map(({ kind }) => kind);
const rows = async () => (await stream.ports.sockets.listAll(tenant)).map(({ connectionId }) => connectionId);

async function newKey(): Promise<Caller & { readonly kind: "tenant_key" }> {
  const key = await createKey(stream.ports, tenant, { scope: "live", label: "", author: CLI }, testEnv.now());
  if (isRefusal(key)) throw new Error("The key was not created.");
  return { kind: "tenant_key", keyId: key.id, tenant, scope: "live" };
}

async function newOperatorKey(): Promise<Caller & { readonly kind: "operator_key" }> {
  const key = await createOperatorKey(stream.ports, [tenant], { scope: "live", label: "", author: CLI }, testEnv.now());
  return { kind: "operator_key", keyId: key.id, tenants: [tenant], suspendedTenants: [], scope: "live" };
}

/** The person becomes a member again, in a later membership. */
async function inviteAgain(member: SessionCaller): Promise<SessionCaller> {
  testEnv.advance(SECOND);
  return stream.inviteAgain(tenant, member);
}

/** Everyone who can have a socket, and what ends their access. */
const endings: Readonly<
  Record<string, () => Promise<{ caller: Caller; end: (ports: typeof stream.ports) => Promise<unknown> }>>
> = {
  "a member who is removed": async () => {
    const caller = await stream.newMember(tenant);
    return { caller, end: (ports) => removeFromTeam(caller, ports) };
  },
  "a person who signs out": async () => {
    const caller = await stream.newMember(tenant);
    return { caller, end: (ports) => signOut(ports, { author: { caller, ip: null }, now: testEnv.now() }) };
  },
  "a key that is revoked": async () => {
    const caller = await newKey();
    const { keyId } = caller;
    return { caller, end: (ports) => revokeKey(ports, { tenant, keyId, author: CLI, now: testEnv.now() }) };
  },
  "an operator key that is revoked": async () => {
    const caller = await newOperatorKey();
    const { keyId } = caller;
    return { caller, end: (ports) => revokeOperatorKey(ports, { keyId, author: CLI, now: testEnv.now() }) };
  },
};

const suspend = (ports: typeof stream.ports) =>
  setTenantStatus(ports, tenant, { status: "suspended", author: CLI }, testEnv.now());

describe.each(Object.entries(endings))("%s", (_, open) => {
  it("access that ends loses each of its sockets, and no other does", async () => {
    const { caller, end } = await open();
    const ended = [await stream.open(caller, tenant), await stream.open(caller, tenant)];
    const others = [
      await stream.open(owner, tenant),
      await stream.open(await newKey(), tenant),
      await stream.open(await newOperatorKey(), tenant),
    ];
    stream.queue.length = 0;
    await end(stream.ports);
    expect(kinds()).toEqual(["recheck", "close"]);
    await stream.drain();
    expect(ended.map(stream.isOpen)).toEqual([false, false]);
    expect(others.map(stream.isOpen)).toEqual([true, true, true]);
    expect((await rows()).toSorted()).toEqual(others.toSorted());
  });

  it("access that ends queues nothing while the tenant has no socket of it", async () => {
    const { end } = await open();
    await stream.open(owner, tenant);
    stream.queue.length = 0;
    await end(stream.ports);
    expect(stream.queue).toEqual([]);
  });

  it("access that ends has its sockets closed when the process dies right after the commit", async () => {
    const { caller, end } = await open();
    const connectionId = await stream.open(caller, tenant);
    stream.queue.length = 0;
    let isDead = false;
    const realtime = {
      send: async (message: Parameters<typeof stream.ports.realtime.send>[0]) => {
        if (isDead) throw new Crash("The process died.");
        isDead = true;
        await stream.ports.realtime.send(message);
      },
    };
    await end({ ...stream.ports, realtime });
    expect(kinds()).toEqual(["recheck"]);
    expect(stream.queue[0]?.delay).toBeLessThan(MINUTE / 2);
    await stream.drain();
    expect([stream.isOpen(connectionId), await rows()]).toEqual([false, []]);
  });

  it("access ends though the queue is down, which the caller learns", async () => {
    const { caller, end } = await open();
    await stream.open(caller, tenant);
    const realtime = { send: () => Promise.reject(new Error("The queue is down.")) };
    await expect(end({ ...stream.ports, realtime })).rejects.toThrow("The queue is down.");
    const ticket = await stream.newTicket(caller, tenant).catch(() => null);
    expect((await stream.connect(ticket)).result).toBe("unauthorized");
  });

  it("access that ends between any two calls of a handshake opens no socket, or one that is closed", async () => {
    const calls = await forEachFreezePoint(async (point) => {
      const { caller, end } = await open();
      const ticket = await stream.newTicket(caller, tenant);
      stream.queue.length = 0;
      const run = await runFrozen({ ...stream.ports }, point, {
        work: (ports) => stream.connect(ticket, { openPorts: ports }),
        whileFrozen: async () => {
          await end(stream.ports);
          // The message arrives at once, while the gateway does not know the connection.
          const message = stream.queue.find(({ kind }) => kind === "close");
          if (message) await stream.process(message).catch((error: unknown) => expect(error).toBeInstanceOf(NotClosed));
        },
      });
      if (run.result.status === "rejected") throw run.result.reason;
      const { result, connectionId } = run.result.value;
      if (!run.reached) return run;
      await stream.drain();
      expect([result, stream.isOpen(connectionId)]).toEqual([expect.anything(), false]);
      expect(await rows()).toEqual([]);
      return run;
    });
    expect(calls).toBeGreaterThanOrEqual(3);
  });
});

it.each(["a key that is revoked", "an operator key that is revoked"])(
  "%s by a command without the URL of the queue loses its sockets when the command is repeated",
  async (name) => {
    const { caller, end } = (await endings[name]?.()) ?? expect.unreachable();
    const connectionId = await stream.open(caller, tenant);
    const other = await stream.open(owner, tenant);
    stream.queue.length = 0;
    const withoutUrl = cutOffPorts({}, testEnv.table);
    await expect(end({ ...stream.ports, realtime: withoutUrl.realtime })).rejects.toThrow("PARLEY_REALTIME_QUEUE_URL");
    const audits = async () =>
      (await stream.ports.audit.list(tenant, { before: null, limit: 50, now: testEnv.now() })).rows.filter(
        ({ action }) => action.endsWith("key.revoke"),
      );
    expect(await audits()).toHaveLength(1);
    for (let repetition = 0; repetition < 2; repetition++) {
      await end(stream.ports);
      await stream.drain();
      expect([stream.isOpen(connectionId), stream.isOpen(other)]).toEqual([false, true]);
    }
    expect(await audits()).toHaveLength(1);
  },
);

it("a suspension by a command without the URL of the queue refuses everyone, and is completed by a repetition", async () => {
  const connectionId = await stream.open(owner, tenant);
  stream.queue.length = 0;
  const { realtime } = cutOffPorts({}, testEnv.table);
  await expect(suspend({ ...stream.ports, realtime })).rejects.toThrow("PARLEY_REALTIME_QUEUE_URL");
  expect((await stream.team.author(owner.userId)).caller.memberships).toMatchObject([{ tenant, isSuspended: true }]);
  await suspend(stream.ports);
  await stream.drain();
  expect(stream.isOpen(connectionId)).toBe(false);
});

it("a suspension closes every socket of the tenant, and a resumed tenant's new ones stay open", async () => {
  const connectionIds = [await stream.open(owner, tenant), await stream.open(await newKey(), tenant)];
  stream.queue.length = 0;
  await suspend(stream.ports);
  const messages = [...stream.queue];
  await stream.drain();
  expect(connectionIds.map(stream.isOpen)).toEqual([false, false]);
  await setTenantStatus(stream.ports, tenant, { status: "active", author: CLI }, testEnv.now());
  const later = await stream.open(owner, tenant);
  // The messages come again.
  for (const message of messages) await stream.process(message);
  expect([stream.isOpen(later), await rows()]).toEqual([true, [later]]);
});

it("the deletion of a tenant closes every socket, though their rows are removed before", async () => {
  const connectionIds = [await stream.open(owner, tenant), await stream.open(await newKey(), tenant)];
  stream.queue.length = 0;
  await runDeletion(testEnv, tenant, () => {}, { realtime: stream.ports.realtime, sockets: stream.ports.sockets });
  expect(await rows()).toEqual([]);
  await stream.drain();
  expect(connectionIds.map(stream.isOpen)).toEqual([false, false]);
});

const connectionId = "in-deletion";
type Ports = typeof stream.ports;

/** The first pass of a deletion, whose process dies after it. */
async function deleteOnce(realtime: Pick<Ports["realtime"], "send"> = stream.ports.realtime): Promise<void> {
  const wait = () => Promise.reject(new Crash("The process died."));
  const ports = { ...deletionPorts(testEnv), realtime, sockets: stream.ports.sockets };
  const deletion = { tenant, author: { actor: "cli" }, time: { now: testEnv.now, wait }, report: () => {} };
  await expect(deleteTenant(ports, deletion)).rejects.toThrow(Crash);
  expect(await rows()).toEqual([]);
}

/** A handshake during which the work is done, after its row is stored and before the gateway has the answer. */
async function connectDuring(work: () => Promise<void>): Promise<void> {
  const ticket = await stream.newTicket(owner, tenant);
  stream.queue.length = 0;
  const realtime = { send: work };
  const { result } = await stream.connect(ticket, { connectionId, openPorts: { ...stream.ports, realtime } });
  expect([result, stream.isOpen(connectionId)]).toEqual(["connected", true]);
}

const processOf = (kind: "close" | "recheck") =>
  stream.process(stream.queue.find((message) => message.kind === kind) ?? expect.unreachable());

it("a handshake during the deletion of its tenant has its socket closed when it stands, though the row was removed and the gateway did not know it", async () => {
  await connectDuring(async () => {
    await deleteOnce();
    expect(kinds()).toEqual(["recheck", "close"]);
    await expect(processOf("close")).rejects.toThrow(NotClosed);
  });
  await processOf("close");
  expect(stream.isOpen(connectionId)).toBe(false);
});

it("a handshake during the deletion of its tenant has its socket closed by the check that was requested before, where the queue failed after the deletion began", async () => {
  await connectDuring(async () => {
    let sent = 0;
    await deleteOnce({
      send: async (message) => {
        if (++sent > 1) throw new Error("The queue is down.");
        await stream.ports.realtime.send(message);
      },
    });
    expect(kinds()).toEqual(["recheck"]);
    await expect(processOf("recheck")).rejects.toThrow(NotClosed);
  });
  await processOf("recheck");
  expect(stream.isOpen(connectionId)).toBe(false);
});

it("a deletion is over for a connection that the gateway does not know half a minute later", async () => {
  await connectDuring(() => deleteOnce());
  await stream.ports.connections.close(connectionId);
  await expect(processOf("close")).rejects.toThrow(NotClosed);
  testEnv.advance(30 * SECOND);
  await processOf("close");
  await processOf("recheck");
});

it("a deletion takes no time from a tenant that stands: a connection without a row has ended", async () => {
  const open = await stream.open(owner, tenant);
  stream.queue.length = 0;
  await suspend(stream.ports);
  await stream.ports.connections.close(open);
  await stream.ports.sockets.remove(tenant, [open]);
  await processOf("close");
  await processOf("recheck");
  expect(kinds()).toEqual(["recheck", "close"]);
});

it("a member who is invited again has only the sockets of the later membership", async () => {
  const member = await stream.newMember(tenant);
  const former = await stream.open(member, tenant);
  const oldTicket = await stream.newTicket(member, tenant);
  stream.queue.length = 0;
  await removeFromTeam(member);
  const messages = [...stream.queue];
  const again = await inviteAgain(member);
  const later = await stream.open(again, tenant);
  expect((await stream.connect(oldTicket)).result).toBe("unauthorized");
  // Late, in any order, and twice.
  for (const message of [...messages, ...messages.toReversed()]) await stream.process(message);
  expect([stream.isOpen(former), stream.isOpen(later)]).toEqual([false, true]);
  expect(await rows()).toEqual([later]);
});

it("the check before a removal closes the former socket, also when the person was invited again by then", async () => {
  const member = await stream.newMember(tenant);
  const former = await stream.open(member, tenant);
  stream.queue.length = 0;
  await removeFromTeam(member);
  const [check] = stream.queue;
  const later = await stream.open(await inviteAgain(member), tenant);
  if (check?.kind !== "recheck") throw new Error("No check was requested first.");
  await stream.process({ ...check, connectionIds: [former, later] });
  expect([stream.isOpen(former), stream.isOpen(later)]).toEqual([false, true]);
});

it("a socket that connected while its access ended, in a process that died, is closed with its first frame", async () => {
  const member = await stream.newMember(tenant);
  let connectionId = "";
  // The list before the change has no socket yet, and the process dies before the list after it.
  const memberships = {
    ...stream.ports.memberships,
    remove: async (...args: Parameters<typeof stream.ports.memberships.remove>) => {
      connectionId = await stream.open(member, tenant);
      await stream.ports.memberships.remove(...args);
      throw new Crash("The process died.");
    },
  };
  await expect(removeFromTeam(member, { ...stream.ports, memberships })).rejects.toThrow(Crash);
  expect(kinds()).toEqual(["hello"]);
  await stream.drain();
  expect([stream.isOpen(connectionId), await rows()]).toEqual([false, []]);
});

it("a removal that is refused closes nothing", async () => {
  const connectionId = await stream.open(owner, tenant);
  stream.queue.length = 0;
  expect(await removeFromTeam(owner)).toEqual({ refused: "last_owner" });
  expect(kinds()).toEqual(["recheck"]);
  await stream.drain();
  expect(stream.isOpen(connectionId)).toBe(true);
});

it("closing is repeated until the gateway closed the connections, which receive nothing until then", async () => {
  const member = await stream.newMember(tenant);
  const connectionIds = [await stream.open(member, tenant), await stream.open(member, tenant)];
  const close = (ports = stream.ports) => closeSockets(ports, { tenant, connectionIds, now: testEnv.now() });
  const connections = { ...stream.ports.connections, close: () => Promise.reject(new Error("503")) };
  await expect(close({ ...stream.ports, connections })).rejects.toThrow(NotClosed);
  expect((await stream.ports.sockets.list(tenant, testEnv.now())).sockets).toEqual([]);
  expect(connectionIds.map(stream.isOpen)).toEqual([true, true]);
  await close();
  await close();
  expect(connectionIds.map(stream.isOpen)).toEqual([false, false]);
  expect(await stream.ports.sockets.presence(tenant)).toMatchObject({ count: 0 });
});

it("closing is repeated while the gateway does not know the connection, whose handshake goes on", async () => {
  const connectionId = "in-handshake";
  const close = () => closeSockets(stream.ports, { tenant, connectionIds: [connectionId], now: testEnv.now() });
  const realtime = {
    send: async () => {
      await expect(close()).rejects.toThrow(NotClosed);
      expect(await rows()).toEqual([connectionId]);
    },
  };
  const ticket = await stream.newTicket(owner, tenant);
  await stream.connect(ticket, { connectionId, openPorts: { ...stream.ports, realtime } });
  expect(stream.isOpen(connectionId)).toBe(true);
  await close();
  expect([stream.isOpen(connectionId), await rows()]).toEqual([false, []]);
});

it("closing is completed by a repetition when the process dies at any of its calls", async () => {
  for (let index = 0; index < 5; index++) {
    const connectionId = await stream.open(owner, tenant);
    const close = () => closeSockets(stream.ports, { tenant, connectionIds: [connectionId], now: testEnv.now() });
    const end = injectFaults(testEnv.table.client, (call) => (call.index === index ? "crash" : "pass"));
    await close().catch((error: unknown) => expect(error).toBeInstanceOf(Crash));
    end();
    testEnv.advance(MINUTE);
    await close();
    expect([stream.isOpen(connectionId), await rows()]).toEqual([false, []]);
  }
});
