import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openSeedPorts } from "../../local/stack/seed-ports.ts";
import { failureLines, waitUntilIdle } from "../e2e/support/emulator-journals.ts";
import { type LocalStack, startLocalStack } from "../e2e/support/local-stack.ts";
import { type Entry, newMessageId, newPersonId, postWebhook, textEntry } from "../e2e/support/platform-webhooks.ts";
import { waitFor } from "../e2e/support/wait-for.ts";
import { openSocket, type TestSocket } from "../support/sockets/test-socket.ts";

// Real sockets of many tenants on the running stack, whose queues deliver some messages twice and in any order. Every
// frame is one request to the management API: an event costs two for each socket of its tenant. On a machine that cannot
// make them at the set rate, the run takes longer and its 99th percentile exceeds a second. The defaults fit two processors.

const TENANTS = Number(process.env.SOCKET_TENANTS ?? 20);
const SOCKETS = Number(process.env.SOCKETS ?? 1_000);
const EVENTS_PER_SECOND = Number(process.env.SOCKET_EVENTS_PER_SECOND ?? 5);
const SECONDS = Number(process.env.SOCKET_SECONDS ?? 60);
/**
 * Each tenant's person writes once, which loads the functions' sandboxes. The platform does not show these people: a first
 * event waits two seconds for the name, as does one within two seconds of the one before. With the defaults, a person writes
 * every four seconds.
 */
const WARM_UP_SECONDS = TENANTS / EVENTS_PER_SECOND;
const HANDSHAKES_AT_ONCE = 10;
const DUPLICATES = "0.1";
const ATTEMPTS_MAX = 10;

interface Tenant {
  readonly slug: string;
  readonly key: string;
  readonly page: string;
  readonly person: string;
  readonly sockets: OpenSocket[];
  /** By message id: when its webhook was posted. */
  readonly postedAt: Map<string, number>;
}

interface OpenSocket {
  readonly socket: TestSocket;
  /** By message id: the event's id, and when it first came. */
  readonly received: Map<string, { readonly eventId: string; readonly at: number }>;
  /** What no socket of the tenant may get. */
  readonly foreign: string[];
  frames: number;
}

let stack: LocalStack;
const tenants: Tenant[] = [];
let refusedPosts = 0;
beforeAll(async () => {
  stack = await startLocalStack({ env: { PARLEY_SQS_CHAOS: DUPLICATES } });
  const environment = JSON.parse(readFileSync(join(stack.dataDir, "environment.json"), "utf8"));
  const ports = openSeedPorts({ environment, now: () => Date.now() });
  for (let i = 0; i < TENANTS; i++) {
    const slug = `tenant-${i}`;
    const page = `2000000000${String(i).padStart(5, "0")}`;
    await ports.createTenant(slug);
    const { secret: key } = await ports.createKey(slug, "live");
    await ports.connectAccount(slug, { ...account, handle: `page${i}`, externalId: page, pageId: page });
    tenants.push({ slug, key, page, person: newPersonId(), sockets: [], postedAt: new Map() });
  }
}, 120_000);
afterAll(async () => {
  for (const { sockets } of tenants) for (const { socket } of sockets) socket.terminate();
  await stack?.stop();
});

const account = {
  connection: "messenger",
  displayName: "Page",
  token: "token",
  appScopedId: "1",
  authorizedBy: [],
} as const;

async function connect(tenant: Tenant): Promise<void> {
  const { status, text, body } = await stack.api("POST", "/v1/realtime/ticket", undefined, tenant.key);
  if (status !== 200) throw new Error(`POST /v1/realtime/ticket: ${status} ${text}`);
  const { ticket, url } = body.data as unknown as { ticket: string; url: string };
  const socket = await openSocket(`${url}?ticket=${ticket}`);
  const received = new Map<string, { eventId: string; at: number }>();
  const open: OpenSocket = { socket, received, foreign: [], frames: 0 };
  socket.onMessage((frameText) => {
    const at = performance.now();
    open.frames += 1;
    const frame = JSON.parse(frameText);
    if (frame.type !== "hello" && frame.tenant_id !== tenant.slug) open.foreign.push(frameText);
    if (frame.type !== "message.received") return;
    const { id } = frame.data.message;
    if (!tenant.postedAt.has(id)) open.foreign.push(frameText);
    const earlier = received.get(id);
    if (!earlier) received.set(id, { eventId: frame.id, at });
    else if (earlier.eventId !== frame.id) open.foreign.push(frameText);
  });
  tenant.sockets.push(open);
}

