import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createTestWebhook } from "../e2e/support/api-calls.ts";
import type { ListedDelivery } from "../e2e/support/api-response.ts";
import { dueAt, failureLines, readQueues } from "../e2e/support/emulator-journals.ts";
import { type LocalStack, startLocalStack } from "../e2e/support/local-stack.ts";
import { demoAccountIds, newMessageId, newPersonId, postWebhook, textEntry } from "../e2e/support/platform-webhooks.ts";
import { waitFor } from "../e2e/support/wait-for.ts";

// The maximum number of endpoints of a tenant and a thousand events. Most receivers work; some do not.

const EVENTS = 1_000;
const EVENTS_PER_WEBHOOK = 25;
const HEALTHY_ENDPOINTS = 15;

/** A receiver's response to the nth call with an event, and its delay in milliseconds. */
type ReceiverBehavior = (call: number, nth: number) => { readonly status: number; readonly after?: number };

const behaviors: Readonly<Record<string, ReceiverBehavior>> = {
  ...Object.fromEntries(Array.from({ length: HEALTHY_ENDPOINTS }, (_, i) => [`well-${i}`, () => ({ status: 200 })])),
  // The first call with one event in five fails.
  flaky: (call, nth) => ({ status: nth === 1 && call % 5 === 0 ? 503 : 200 }),
  // Its first calls hang long enough for the endpoint to count as slow.
  slow: (call) => ({ status: 200, ...(call <= 20 ? { after: 3_200 } : {}) }),
  dead: () => ({ status: recovered ? 200 : 500 }),
  mute: () => ({ status: recovered ? 204 : 503 }),
  gone: () => ({ status: 410 }),
};

let stack: LocalStack;
let server: Server;
let recovered = false;
const hooks = new Map<string, string>();
/** By receiver: the event ids that it was called with and the ones that it accepted. */
const callCounts = new Map<string, Map<string, number>>();
const acceptedEvents = new Map<string, Set<string>>();

