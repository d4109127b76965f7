import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isRefusal } from "#base/kernel/refusals.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { MINUTE, type Millis, SECOND } from "#base/kernel/time.ts";
import { revokeKey } from "#features/access/flows/key-lists.ts";
import { createKey } from "#features/access/flows/keys.ts";
import { signOut } from "#features/access/flows/sign-in/sign-out.ts";
import { removeMember } from "#features/access/flows/team/members.ts";
import type { Caller, SessionCaller } from "#features/access/rules/callers.ts";
import type { AccountRef } from "#features/accounts/rules/accounts.ts";
import type { Grant } from "#features/realtime/rules/sockets.ts";
import { deleteTenant } from "#features/tenants/flows/delete-tenant.ts";
import { setTenantStatus } from "#features/tenants/flows/tenant-status.ts";
import type { TestEnv } from "../../../../support/flows/test-env.ts";
import { repetitions } from "../../../../support/sampling.ts";
import { openStores } from "../../../../support/stores/open-stores.ts";
import type { VirtualTime } from "../../../../support/virtual-time.ts";
import type { WorldTable } from "../../../../support/world/world-table.ts";
import { noSubscriptions } from "../../../tenants/flows/support/doomed-tenant.ts";
import type { StreamFixture } from "../support/stream-fixture.ts";
import { dyingProcess, openLiveEnv, openLiveRun, unlessCrash } from "./support/live-run.ts";
import type { LiveStream } from "./support/live-stream.ts";

// Access ends while events run: the real workers in virtual time, with queues that are late, repeat and reorder, reads that
// are behind, and a process that dies at any call between the request and the close.

const SEEDS = repetitions({ whole: 40, sample: 2 });
const MESSAGES = 14;
/** Sockets stand and have their first frames when the access ends. */
const WARM_UP: Millis = 20 * SECOND;
/** By then the sockets of the former membership are closed, also when a process died. */
const AGAIN_AFTER: Millis = 30 * SECOND;
const CLI = { actor: "cli" } as const;

let table: WorldTable;
let testEnv: TestEnv;
let stream: StreamFixture;
beforeAll(async () => {
  ({ table, testEnv, stream } = await openLiveEnv());
});
afterAll(() => testEnv.close());

interface Ending {
  readonly caller: Caller;
  /** Gives the access again, in another membership. */
  readonly again?: () => Promise<Caller>;
  /** Whether every socket of the tenant ends. */
  readonly isOfTenant?: boolean;
  /** Ends the access. @param wrap lets the process die at one of the calls of its ports */
  readonly end: (ports: LiveStream["ports"], wrap: <P extends object>(ports: P) => P) => Promise<unknown>;
}

async function newKey(tenant: TenantId): Promise<Caller & { readonly kind: "tenant_key" }> {
  const key = await createKey(stream.ports, tenant, { scope: "live", label: "", author: CLI }, testEnv.now());
  if (isRefusal(key)) throw new Error("The key was not created.");
  return { kind: "tenant_key", keyId: key.id, tenant, scope: "live" };
}

const endings: Readonly<
  Record<string, (tenant: TenantId, owner: SessionCaller, time: VirtualTime) => Promise<Ending>>
> = {
  "a member is removed": async (tenant, owner) => {
    const caller = await stream.newMember(tenant);
    const author = { caller: owner, ip: null };
    const { userId } = caller;
    const again = () => stream.inviteAgain(tenant, caller);
    return {
      caller,
      again,
      end: (ports, wrap) => removeMember(wrap(ports), { tenant, author, userId, now: testEnv.now() }),
    };
  },
  "a person signs out": async (tenant) => {
    const caller = await stream.newMember(tenant);
    return { caller, end: (ports, wrap) => signOut(wrap(ports), { author: { caller, ip: null }, now: testEnv.now() }) };
  },
  "a key is revoked": async (tenant) => {
    const caller = await newKey(tenant);
    const { keyId } = caller;
    return { caller, end: (ports, wrap) => revokeKey(wrap(ports), { tenant, keyId, author: CLI, now: testEnv.now() }) };
  },
  "a tenant is suspended": async (tenant, owner) => ({
    caller: owner,
    isOfTenant: true,
    end: (ports, wrap) => setTenantStatus(wrap(ports), tenant, { status: "suspended", author: CLI }, testEnv.now()),
  }),
  "a tenant is deleted": async (tenant, owner, time) => ({
    caller: owner,
    isOfTenant: true,
    end: (ports, wrap) => {
      const { quarantine, ...stores } = openStores(testEnv.table);
      const { realtime, sockets } = ports;
      return deleteTenant(
        { ...wrap({ ...stores, ...noSubscriptions, uploadFiles: testEnv.uploadFiles, realtime, sockets }), quarantine },
        { tenant, author: { actor: "cli" }, time: { now: testEnv.now, wait: time.sleep }, report: () => {} },
      );
    },
  }),
};

interface OpenSocket {
  readonly connectionId: string;
  readonly tenant: TenantId;
  readonly grant: Grant;
}

