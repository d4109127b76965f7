import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { ListedDelivery } from "../e2e/support/answers.ts";
import { failuresIn, queuesOf } from "../e2e/support/journals.ts";
import { type RunningLocal, startLocal } from "../e2e/support/local-stack.ts";
import { accountIds, inbound, newMid, newPerson, textEntry } from "../e2e/support/platform.ts";
import { until } from "../e2e/support/poll.ts";
import { createHook } from "../e2e/support/read-all.ts";

// As many endpoints as a tenant may have, and a thousand events: most receivers are well, some are not.

const EVENTS = 1_000;
const IN_ONE_WEBHOOK = 25;
const WELL = 15;

/** How a receiver answers an event's nth call, and how long it takes for it. */
type Manner = (call: number, nth: number) => { readonly status: number; readonly after?: number };

const manners: Readonly<Record<string, Manner>> = {
  ...Object.fromEntries(Array.from({ length: WELL }, (_, i) => [`well-${i}`, () => ({ status: 200 })])),
  // Each event's first call fails for one in five.
  flaky: (call, nth) => ({ status: nth === 1 && call % 5 === 0 ? 503 : 200 }),
  // Its first calls hang long enough to be called slow.
  slow: (call) => ({ status: 200, ...(call <= 20 ? { after: 3_200 } : {}) }),
  dead: () => ({ status: recovered ? 200 : 500 }),
  mute: () => ({ status: recovered ? 204 : 503 }),
  gone: () => ({ status: 410 }),
};

let stack: RunningLocal;
let server: Server;
let recovered = false;
const hooks = new Map<string, string>();
/** By receiver: what it was called with, and what it took, by the events' ids. */
const called = new Map<string, Map<string, number>>();
const taken = new Map<string, Set<string>>();

beforeAll(async () => {
  server = createServer((request, response) => {
    const name = String(request.url).slice(1);
    const event = String(request.headers["svc-event-id"]);
    const calls = called.get(name) ?? new Map<string, number>();
    called.set(name, calls);
    calls.set(event, (calls.get(event) ?? 0) + 1);
    const { status, after = 0 } = manners[name]?.(calls.size, calls.get(event) ?? 1) ?? { status: 404 };
    if (status < 300) taken.set(name, (taken.get(name) ?? new Set()).add(event));
    request.resume().on("end", async () => {
      if (after > 0) await wait(after);
      response.writeHead(status).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  stack = await startLocal();
  const { port } = server.address() as AddressInfo;
  for (const name of Object.keys(manners)) {
    hooks.set(name, (await createHook(stack, `http://127.0.0.1:${port}/${name}`, ["message.received"])).id);
  }
});
afterAll(async () => {
  await stack?.stop();
  server?.closeAllConnections();
  server?.close();
});

/**
 * Nothing is due on any queue. Asked now and then: with so many messages, looking is work. What a busy machine failed is
 * held back for minutes; once nothing else moves, the clock is turned to that.
 */
async function untilIdle(): Promise<void> {
  let [left, still] = [0, 0];
  const idle = async () => {
    const at = await stack.now();
    const due = [...queuesOf(stack.dataDir).values()].flat().filter(({ availableAt }) => availableAt <= at).length;
    still = due === left ? still + 1 : 0;
    left = due;
    if (due > 0 && still === 4) {
      await stack.clock("PT7M");
      still = 0;
    }
    return due === 0;
  };
  await until("the queues are empty", idle, { seconds: 500, everyMs: 3_000 });
}

/** Every delivery of an endpoint. The key's pace is waited for. */
async function deliveriesOf(name: string): Promise<ListedDelivery[]> {
  const found: ListedDelivery[] = [];
  for (let cursor: string | null = ""; cursor !== null; ) {
    const query = cursor === "" ? "" : `&cursor=${cursor}`;
    const answer = await stack.api("GET", `/v1/webhooks/${hooks.get(name)}/deliveries?limit=100${query}`);
    if (answer.status === 429) {
      await stack.clock("PT1M");
      continue;
    }
    if (answer.status !== 200) throw new Error(`GET deliveries: ${answer.status} ${answer.text}`);
    found.push(...answer.body.data.deliveries);
    cursor = answer.body.data.next_cursor;
  }
  return found;
}

async function ledger(name: string): Promise<Record<string, number>> {
  const rows = await deliveriesOf(name);
  expect(new Set(rows.map(({ event_id }) => event_id)).size, name).toBe(rows.length);
  const counts: Record<string, number> = {};
  for (const { status } of rows) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

it("of 20,000 deliveries over 20 endpoints none is lost: each is delivered, failed, used up or waits", async () => {
  for (let sent = 0; sent < EVENTS; sent += IN_ONE_WEBHOOK) {
    const at = await stack.now();
    const entries = Array.from({ length: IN_ONE_WEBHOOK }, (_, n) =>
      textEntry(accountIds.messenger, newPerson(), newMid(), `message ${sent + n}`, at),
    );
    expect((await inbound(stack, "page", entries)).status).toBe(200);
  }
  await untilIdle();
  await stack.clock("PT30S");
  await untilIdle();

  const balance: Record<string, number> = {};
  for (const name of hooks.keys()) {
    const counts = await ledger(name);
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
  expect(delivered).toBeGreaterThanOrEqual(WELL * EVENTS);
  expect(await ledger("gone")).toEqual({ failed: expect.any(Number), blocked: expect.any(Number) });
  // Left alone after some batches: the rest waits without a call.
  for (const name of ["dead", "mute"]) {
    // On a machine so busy that an answer took seconds, some wait for their first attempt.
    const { retrying: parked = 0, pending: first = 0, ...others } = await ledger(name);
    expect([parked + first, others], name).toEqual([EVENTS, {}]);
    expect(called.get(name)?.size, name).toBeLessThan(EVENTS / 2);
  }
}, 600_000);

it("what waited is delivered once its endpoint works again", async () => {
  recovered = true;
  await until(
    "all is delivered",
    async () => {
      await stack.clock("PT5M");
      await untilIdle();
      return ["dead", "mute", "flaky", "slow"].every((name) => taken.get(name)?.size === EVENTS);
    },
    { seconds: 300, everyMs: 500 },
  );
  await stack.clock("PT10S");
  await untilIdle();
  for (const name of ["dead", "mute", "flaky", "slow"]) expect(await ledger(name), name).toEqual({ delivered: EVENTS });
  // A busy machine may fail a message for a while, but none for good.
  expect(failuresIn(stack.log()).filter((line) => line.includes("dead_letter"))).toEqual([]);
}, 600_000);