beforeAll(async () => {
  server = createServer((request, response) => {
    const name = String(request.url).slice(1);
    const event = String(request.headers["svc-event-id"]);
    const calls = callCounts.get(name) ?? new Map<string, number>();
    callCounts.set(name, calls);
    calls.set(event, (calls.get(event) ?? 0) + 1);
    const { status, after = 0 } = behaviors[name]?.(calls.size, calls.get(event) ?? 1) ?? { status: 404 };
    if (status < 300) acceptedEvents.set(name, (acceptedEvents.get(name) ?? new Set()).add(event));
    request.resume().on("end", async () => {
      if (after > 0) await wait(after);
      response.writeHead(status).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  stack = await startLocalStack();
  const { port } = server.address() as AddressInfo;
  for (const name of Object.keys(behaviors)) {
    hooks.set(name, (await createTestWebhook(stack, `http://127.0.0.1:${port}/${name}`, ["message.received"])).id);
  }
});
afterAll(async () => {
  await stack?.stop();
  server?.closeAllConnections();
  server?.close();
});

/**
 * Waits until every event has its deliveries and no queue has a due message. Polls rarely, because a poll reads every
 * message. Messages that failed on a busy machine are hidden for minutes: once nothing else moves, the clock is advanced
 * to them.
 */
async function waitUntilIdle(): Promise<void> {
  let [pending, still] = [0, 0];
  const idle = async () => {
    const queues = [...readQueues(stack.dataDir)];
    // Asked after the read: a message sent between the two would seem to be a later retry.
    const at = await stack.now();
    const open = queues.flatMap(([queue, messages]) =>
      messages.filter((message) => dueAt(message) <= at || isOfEvents(queue)),
    ).length;
    still = open === pending ? still + 1 : 0;
    pending = open;
    if (open > 0 && still === 4) {
      await stack.clock("PT7M");
      still = 0;
    }
    return open === 0;
  };
  await waitFor("the queues are empty", idle, { seconds: 900, everyMs: 3_000 });
}

/** Whether deliveries follow from a queue's messages, also from a hidden one. */
const isOfEvents = (queue: string) => queue.includes("Inbound") || queue.includes("Events");

/** Every delivery of an endpoint. Waits out the key's rate limit. */
async function listDeliveries(name: string): Promise<ListedDelivery[]> {
  const deliveries: ListedDelivery[] = [];
  for (let cursor: string | null = ""; cursor !== null; ) {
    const query = cursor === "" ? "" : `&cursor=${cursor}`;
    const answer = await stack.api("GET", `/v1/webhooks/${hooks.get(name)}/deliveries?limit=100${query}`);
    if (answer.status === 429) {
      await stack.clock("PT1M");
      continue;
    }
    if (answer.status !== 200) throw new Error(`GET deliveries: ${answer.status} ${answer.text}`);
    deliveries.push(...answer.body.data.deliveries);
    cursor = answer.body.data.next_cursor;
  }
  return deliveries;
}

async function countStatuses(name: string): Promise<Record<string, number>> {
  const rows = await listDeliveries(name);
  expect(new Set(rows.map(({ event_id }) => event_id)).size, name).toBe(rows.length);
  const counts: Record<string, number> = {};
  for (const { status } of rows) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

it("no delivery of 20,000 over 20 endpoints is lost: each is delivered, failed, in dlq or waiting", async () => {
  for (let sent = 0; sent < EVENTS; sent += EVENTS_PER_WEBHOOK) {
    const at = await stack.now();
    const entries = Array.from({ length: EVENTS_PER_WEBHOOK }, (_, n) =>
      textEntry(demoAccountIds.messenger, newPersonId(), newMessageId(), `message ${sent + n}`, at),
    );
    expect((await postWebhook(stack, "page", entries)).status).toBe(200);
  }
  await waitUntilIdle();
  await stack.clock("PT30S");
  await waitUntilIdle();

  const balance: Record<string, number> = {};
  for (const name of hooks.keys()) {
    const counts = await countStatuses(name);
    expect(
      Object.values(counts).reduce((sum, count) => sum + count, 0),
      name,
    ).toBe(EVENTS);
    for (const [status, count] of Object.entries(counts)) balance[status] = (balance[status] ?? 0) + count;
    if (name.startsWith("well")) expect(counts, name).toEqual({ delivered: EVENTS });
  }
  const { delivered = 0, failed = 0, blocked = 0, dlq = 0, retrying = 0, pending = 0, ...strange } = balance;
  expect(strange).toEqual({});
  expect(delivered + failed + blocked + dlq + retrying + pending).toBe(EVENTS * hooks.size);
  expect(delivered).toBeGreaterThanOrEqual(HEALTHY_ENDPOINTS * EVENTS);
  expect(await countStatuses("gone")).toEqual({ failed: expect.any(Number), blocked: expect.any(Number) });
  // The circuit opens after some batches: the rest waits without a call.
  for (const name of ["dead", "mute"]) {
    // On a machine so busy that a response takes seconds, some deliveries still wait for their first attempt.
    const { retrying = 0, pending: first = 0, ...others } = await countStatuses(name);
    expect([retrying + first, others], name).toEqual([EVENTS, {}]);
    expect(callCounts.get(name)?.size, name).toBeLessThan(EVENTS / 2);
  }
}, 2_000_000);

it("waiting deliveries are sent once their endpoint works again", async () => {
  recovered = true;
  await waitFor(
    "all is delivered",
    async () => {
      await stack.clock("PT5M");
      await waitUntilIdle();
      return ["dead", "mute", "flaky", "slow"].every((name) => acceptedEvents.get(name)?.size === EVENTS);
    },
    { seconds: 300, everyMs: 500 },
  );
  await stack.clock("PT10S");
  await waitUntilIdle();
  for (const name of ["dead", "mute", "flaky", "slow"])
    expect(await countStatuses(name), name).toEqual({ delivered: EVENTS });
  // A busy machine may fail a message for a while. None ends as a dead letter.
  expect(failureLines(stack.log()).filter((line) => line.includes("dead_letter"))).toEqual([]);
}, 2_000_000);