async function postEvents(seconds: number): Promise<void> {
  const startedAt = performance.now();
  const posts: Promise<void>[] = [];
  for (let i = 0; i < EVENTS_PER_SECOND * seconds; i++) {
    await wait(Math.max(0, startedAt + (i * 1_000) / EVENTS_PER_SECOND - performance.now()));
    const tenant = tenants[i % TENANTS];
    if (!tenant) throw new Error("There is no tenant.");
    const mid = newMessageId();
    const entry = textEntry(tenant.page, tenant.person, mid, `event ${i}`, Date.now());
    tenant.postedAt.set(mid, performance.now());
    posts.push(postUntilAccepted(entry));
  }
  await Promise.all(posts);
}

/** A platform repeats a webhook that was not answered with 200, as on a machine without time for the function. */
async function postUntilAccepted(entry: Entry): Promise<void> {
  for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
    if ((await postWebhook(stack, "page", [entry])).status === 200) return;
    refusedPosts += 1;
  }
  throw new Error("A webhook was not accepted.");
}

function countFrames(sockets: readonly OpenSocket[]): number {
  return sockets.reduce((sum, socket) => sum + socket.frames, 0);
}

it(`${SOCKETS} sockets of ${TENANTS} tenants get each event of their tenant within a second at ${EVENTS_PER_SECOND} events a second, and none of another`, async () => {
  const waiting = Array.from({ length: SOCKETS }, (_, i) => tenants[i % TENANTS]);
  const openNext = async (): Promise<void> => {
    for (let tenant = waiting.pop(); tenant; tenant = waiting.pop()) await connect(tenant);
  };
  const openingAt = performance.now();
  await Promise.all(Array.from({ length: HANDSHAKES_AT_ONCE }, openNext));
  const sockets = tenants.flatMap((tenant) => tenant.sockets);
  const openSeconds = (performance.now() - openingAt) / 1_000;
  await waitFor("every socket got hello", () => sockets.every(({ frames }) => frames > 0), { seconds: 120 });

  const isComplete = ({ postedAt, sockets }: Tenant) =>
    sockets.every(({ received }) => received.size === postedAt.size);
  const everyEvent = () =>
    waitFor("every socket got every event of its tenant", () => tenants.every(isComplete), { seconds: 600 });
  await postEvents(WARM_UP_SECONDS);
  await everyEvent();

  const [runAt, framesBefore] = [performance.now(), countFrames(sockets)];
  await postEvents(SECONDS);
  const postSeconds = (performance.now() - runAt) / 1_000;
  await everyEvent();
  const seconds = (performance.now() - runAt) / 1_000;
  await waitUntilIdle(stack, 120);

  const eventIds = new Map<string, string>();
  const latencies: number[] = [];
  for (const tenant of tenants) {
    for (const { received, foreign } of tenant.sockets) {
      expect(foreign).toEqual([]);
      expect(new Set(received.keys())).toEqual(new Set(tenant.postedAt.keys()));
      for (const [mid, { eventId, at }] of received) {
        // Each socket sees the same event under the same id.
        expect(eventIds.get(mid) ?? eventId).toBe(eventId);
        eventIds.set(mid, eventId);
        const postedAt = tenant.postedAt.get(mid) ?? 0;
        if (postedAt >= runAt) latencies.push(at - postedAt);
      }
    }
  }
  expect(new Set(eventIds.values()).size).toBe(eventIds.size);
  latencies.sort((a, b) => a - b);
  const percentile = (share: number) => Math.round(latencies[Math.floor(latencies.length * share)] ?? Number.NaN);
  const frames = countFrames(sockets) - framesBefore;
  process.stdout.write(
    `${SOCKETS} sockets opened in ${openSeconds.toFixed(0)} s; ${eventIds.size} events posted in ${postSeconds.toFixed(0)} s, ` +
      `${frames} frames in ${seconds.toFixed(0)} s (${Math.round(frames / seconds)} a second); webhook to frame in ms: ` +
      `p50 ${percentile(0.5)}, p99 ${percentile(0.99)}; ${refusedPosts} webhooks posted again\n`,
  );
  expect(percentile(0.99)).toBeLessThan(1_000);
  expect(failureLines(stack.log())).toEqual([]);
}, 1_200_000);
