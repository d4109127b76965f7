import type { Socket } from "node:net";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { deliverWorker } from "../../../../functions/deliver/worker.ts";
import { openQueue } from "../../../../shared/aws/queues.ts";
import { SECOND } from "../../../../shared/kernel/time.ts";
import { openPoster } from "../../net/posting.ts";
import { type Answer, type Receiver, startReceiver } from "../../net/receiver.ts";
import { type Desk, openDesk } from "../support/desk.ts";
import { type House, openHouse } from "../support/house.ts";
import { handOut } from "../support/queue-work.ts";
import { announce, endpointAt } from "../support/receivers.ts";

// Whatever a receiver does, its delivery ends in the right state, and the process stays as small as it was.

const MIB = 1024 * 1024;
let house: House;
let desk: Desk;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());
beforeEach(async () => {
  desk = await openDesk(house);
});

/** Writes the same again and again until the other side hangs up. */
function pour(socket: Socket, block: Buffer | string): void {
  const on = () => {
    while (!socket.destroyed && socket.write(block));
  };
  socket.on("drain", on);
  on();
}

const drip = (socket: Socket, what: string): void => {
  const timer = setInterval(() => socket.write(what), 20);
  socket.on("close", () => clearInterval(timer));
};

const timeout = { status: "retrying", attempt: 1, lastError: "timeout", lastResponseStatus: null };
const connect = { ...timeout, lastError: "connect" };
const answered = (status: number) => ({ ...timeout, lastError: "status", lastResponseStatus: status });
const delivered = { status: "delivered", attempt: 1, lastError: null, lastResponseStatus: 200 };

it.each<{ does: string; answer: Answer; row: object }>([
  { does: "hangs before its headers", answer: () => {}, row: timeout },
  {
    does: "drips its headers",
    answer: (_response, _taken, socket) => {
      socket.write("HTTP/1.1 200 OK\r\n");
      drip(socket, "x: 1\r\n");
    },
    row: timeout,
  },
  {
    does: "drips its body",
    answer: (_response, _taken, socket) => {
      socket.write("HTTP/1.1 200 OK\r\ncontent-length: 60000\r\n\r\n");
      drip(socket, ".");
    },
    row: timeout,
  },
  { does: "resets the connection", answer: (_response, _taken, socket) => socket.resetAndDestroy(), row: connect },
  { does: "hangs up", answer: (_response, _taken, socket) => socket.destroy(), row: connect },
  {
    does: "sends a gigabyte under a 200",
    answer: (_response, _taken, socket) => {
      socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${1024 * MIB}\r\n\r\n`);
      pour(socket, Buffer.alloc(64 * 1024));
    },
    row: { ...timeout, lastError: "too_large" },
  },
  {
    does: "sends a gigabyte under a 500",
    answer: (_response, _taken, socket) => {
      socket.write(`HTTP/1.1 500 No\r\ncontent-length: ${1024 * MIB}\r\n\r\n`);
      pour(socket, Buffer.alloc(64 * 1024));
    },
    row: answered(500),
  },
  {
    does: "answers with a gzip bomb",
    answer: (response) => response.setHeader("content-encoding", "gzip").end(gzipSync(Buffer.alloc(32 * MIB))),
    row: delivered,
  },
  {
    does: "redirects to the metadata address",
    answer: (response) => response.writeHead(302, { location: "http://169.254.169.254/latest/meta-data/" }).end(),
    row: answered(302),
  },
  {
    does: "answers 204",
    answer: (response) => response.writeHead(204).end(),
    row: { ...delivered, lastResponseStatus: 204 },
  },
  { does: "answers 404", answer: (response) => response.writeHead(404).end(), row: answered(404) },
  { does: "answers 429", answer: (response) => response.writeHead(429).end(), row: answered(429) },
  { does: "answers 503", answer: (response) => response.writeHead(503).end(), row: answered(503) },
  {
    does: "answers 410",
    answer: (response) => response.writeHead(410).end(),
    row: { status: "failed", attempt: 1, lastResponseStatus: 410 },
  },
])("a receiver that $does: the delivery's row says so", async ({ answer, row }) => {
  const receiver = await startReceiver(answer);
  expect(await deliveryTo(receiver, "http")).toMatchObject(row);
  expect(receiver.taken).toHaveLength(1);
});

it("a receiver whose TLS is none gets no request, and the delivery's row says so", async () => {
  const receiver = await startReceiver((response) => response.end());
  expect(await deliveryTo(receiver, "https")).toMatchObject({ ...timeout, lastError: "tls" });
  expect(receiver.taken).toEqual([]);
});

it("a receiver that nobody runs any more: the delivery's row says so", async () => {
  const endpoint = await endpointAt(house, desk.lane, desk.tenant, "http://127.0.0.1:9/in");
  expect(await deliveryOf(endpoint)).toMatchObject(connect);
});

async function deliveryTo({ port }: Receiver, scheme: "http" | "https") {
  return deliveryOf(await endpointAt(house, desk.lane, desk.tenant, `${scheme}://127.0.0.1:${port}/in`));
}

/** One event's delivery by the real worker, whose attempts have half a second. */
async function deliveryOf(endpoint: { readonly id: string }) {
  const poster = openPoster({ attemptTimeout: SECOND / 2 });
  const worker = deliverWorker(house.deliverPorts(desk.lane, poster), house.now, async () => {});
  const { message, body } = await announce(house, desk.tenant, "m1");
  await openQueue(desk.lane.events, house.eventSource).send({ body });
  const before = process.memoryUsage().rss;
  const { failed } = await handOut(house.eventSource, desk.lane.events, worker);
  expect(failed).toEqual([]);
  expect(process.memoryUsage().rss - before).toBeLessThan(64 * MIB);
  return desk.row(endpoint, message.eventUlid);
}