/** Events before, while and after the access ends; most of them around the end. */
async function run(seed: number, open: (typeof endings)[string]) {
  const { random, tenant, owner, account, time, live } = await openLiveRun(testEnv, stream, seed);
  const neighbor = await stream.team.newTenant();
  const neighborOwner = await stream.newMember(neighbor, "owner");
  const accounts = new Map<TenantId, AccountRef>([
    [tenant, account],
    [neighbor, { platform: "instagram", externalId: await testEnv.connect(neighbor) }],
  ]);
  const ending = await open(tenant, owner, time);
  table.setLag(() => (random() < 0.5 ? Math.floor(random() * 6) : 0));

  const sockets: OpenSocket[] = [];
  const connect = async (caller: Caller, slug: TenantId, after: Millis): Promise<void> => {
    await time.sleep(after);
    const ticket = await stream.newTicket(caller, slug);
    const { result, connectionId } = await stream.connect(ticket, { openPorts: live.ports });
    if (result !== "connected") throw new Error(`The handshake was refused: ${result}.`);
    const { grant } = (await live.ports.sockets.get(slug, connectionId)) ?? expect.unreachable();
    sockets.push({ connectionId, tenant: slug, grant });
  };
  for (const after of [0, 5 * SECOND]) live.start(connect(ending.caller, tenant, after));
  live.start(connect(await newKey(tenant), tenant, live.upTo(5 * SECOND)));
  live.start(connect(owner, tenant, live.upTo(5 * SECOND)));
  live.start(connect(neighborOwner, neighbor, live.upTo(5 * SECOND)));
  // One that connects when the access is about to end has no first frame yet.
  live.start(connect(ending.caller, tenant, WARM_UP - SECOND - live.upTo(2 * SECOND)));

  const startedAt = time.now();
  const endsAt = startedAt + WARM_UP;
  for (const slug of [tenant, neighbor]) {
    const account = accounts.get(slug) ?? expect.unreachable();
    for (let i = 0; i < MESSAGES; i++) {
      const near = WARM_UP - 3 * SECOND + random() * 6 * SECOND;
      const after = i % 3 === 0 ? random() * (WARM_UP + 100 * SECOND) : near;
      live.start(time.sleep(Math.round(after)).then(() => live.write(slug, account)));
    }
  }

  let endedAt = endsAt;
  let againAt = Number.POSITIVE_INFINITY;
  /** In every second run the process that ends the access dies at one of its calls; in others one of the push worker. */
  const dyingCall = seed % 2 === 0 ? seed / 2 : Number.POSITIVE_INFINITY;
  const endAccess = async (): Promise<void> => {
    await time.sleep(WARM_UP);
    const ended = sockets.filter((socket) => isEnded(socket));
    if (seed % 4 === 1) live.killWorkerOf("close");
    const { isDead, wrap } = dyingProcess(dyingCall);
    await ending.end(live.ports, wrap).catch(unlessCrash);
    // A request that died before its change is made again.
    const [first] = ended;
    if (!first) throw new Error("No socket stands.");
    if (isDead() && (await live.ports.sockets.isGranted(tenant, first.grant))) {
      await time.sleep(SECOND);
      endedAt = time.now();
      await ending.end(live.ports, (ports) => ports);
    }
    if (!ending.again) return;
    await time.sleep(AGAIN_AFTER);
    againAt = time.now();
    await connect(await ending.again(), tenant, 0);
  };
  const isEnded = ({ tenant: slug, grant }: OpenSocket) =>
    slug === tenant && (ending.isOfTenant || JSON.stringify(grant) === JSON.stringify(sockets[0]?.grant));
  live.start(endAccess());
  await time.run();
  time.close();
  table.setLag(() => 0);
  if (live.failures.length > 0) throw live.failures[0];

  let framesBefore = 0;
  for (const socket of sockets) {
    const { connectionId, tenant: slug } = socket;
    const frames = live.frames.filter((sent) => sent.connectionId === connectionId);
    const label = `seed ${seed}, ${connectionId} of ${slug}`;
    expect(
      frames.filter(({ frame }) => frame.type !== "hello" && frame.tenant_id !== slug),
      label,
    ).toEqual([]);
    if (isEnded(socket)) {
      expect(stream.isOpen(connectionId), label).toBe(false);
      expect(
        frames.filter(({ at }) => at > endedAt + MINUTE),
        label,
      ).toEqual([]);
      expect(
        frames.filter(({ at }) => at >= againAt),
        label,
      ).toEqual([]);
      framesBefore += frames.length;
      continue;
    }
    const hello = frames.find(({ frame }) => frame.type === "hello");
    if (!hello) throw new Error(`No first frame: ${label}.`);
    const expected = live.messages.filter(({ tenant: of, at }) => of === slug && at > hello.at).map(({ id }) => id);
    const received = frames
      .filter(({ frame }) => frame.type === "message.received")
      .map(({ frame }) => frame.data.message.id);
    expect(stream.isOpen(connectionId), label).toBe(true);
    expect(received, label).toEqual(expect.arrayContaining(expected));
    if (hello.at < endedAt) expect(expected.length, label).toBeGreaterThan(2);
  }
  expect(framesBefore).toBeGreaterThan(2);
}

describe.each(Object.entries(endings))("while events run, %s", (_, open) => {
  it(`in ${SEEDS} interleavings and deaths, its sockets get no frame after a minute, and the others get every event`, async () => {
    for (let seed = 0; seed < SEEDS; seed++) await run(seed, open);
  }, 300_000);
});
