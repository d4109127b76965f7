import type { Socket } from "node:net";
import { gzipSync } from "node:zlib";
import { expect, it } from "vitest";
import { SECOND } from "#base/kernel/time.ts";
import { deliverWorker } from "../../../../functions/deliver/worker.ts";
import { type Receiver, type Respond, startReceiver } from "../../../base/net/receiver.ts";
import { openWebhookClient } from "../../../base/net/webhook-client-fixture.ts";
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
