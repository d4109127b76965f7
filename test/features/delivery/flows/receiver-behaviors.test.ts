import type { Socket } from "node:net";
import { gzipSync } from "node:zlib";
import { beforeEach, expect, it } from "vitest";
import { isRefusal } from "#base/kernel/refusals.ts";
import { SECOND } from "#base/kernel/time.ts";
import { createGate, type GateOptions } from "#base/net/egress-gate.ts";
import { createWebhookClient } from "#base/net/webhook-client.ts";
import { createWebhook } from "#features/webhooks/flows.ts";
import { deliverWorker } from "../../../../functions/deliver/worker.ts";
import { type Receiver, type Respond, startReceiver } from "../../../base/net/receiver.ts";
import { closeAfterTest, openWebhookClient } from "../../../base/net/webhook-client-fixture.ts";
import { openEndpointFixture } from "../../../support/flows/endpoint-fixture.ts";
import { invokeWorker } from "../../../support/flows/queue-worker.ts";
import { createEndpointAt } from "../../../support/flows/test-endpoints.ts";
import { openTestEnv } from "../../../support/flows/test-env.ts";
import { openedEach, openedOnce } from "../../../support/opened.ts";

// For every receiver behavior, the delivery ends in the right state and the process does not grow.

const MIB = 1024 * 1024;
const testEnv = openedOnce(openTestEnv);
const fixture = openedEach(() => openEndpointFixture(testEnv));

/** Writes the same chunk again and again until the other side hangs up. */
function streamForever(socket: Socket, block: Buffer | string): void {
  const writeMore = () => {
    while (!socket.destroyed && socket.write(block));
  };
  socket.on("drain", writeMore);
  writeMore();
}

const dripBytes = (socket: Socket, text: string): void => {
  const timer = setInterval(() => socket.write(text), 20);
  socket.on("close", () => clearInterval(timer));
};

const status =
  (code: number): Respond =>
  (response) =>
    response.writeHead(code).end();

/** Compressed once: it takes longer than an attempt may. */
const gzipBomb = gzipSync(Buffer.alloc(32 * MIB));
const timeoutDelivery = { status: "retrying", attempt: 1, lastError: "timeout", lastResponseStatus: null };
const connectDelivery = { ...timeoutDelivery, lastError: "connect" };
const statusDelivery = (status: number) => ({ ...timeoutDelivery, lastError: "status", lastResponseStatus: status });
const deliveredDelivery = { status: "delivered", attempt: 1, lastError: null, lastResponseStatus: 200 };

it.each<{ does: string; answer: Respond; row: object }>([
  { does: "hangs before its headers", answer: () => {}, row: timeoutDelivery },
  {
    does: "drips its headers",
    answer: (_response, _request, socket) => {
      socket.write("HTTP/1.1 200 OK\r\n");
      dripBytes(socket, "x: 1\r\n");
    },
    row: timeoutDelivery,
  },
  {
    does: "drips its body",
    answer: (_response, _request, socket) => {
      socket.write("HTTP/1.1 200 OK\r\ncontent-length: 60000\r\n\r\n");
      dripBytes(socket, ".");
    },
    row: timeoutDelivery,
  },
  {
    does: "resets the connection",
    answer: (_response, _request, socket) => socket.resetAndDestroy(),
    row: connectDelivery,
  },
  { does: "hangs up", answer: (_response, _request, socket) => socket.destroy(), row: connectDelivery },
  {
    does: "sends a gigabyte under a 200",
    answer: (_response, _request, socket) => {
      socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${1024 * MIB}\r\n\r\n`);
      streamForever(socket, Buffer.alloc(64 * 1024));
    },
    row: { ...timeoutDelivery, lastError: "too_large" },
  },
  {
    does: "sends a gigabyte under a 500",
    answer: (_response, _request, socket) => {
      socket.write(`HTTP/1.1 500 No\r\ncontent-length: ${1024 * MIB}\r\n\r\n`);
      streamForever(socket, Buffer.alloc(64 * 1024));
    },
    row: statusDelivery(500),
  },
  {
    does: "responds with a gzip bomb",
    answer: (response) => response.setHeader("content-encoding", "gzip").end(gzipBomb),
    row: deliveredDelivery,
  },
  {
    does: "redirects to the metadata address",
    answer: (response) => response.writeHead(302, { location: "http://169.254.169.254/latest/meta-data/" }).end(),
    row: statusDelivery(302),
  },
  {
    does: "answers 204",
    answer: status(204),
    row: { ...deliveredDelivery, lastResponseStatus: 204 },
  },
  { does: "answers 404", answer: status(404), row: statusDelivery(404) },
  { does: "answers 429", answer: status(429), row: statusDelivery(429) },
  { does: "answers 503", answer: status(503), row: statusDelivery(503) },
  {
    does: "answers 410",
    answer: status(410),
    row: { status: "failed", attempt: 1, lastResponseStatus: 410 },
  },
])("a receiver that $does: the delivery's row shows it", async ({ answer, row }) => {
  const receiver = await startReceiver(answer);
  expect(await deliverTo(receiver, "http")).toMatchObject(row);
  // An attempt without an answer moves to the slow queue and is made again.
  expect(receiver.requests).toHaveLength(row === timeoutDelivery ? 2 : 1);
});

it("a receiver that does not speak TLS gets no request, and the delivery's row shows it", async () => {
  const receiver = await startReceiver((response) => response.end());
  expect(await deliverTo(receiver, "https")).toMatchObject({ ...timeoutDelivery, lastError: "tls" });
  expect(receiver.requests).toEqual([]);
});

it("a receiver that no longer listens: the delivery's row shows it", async () => {
  const endpoint = await createEndpointAt(testEnv, fixture.queues, fixture.tenant, "http://127.0.0.1:9/in");
  expect(await readDelivery(endpoint)).toMatchObject(connectDelivery);
});

async function deliverTo({ port }: Receiver, scheme: "http" | "https") {
  return readDelivery(
    await createEndpointAt(testEnv, fixture.queues, fixture.tenant, `${scheme}://127.0.0.1:${port}/in`),
  );
}

/** Delivers one event with the real worker, whose attempts time out after half a second. */
async function readDelivery(endpoint: { readonly id: string }) {
  const webhookClient = openWebhookClient({ attemptTimeout: SECOND / 2 });
  const worker = deliverWorker(testEnv.deliverPorts(fixture.queues, webhookClient), testEnv.now);
  const { eventUlid } = await fixture.publish();
  const before = process.memoryUsage().rss;
  for (const queue of [fixture.queues.events, fixture.queues.slowDeliveries]) {
    const { failed } = await invokeWorker(testEnv.eventSource, queue, worker);
    expect(failed).toEqual([]);
  }
  expect(process.memoryUsage().rss - before).toBeLessThan(64 * MIB);
  return fixture.row(endpoint, eventUlid);
}

// The endpoint's host had an allowed address when the endpoint was created. Its name server now returns another one.

const PUBLIC = "93.184.215.14";
let receiver: Receiver;
let responseStatus: number;
beforeEach(async () => {
  responseStatus = 200;
  // Each attempt opens its own connection, and each connection makes its own lookup.
  receiver = await startReceiver((response) =>
    response.setHeader("connection", "close").writeHead(responseStatus).end(),
  );
});

/** An endpoint behind a gate, and a worker with the same gate. The host's lookups return `addresses`. */
async function createEndpointBehind(gateOptions: Pick<GateOptions, "mode" | "ports">, scheme: "http" | "https") {
  let addresses: readonly string[] = [scheme === "http" ? "127.0.0.1" : PUBLIC];
  const gate = createGate({ ...gateOptions, resolver: async () => [...addresses] });
  const request = { url: `${scheme}://hooks.example.com:${receiver.port}/in`, events: ["message.received"] as const };
  const result = await createWebhook(
    { ...fixture.ports, gate },
    { tenant: fixture.tenant, ...request, author: fixture.by, now: testEnv.now() },
  );
  if (isRefusal(result)) throw new Error(`The endpoint was refused: ${result.detail}`);
  const ports = testEnv.deliverPorts(fixture.queues, closeAfterTest(createWebhookClient({ gate })));
  const worker = deliverWorker(ports, testEnv.now);
  return {
    endpoint: result.endpoint,
    setAddresses(...next: readonly string[]): void {
      addresses = next;
    },
    /** Publishes an event and returns its delivery. */
    async event(id: string) {
      const { eventUlid } = await fixture.publish(id);
      await invokeWorker(testEnv.eventSource, fixture.queues.events, worker);
      return () => fixture.row(result.endpoint, eventUlid);
    },
    retries: () => invokeWorker(testEnv.eventSource, fixture.queues.deliveries, worker),
  };
}

const blockedDelivery = { status: "blocked", attempt: 0, lastError: "gate", lastResponseStatus: null };

it("a host whose addresses changed since its endpoint was created is not called at a loopback address, and its delivery is blocked", async () => {
  const behind = await createEndpointBehind({ mode: "public", ports: [receiver.port] }, "https");
  behind.setAddresses("127.0.0.1");
  expect(await (await behind.event("m1"))()).toMatchObject(blockedDelivery);
  behind.setAddresses(PUBLIC, "127.0.0.1");
  expect(await (await behind.event("m2"))()).toMatchObject(blockedDelivery);
  expect(receiver.connections()).toBe(0);
});

it.each(["10.0.0.7", "169.254.169.254", "fd00:ec2::254"])(
  "a host whose addresses changed since its endpoint was created is not called at %s, although it was called before, and is called again once it has its old address",
  async (address) => {
    const behind = await createEndpointBehind({ mode: "open" }, "http");
    expect(await (await behind.event("m1"))()).toMatchObject({ status: "delivered" });
    behind.setAddresses(address);
    expect(await (await behind.event("m2"))()).toMatchObject(blockedDelivery);
    behind.setAddresses("127.0.0.1");
    expect(await (await behind.event("m3"))()).toMatchObject({ status: "delivered" });
    expect(receiver.requests).toHaveLength(2);
  },
);

it("a host whose addresses changed since its endpoint was created has its waiting retries blocked, too", async () => {
  const behind = await createEndpointBehind({ mode: "open" }, "http");
  responseStatus = 503;
  const row = await behind.event("m1");
  expect(await row()).toMatchObject({ status: "retrying", lastError: "status" });
  behind.setAddresses("10.0.0.7");
  testEnv.advance(6 * SECOND);
  expect((await behind.retries()).records).toHaveLength(1);
  expect(await row()).toMatchObject({ status: "blocked", attempt: 1, lastError: "gate" });
  expect(receiver.requests).toHaveLength(1);
});
